package xdp

import (
	"io"
	"log/slog"

	"github.com/p4ce/p4ce/bpf/trace"
)

// capture records a pipeline's packets until it is closed.
type capture struct {
	t    *trace.Tracer
	done chan struct{}
}

func newCapture(p *pipeline, ports map[int]string, w io.Writer, log *slog.Logger) (*capture, error) {
	t, err := trace.Attach(p.coll.Programs["ingress"], p.coll.Programs["egress"], ports)
	if err != nil {
		return nil, err
	}
	c := &capture{t: t, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		written, lost, err := t.Copy(w)
		if err != nil {
			log.Error("capture", "err", err)
		}
		log.Info("capture ended", "packets", written, "lost", lost)
	}()
	return c, nil
}

// close writes what has been recorded, and detaches.
func (c *capture) close() {
	c.t.Stop()
	<-c.done
	c.t.Close()
}
