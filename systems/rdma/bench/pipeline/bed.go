package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

// bed is a switch with hosts around it that send and take away packets in the kernel.
type bed struct {
	name   string
	lab    *lab.Lab
	around *ebpf.Collection // wire.bpf.c
	close  []func() error
}

// kind is how a bed's switch gets its packets: sinks take away what it makes of them.
type kind int

const (
	frames  kind = iota // XDP
	buffers             // the kernel's network stack
)

// newBed makes a lab of so many hosts. The switch is still to be set up.
func newBed(name string, hosts int, k kind) (w *bed, err error) {
	w = &bed{name: name}
	defer func() {
		if err != nil {
			w.Close()
			w, err = nil, fmt.Errorf("%s: %w", name, err)
		}
	}()
	if w.around, err = load(wireObject); err != nil {
		return w, err
	}
	w.closes(func() error { w.around.Close(); return nil })
	if w.lab, err = lab.New(hosts); err != nil {
		return w, err
	}
	w.closes(func() error { w.lab.Close(); return nil })
	for i, h := range w.lab.Hosts {
		err = w.lab.InHost(h, func() error {
			if k == buffers && i > 0 {
				return w.tc(lab.Interface, "tc_sink")
			}
			return w.xdp(lab.Interface, w.around.Programs["sink"])
		})
		if err != nil {
			return w, fmt.Errorf("%s: %w", h.Name, err)
		}
	}
	return w, nil
}

func (w *bed) closes(f func() error) { w.close = append(w.close, f) }

func (w *bed) Close() error {
	var errs []error
	for i := len(w.close) - 1; i >= 0; i-- {
		errs = append(errs, w.close[i]())
	}
	return errors.Join(errs...)
}

// xdp puts a program on an interface of the namespace that the caller is in.
func (w *bed) xdp(name string, p *ebpf.Program) error {
	ifi, err := net.InterfaceByName(name)
	if err != nil {
		return err
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: ifi.Index, Flags: link.XDPDriverMode})
	if err != nil {
		return fmt.Errorf("%s: attach in native mode: %w", name, err)
	}
	w.closes(l.Close)
	return nil
}

// tc puts a program on the ingress of an interface.
func (w *bed) tc(name, program string) error {
	ifi, err := net.InterfaceByName(name)
	if err != nil {
		return err
	}
	l, err := link.AttachTCX(link.TCXOptions{Program: w.around.Programs[program], Interface: ifi.Index, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		return fmt.Errorf("%s: attach in TC: %w", name, err)
	}
	w.closes(l.Close)
	return nil
}

// portIndexes are the interfaces of the switch's ports. The caller is in the switch.
func (w *bed) portIndexes() (map[string]int, error) {
	out := map[string]int{}
	for _, h := range w.lab.Hosts {
		ifi, err := net.InterfaceByName(h.PortInterface())
		if err != nil {
			return nil, err
		}
		out[h.PortInterface()] = ifi.Index
	}
	return out, nil
}

// source is a host that sends, and what: packets for a power of two of groups, from that
// of the packet on.
type source struct {
	bed    *bed
	host   int
	copies int // of each packet, that are to arrive
	groups int
	packet func(group int) []byte
	ack    bool
	next   uint32 // packets sent before: requests go on behind them
}

// Of struct packet in wire.bpf.c.
const (
	icrcAt    = 58 // of an ACK
	tableSize = 64
	maxFrame  = 240
	minFrame  = 72
)

// put gives the generator of a CPU its packet.
func (s *source) put(cpu int) error {
	frame := s.frame(0)
	b := binary.NativeEndian.AppendUint32(nil, uint32(len(frame)))
	b = binary.NativeEndian.AppendUint32(b, uint32(s.groups))
	b = binary.NativeEndian.AppendUint32(b, s.next)
	ack := uint32(0)
	if s.ack {
		ack = 1
	}
	b = binary.NativeEndian.AppendUint32(b, ack)
	for _, step := range []int{1, tableSize} {
		for i := range tableSize {
			var x [4]byte
			if s.ack {
				other := s.packet(i * step % maxGroups)
				for k := range x {
					x[k] = frame[icrcAt+k] ^ other[icrcAt+k]
				}
			}
			b = append(b, x[:]...)
		}
	}
	b = append(b, frame...)
	b = append(b, make([]byte, maxFrame-len(frame))...)
	return s.bed.around.Maps["sent"].Put(uint32(cpu), b)
}

// frame is at least as long as the generator counts on, as on Ethernet.
func (s *source) frame(group int) []byte {
	f := s.packet(group)
	return append(f, make([]byte, max(0, minFrame-len(f)))...)
}

// liveFrames is BPF_F_TEST_XDP_LIVE_FRAMES: what the program says is done.
const liveFrames = 1 << 1

// taken is the CPU time that a run of a source took, and how often something else took its
// CPU away.
type taken struct {
	cpu      time.Duration
	switches int64
	err      error
}

// send sends packets from a CPU, once ready says so. What the kernel does with them it does
// on the same CPU, in the thread that sends or, when something else wants the CPU, in the
// kernel's own for that.
func (s *source) send(core, packets int, ready *sync.WaitGroup) (t taken) {
	w := s.bed
	t.err = w.lab.InHost(w.lab.Hosts[s.host], func() error {
		return cpu.On(core, func() error { // within: it has a thread of its own
			ifi, err := net.InterfaceByName(lab.Interface)
			if err != nil {
				return err
			}
			frame := s.frame(0)
			opts := &ebpf.RunOptions{Data: frame, Repeat: uint32(packets), Flags: liveFrames, Context: program.XDP{DataEnd: uint32(len(frame)), Ingress: uint32(ifi.Index)}}
			ready.Done()
			ready.Wait()
			before, switches, err := cpuTime(core)
			if err != nil {
				return err
			}
			if _, err := w.around.Programs["generate"].Run(opts); err != nil {
				return fmt.Errorf("%s: send: %w", w.name, err)
			}
			s.next += uint32(packets)
			after, more, err := cpuTime(core)
			t.cpu, t.switches = after-before, more-switches
			return err
		})
	})
	return t
}

// sunk is how many packets have been taken away.
func (w *bed) sunk() (n uint64, err error) {
	var per []uint64
	if err := w.around.Maps["sunk"].Lookup(uint32(0), &per); err != nil {
		return 0, err
	}
	for _, v := range per {
		n += v
	}
	return n, nil
}

// patience is how long a packet may wait for the kernel's thread for packets, on a busy CPU.
const patience = 200 * time.Millisecond

// sinks is sunk, when it has reached a number, or will not. late is whether some packets still waited when all were sent: the CPU time that they
// take is not in what was measured.
func (w *bed) sinks(least uint64) (n uint64, late bool, err error) {
	for end := time.Now().Add(patience); ; late = true {
		if n, err = w.sunk(); err != nil || n >= least || time.Now().After(end) {
			return n, late, err
		}
		time.Sleep(time.Millisecond)
	}
}

// cpuTime is the CPU time of this thread and of the kernel's thread for packets on a CPU,
// and how often the first has lost the CPU when it did not wait for anything.
func cpuTime(n int) (used time.Duration, switches int64, err error) {
	own, err := cpu.Thread()
	if err != nil {
		return 0, 0, err
	}
	pid, err := softirqThread(n)
	if err != nil {
		return 0, 0, err
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("CPU time of ksoftirqd/%d: %w", n, err)
	}
	var ns int64
	if _, err := fmt.Sscan(string(b), &ns); err != nil {
		return 0, 0, fmt.Errorf("CPU time of ksoftirqd/%d: %w", n, err)
	}
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0, 0, err
	}
	return own + time.Duration(ns), int64(u.Nivcsw), nil
}

