package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
)

// loopback stands for the interface of a port that exists in packet tests
// only: nothing is sent to it, but a devmap wants an interface.
const loopback = 1

// toPort is P4_TO_PORT in p4xdp_forward.h.
const toPort = 2

// XDP verdicts (linux/bpf.h).
const (
	xdpPass     = 2
	xdpRedirect = 4
)

// injector runs test packets on one CPU, because copies are counted per CPU.
type injector struct {
	jobs chan func()
	once sync.Once
}

func newInjector() *injector {
	i := &injector{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		var set unix.CPUSet
		if unix.SchedGetaffinity(0, &set) == nil {
			for cpu, word := range set {
				if word != 0 {
					first := cpu*bits.UintSize + bits.TrailingZeros64(uint64(word))
					set.Zero()
					set.Set(first)
					_ = unix.SchedSetaffinity(0, &set)
					break
				}
			}
		}
		for f := range i.jobs {
			f()
		}
	}()
	return i
}

func (i *injector) close() { i.once.Do(func() { close(i.jobs) }) }

// Inject implements dataplane.Injector: it runs the ingress program, stands in
// for the kernel's replication, and runs the egress program for every copy, all
// with BPF_PROG_TEST_RUN. Digests are reported before it returns. The target must have been made with PacketTest.
func (t *Target) Inject(p dataplane.Port, frame []byte) ([]dataplane.Out, error) {
	return t.InjectAt(p, frame, 0)
}

// InjectAt is Inject with the time in ns that the program sees (0: the clock).
func (t *Target) InjectAt(p dataplane.Port, frame []byte, now uint64) ([]dataplane.Out, error) {
	if t.inject == nil {
		return nil, fmt.Errorf("inject: this target was not made for packet tests: %w", dataplane.ErrUnsupported)
	}
	pl, err := t.running()
	if err != nil {
		return nil, err
	}
	if len(frame) < 14 {
		return nil, fmt.Errorf("inject: frame of %d bytes (the kernel takes at least an Ethernet header, 14)", len(frame))
	}
	var out []dataplane.Out
	done := make(chan struct{})
	t.inject.jobs <- func() {
		defer close(done)
		out, err = t.injectOne(pl, p, frame, now)
		if pl.digests != nil {
			err = errors.Join(err, pl.digests.drain())
		}
	}
	<-done
	return out, err
}

// xdpMd is struct xdp_md.
type xdpMd struct {
	Data, DataEnd, DataMeta                     uint32
	IngressIfindex, RxQueueIndex, EgressIfindex uint32
}

// testRun runs a program over a packet with metadata in front of it, and
// returns the verdict, the metadata and the packet.
func testRun(prog *ebpf.Program, meta, frame []byte) (uint32, []byte, []byte, error) {
	in := append(append(make([]byte, 0, len(meta)+len(frame)), meta...), frame...)
	var after xdpMd
	opts := &ebpf.RunOptions{
		Data:       in,
		DataOut:    make([]byte, 4096),
		Context:    xdpMd{Data: uint32(len(meta)), DataEnd: uint32(len(in))},
		ContextOut: &after,
	}
	verdict, err := prog.Run(opts)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("test run of %s: %w", prog, err)
	}
	if int(after.Data) > len(opts.DataOut) {
		return 0, nil, nil, fmt.Errorf("test run of %s: metadata of %d bytes", prog, after.Data)
	}
	return verdict, opts.DataOut[:after.Data], opts.DataOut[after.Data:], nil
}

func (t *Target) injectOne(pl *pipeline, p dataplane.Port, frame []byte, now uint64) ([]dataplane.Out, error) {
	test := make([]byte, 16) // struct p4_test
	if now == 0 {
		now = monotonic()
	}
	binary.NativeEndian.PutUint64(test, now-1) // the program adds one per run
	binary.NativeEndian.PutUint16(test[8:], uint16(p))
	verdict, meta, packet, err := testRun(pl.coll.Programs["test_ingress"], test, frame)
	if err != nil {
		return nil, err
	}
	if verdict != xdpRedirect || len(meta) != pl.desc.MetaSize() {
		return nil, nil
	}
	group := binary.NativeEndian.Uint16(meta[8:])
	unicast := binary.NativeEndian.Uint16(meta[10:])
	flags := binary.NativeEndian.Uint16(meta[12:])
	copies := []copyKey{{Port: unicast}}
	if group != 0 {
		if flags&toPort == 0 {
			copies = nil
		}
		t.mu.Lock()
		if g := pl.groups[group]; g != nil {
			copies = append(copies, g.copies...)
		}
		t.mu.Unlock()
	}
	var out []dataplane.Out
	for _, c := range copies {
		port := dataplane.Port(c.Port)
		m := append([]byte(nil), meta...)
		binary.NativeEndian.PutUint16(m[8:], c.Group)
		binary.NativeEndian.PutUint16(m[10:], c.Port)
		binary.NativeEndian.PutUint16(m[12:], flags&^toPort)
		m = binary.NativeEndian.AppendUint64(m, now) // struct p4_test_copy
		verdict, _, copied, err := testRun(pl.coll.Programs["test_egress"], m, packet)
		if err != nil {
			return nil, err
		}
		if verdict == xdpPass {
			out = append(out, dataplane.Out{Port: port, Frame: append([]byte(nil), copied...)})
		}
	}
	return out, nil
}
