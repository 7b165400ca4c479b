package xdp

import (
	"io"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/bpf/trace"
)

// capture records a pipeline's packets until it is closed.
type capture struct {
	r    *trace.Reader
	log  *slog.Logger
	done chan struct{}
}

// captureEnds is how long the end of a capture may wait for the disk. The switch waits for it.
const captureEnds = 2 * time.Second

func newCapture(p *pipeline, names map[uint16]string, w io.Writer, log *slog.Logger) (*capture, error) {
	r, err := trace.New(p.coll.Maps["traces"], func(port uint16) string { return names[port] })
	if err != nil {
		return nil, err
	}
	c := &capture{r: r, log: log, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		written, lost, err := r.Copy(w)
		if err != nil {
			log.Error("capture", "err", err)
		}
		log.Info("capture ended", "packets", written, "lost", lost)
	}()
	return c, nil
}

// close writes what has been recorded.
func (c *capture) close() {
	c.r.Stop()
	select {
	case <-c.done:
	case <-time.After(captureEnds):
		c.log.Error("capture: the last packets are lost: the file cannot be written")
	}
	c.r.Close()
}