// softirqThread finds ksoftirqd/CPU.
func softirqThread(cpu int) (int, error) {
	softirqThreads.Lock()
	defer softirqThreads.Unlock()
	if pid, ok := softirqThreads.pid[cpu]; ok {
		return pid, nil
	}
	dirs, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return 0, err
	}
	for _, d := range dirs {
		b, err := os.ReadFile(d)
		if err != nil || strings.TrimSpace(string(b)) != fmt.Sprintf("ksoftirqd/%d", cpu) {
			continue // another, or it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(d)))
		if err == nil {
			softirqThreads.pid[cpu] = pid
		}
		return pid, err
	}
	return 0, fmt.Errorf("there is no process ksoftirqd/%d: is /proc that of another PID namespace?", cpu)
}

var softirqThreads = struct {
	sync.Mutex
	pid map[int]int
}{pid: map[int]int{}}

// arrived is the part of a sample's packets that must arrive: those that are lost cost less.
const arrived = 0.999

// attempts at a sample in which the CPUs do nothing else. Samples are short, so that there
// are such, even on a machine that is not idle.
const attempts = 10

// sample sends packets from sources of a bed, each on a CPU of its own, and returns the ns
// of CPU time that a packet took, divided by the CPUs. clean is whether the CPUs did nothing
// else meanwhile.
func sample(sources []*source, cpus []int, packets int) (ns float64, clean bool, err error) {
	bed := sources[0].bed
	var want, most uint64
	for _, s := range sources {
		want += uint64(s.copies * packets)
	}
	least := int64(-1)
	for range attempts {
		for i, s := range sources {
			if err := s.put(cpus[i]); err != nil {
				return 0, false, err
			}
		}
		before, err := bed.sunk()
		if err != nil {
			return 0, false, err
		}
		runs := make([]taken, len(sources))
		var ready, done sync.WaitGroup
		ready.Add(len(sources))
		for i, s := range sources {
			done.Add(1)
			go func() {
				defer done.Done()
				runs[i] = s.send(cpus[i], packets, &ready)
			}()
		}
		done.Wait()
		took, switches := time.Duration(0), int64(0)
		for _, t := range runs {
			if t.err != nil {
				return 0, false, t.err
			}
			took, switches = max(took, t.cpu), switches+t.switches
		}
		after, late, err := bed.sinks(before + uint64(arrived*float64(want)))
		if err != nil {
			return 0, false, err
		}
		if late {
			switches++
		}
		most = max(most, after-before)
		if float64(after-before) < arrived*float64(want) {
			continue
		}
		if least < 0 || switches < least {
			least, ns = switches, float64(took.Nanoseconds())/float64(packets*len(sources))
		}
		if least == 0 {
			return ns, true, nil
		}
	}
	if least < 0 {
		return 0, false, fmt.Errorf("%s: of %d packets and their copies, for %d groups, from host %d, at most %d arrive", bed.name, want, sources[0].groups, sources[0].host, most)
	}
	return ns, false, nil
}

// groupsFrom are groups in a row, all of them with the same hosts.
func groupsFrom(n, replicas int) (out []*world.Group) {
	for i := range n {
		out = append(out, newGroup(i, replicas, 0, 1))
	}
	return out
}
