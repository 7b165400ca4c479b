// Package trace records the packets that a running XDP pipeline takes in and
// sends out, as pcapng. It hooks the pipeline's own programs (fentry, fexit):
// nothing in the pipeline changes, and it costs nothing when it is not used.
// AF_PACKET tools such as tcpdump cannot do this: redirected packets pass them by.
package trace

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/perf"
	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"golang.org/x/sys/unix"
)

//go:generate go run ../../cmd/p4xc object trace.bpf.c -o trace.bpf.o

//go:embed trace.bpf.o
var object []byte

// headerSize is the size of struct trace_event.
const headerSize = 24

// Tracer is attached to a pipeline. Close detaches it.
type Tracer struct {
	coll  *ebpf.Collection
	links []link.Link
	r     *perf.Reader
	boot  time.Time // when the kernel's clock was zero
	ports map[int]string
}

// Attach hooks the ingress and egress programs of a pipeline. ports names the
// interfaces by index, for the interface list of the capture.
func Attach(ingress, egress *ebpf.Program, ports map[int]string) (*Tracer, error) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	spec.Programs["trace_in"].AttachTarget, spec.Programs["trace_in"].AttachTo = ingress, "ingress"
	spec.Programs["trace_out"].AttachTarget, spec.Programs["trace_out"].AttachTo = egress, "egress"
	t := &Tracer{ports: ports, boot: bootTime()}
	ok := false
	defer func() {
		if !ok {
			t.Close()
		}
	}()
	if t.coll, err = ebpf.NewCollection(spec); err != nil {
		return nil, fmt.Errorf("trace: load (needs Linux 5.7 with CONFIG_DEBUG_INFO_BTF): %w", err)
	}
	if t.r, err = perf.NewReader(t.coll.Maps["events"], 1<<20); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	for _, name := range []string{"trace_in", "trace_out"} {
		l, err := link.AttachTracing(link.TracingOptions{Program: t.coll.Programs[name]})
		if err != nil {
			return nil, fmt.Errorf("trace: attach %s: %w", name, err)
		}
		t.links = append(t.links, l)
	}
	ok = true
	return t, nil
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

// Copy writes packets to w as pcapng until the tracer is closed, and returns
// how many it wrote and how many were lost because w was too slow. A packet's
// interface is "IN-port" or "OUT-port".
func (t *Tracer) Copy(w io.Writer) (written, lost uint64, err error) {
	first := pcapgo.NgInterface{Name: "p4ce", LinkType: layers.LinkTypeEthernet, SnapLength: 0}
	ng, err := pcapgo.NewNgWriterInterface(w, first, pcapgo.NgWriterOptions{
		SectionInfo: pcapgo.NgSectionInfo{Application: "p4ce trace"},
	})
	if err != nil {
		return 0, 0, err
	}
	type side struct{ ifindex, out int }
	ids := map[side]int{}
	for {
		rec, err := t.r.Read()
		switch {
		case errors.Is(err, perf.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			return written, lost, ng.Flush()
		case err != nil:
			return written, lost, fmt.Errorf("trace: %w", err)
		}
		lost += rec.LostSamples
		if len(rec.RawSample) < headerSize {
			continue
		}
		b := rec.RawSample
		at := t.boot.Add(time.Duration(binary.NativeEndian.Uint64(b)))
		s := side{int(binary.NativeEndian.Uint32(b[8:])), int(binary.NativeEndian.Uint32(b[16:]))}
		n := min(int(binary.NativeEndian.Uint32(b[12:])), len(b)-headerSize)
		id, known := ids[s]
		if !known {
			name := t.ports[s.ifindex]
			if name == "" {
				name = fmt.Sprintf("interface %d", s.ifindex)
			}
			dir := "IN-"
			if s.out == 1 {
				dir = "OUT-"
			}
			id, err = ng.AddInterface(pcapgo.NgInterface{Name: dir + name, LinkType: layers.LinkTypeEthernet})
			if err != nil {
				return written, lost, err
			}
			ids[s] = id
		}
		ci := gopacket.CaptureInfo{Timestamp: at, CaptureLength: n, Length: n, InterfaceIndex: id}
		if err := ng.WritePacket(ci, b[headerSize:headerSize+n]); err != nil {
			return written, lost, err
		}
		written++
	}
}

// Stop ends Copy after what has been recorded so far.
func (t *Tracer) Stop() {
	for _, l := range t.links {
		l.Close()
	}
	t.links = nil
	t.r.SetDeadline(time.Now().Add(50 * time.Millisecond))
}

// Close detaches the tracer and ends Copy.
func (t *Tracer) Close() error {
	var errs []error
	for _, l := range t.links {
		errs = append(errs, l.Close())
	}
	if t.r != nil {
		errs = append(errs, t.r.Close())
	}
	if t.coll != nil {
		t.coll.Close()
	}
	return errors.Join(errs...)
}
