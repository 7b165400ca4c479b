// Command bench measures what the generated pipeline costs per packet, beside a
// plain redirect and beside the same logic written by hand in C, in one run on
// one CPU (BPF_PROG_TEST_RUN, so no device and no wire is in the figures).
//
//	go run ./bench/pipeline [-out DIR] [-rounds N] [-repeat N]
//
// It prints a table and writes DIR/pipeline.csv and DIR/pipeline.svg.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"
)

func main() {
	out := flag.String("out", "out/bench", "folder for the CSV and the plot")
	rounds := flag.Int("rounds", 7, "measurements of each case; the median counts")
	repeat := flag.Int("repeat", 2000000, "packets per measurement")
	flag.Parse()
	if err := run(*out, *rounds, *repeat); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measurement is one case: a program, what is in front of its packet, and the
// packet.
type measurement struct {
	name    string
	kind    string // "ingress" or "egress": which plain figure it is compared with
	prog    *ebpf.Program
	front   []byte
	packet  []byte
	verdict uint32
	ns      []float64
}

func (m *measurement) median() float64 {
	s := append([]float64(nil), m.ns...)
	sort.Float64s(s)
	return s[len(s)/2]
}

// xdpMd is struct xdp_md.
type xdpMd struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }

// runOnce runs the program once and returns the verdict, the metadata and the
// packet behind it.
func (m *measurement) runOnce() (uint32, []byte, []byte, error) {
	in := append(append([]byte(nil), m.front...), m.packet...)
	var after xdpMd
	opts := &ebpf.RunOptions{Data: in, DataOut: make([]byte, 4096),
		Context: xdpMd{Data: uint32(len(m.front)), DataEnd: uint32(len(in))}, ContextOut: &after}
	verdict, err := m.prog.Run(opts)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%s: %w", m.name, err)
	}
	if verdict != m.verdict {
		return 0, nil, nil, fmt.Errorf("%s: verdict %d, want %d", m.name, verdict, m.verdict)
	}
	return verdict, opts.DataOut[:after.Data], opts.DataOut[after.Data:], nil
}

// threadTime is the CPU time that this thread has used: what else runs on the
// machine does not count.
func threadTime() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0, fmt.Errorf("thread CPU time: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}

// sample runs the packet repeat times and notes the CPU time of one. The call is
// long enough for its own cost not to show.
func (m *measurement) sample(repeat int) error {
	in := append(append([]byte(nil), m.front...), m.packet...)
	opts := &ebpf.RunOptions{Data: in, Repeat: uint32(repeat),
		Context: xdpMd{Data: uint32(len(m.front)), DataEnd: uint32(len(in))}}
	start, err := threadTime()
	if err != nil {
		return err
	}
	verdict, err := m.prog.Run(opts)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	end, err := threadTime()
	if err != nil {
		return err
	}
	took := end - start
	if verdict != m.verdict {
		return fmt.Errorf("%s: verdict %d in repeated runs, want %d", m.name, verdict, m.verdict)
	}
	m.ns = append(m.ns, float64(took.Nanoseconds())/float64(repeat))
	return nil
}

const (
	xdpDrop     = 1
	xdpPass     = 2
	xdpRedirect = 4
)

func run(out string, rounds, repeat int) error {
	if os.Geteuid() != 0 {
		return errors.New("the XDP benchmarks need root")
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return err
	}
	// One CPU: the programs keep what they need for repeated runs per CPU.
	runtime.LockOSThread()
	var cpu unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpu); err != nil {
		return err
	}
	for i := range 1024 {
		if cpu.IsSet(i) {
			cpu.Zero()
			cpu.Set(i)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &cpu); err != nil {
		return err
	}
	cases, closer, err := setup()
	if err != nil {
		return err
	}
	defer closer()
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "\rround %d of %d", round+1, rounds)
		for _, m := range cases { // in turn: a drift of the machine's speed hits all
			if err := m.sample(repeat); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	if err := report(out, cases); err != nil {
		return err
	}
	return memory()
}
