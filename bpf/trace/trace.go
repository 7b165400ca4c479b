// Package trace records the packets that a running XDP pipeline takes in and
// sends out, as pcapng. The pipeline's own programs hand them over (trace() in
// p4xdp_trace.h) when they were loaded with tracing on; a pipeline that was not has no
// trace of it left. AF_PACKET tools such as tcpdump cannot do this: redirected
// packets pass them by.
package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/perf"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/internal/pcapng"
)

// headerSize is the size of struct p4_trace_event.
const headerSize = 16

// buffer is the room for packets that wait to be read, per CPU.
const buffer = 4 << 20

// Enable turns tracing on in an object that is going to be loaded.
func Enable(spec *ebpf.CollectionSpec) error {
	v := spec.Variables["p4_trace"]
	if v == nil {
		return errors.New("trace: the object has no tracing in it")
	}
	return v.Set(uint32(1))
}

// idle is how long packets are held back when no more come, as a bound.
const idle = 50 * time.Millisecond

// Reader reads the packets of a loaded pipeline.
type Reader struct {
	r    *perf.Reader
	boot time.Time
	name func(port uint16) string
}

// New reads from the map "traces" of a pipeline. name names ports, for the
// interface list of the capture; packets of a port without a name are left out.
// The caller closes the reader.
func New(traces *ebpf.Map, name func(port uint16) string) (*Reader, error) {
	r, err := perf.NewReader(traces, buffer)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return &Reader{r: r, boot: bootTime(), name: name}, nil
}

// bootTime is the wall clock's value at the zero of the kernel's monotonic
// clock.
func bootTime() time.Time {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return time.Unix(0, 0)
	}
	return time.Now().Add(-time.Duration(ts.Nano()))
}

// Copy writes packets to w as pcapng until Stop or Close, and returns how many
// it wrote and how many were lost because w was too slow. A packet's interface
// is "IN" or "OUT" and the name of the port. Packets are in the order of their
// times, whichever CPU saw them.
func (t *Reader) Copy(w io.Writer) (written, lost uint64, err error) {
	ng := pcapng.NewWriter(w, "p4ce")
	ids := map[side]int{}
	write := func(p packet) error {
		id, known := ids[p.side]
		if !known {
			dir := "IN "
			if p.out == 1 {
				dir = "OUT "
			}
			var err error
			id, err = ng.Interface(dir + t.name(p.port))
			if err != nil {
				return err
			}
			ids[p.side] = id
		}
		written++
		return ng.Packet(id, t.boot.Add(time.Duration(p.time)), p.frame)
	}
	o := order{write: write}
	for {
		t.r.SetDeadline(time.Now().Add(idle))
		rec, err := t.r.Read()
		switch {
		case errors.Is(err, perf.ErrClosed), errors.Is(err, perf.ErrFlushed):
			return written, lost, errors.Join(o.end(), ng.Flush())
		case errors.Is(err, os.ErrDeadlineExceeded):
			if err := errors.Join(o.round(), ng.Flush()); err != nil {
				return written, lost, err
			}
			continue
		case err != nil:
			return written, lost, fmt.Errorf("trace: %w", err)
		}
		lost += rec.LostSamples
		p, ok := parse(rec.RawSample)
		if !ok || t.name(p.port) == "" {
			continue
		}
		if err := o.add(p, rec.CPU, rec.Remaining); err != nil {
			return written, lost, err
		}
	}
}

// Stop ends Copy when it has written what has been recorded so far.
func (t *Reader) Stop() { _ = t.r.Flush() }

// Close ends Copy at once.
func (t *Reader) Close() error { return t.r.Close() }
