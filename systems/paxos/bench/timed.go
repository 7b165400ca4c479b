package bench

import (
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/program"
)

// timed is a program to be timed, with the packets that it gets in turn.
type timed struct {
	run    *ebpf.Program // again, with the program behind it
	empty  *ebpf.Program // again, with nothing behind it
	front  int
	packet []byte
	wants  []uint32 // verdicts, in turn
	plan   *ebpf.Map
	close  func()
}

// planState is struct plan in again.bpf.c.
type planState struct {
	Front, Turns, Step, Turn, Round, Runs uint32
	Packets                               [4]struct {
		Front [24]byte
		Bytes [frameSize + 2]byte
	}
}

// newTimed has a program run with packets, one after the other; all have the same length in
// front of them.
func newTimed(prog *ebpf.Program, fronts, packets [][]byte, wants []uint32, step bool) (*timed, error) {
	p := planState{Front: uint32(len(fronts[0])), Turns: uint32(len(packets))}
	if step {
		p.Step, p.Round = 1, 1 // the first instance has been seen
	}
	for i := range packets {
		copy(p.Packets[i].Front[:], fronts[i])
		copy(p.Packets[i].Bytes[:], packets[i])
	}
	t := &timed{front: len(fronts[0]), packet: packets[0], wants: wants}
	var all []*ebpf.Collection
	t.close = func() {
		for _, c := range all {
			c.Close()
		}
	}
	one := func(target *ebpf.Program) (*ebpf.Program, *ebpf.Map, error) {
		c, err := load(againObject)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, c)
		if target == nil {
			target = c.Programs["nothing"]
		}
		return c.Programs["again"], c.Maps["plans"], errors.Join(c.Maps["plans"].Put(uint32(0), &p), c.Maps["target"].Put(uint32(0), uint32(target.FD())))
	}
	var errs [2]error
	t.run, t.plan, errs[0] = one(prog)
	t.empty, _, errs[1] = one(nil)
	if err := errors.Join(errs[:]...); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *timed) options(runs int) *ebpf.RunOptions {
	in := append(make([]byte, t.front), t.packet...)
	return &ebpf.RunOptions{Data: in, Repeat: uint32(runs), Context: program.XDP{Data: uint32(t.front), DataEnd: uint32(len(in))}}
}

// parts is in how many parts a sample is taken: the median of them is it. What else runs on the
// machine takes caches away for a while.
const parts = 9

// ns is the CPU time of a run of the program, without what making its packet takes.
func (t *timed) ns(runs int) (float64, error) {
	n := max(runs/parts, 1)
	var v []float64
	for range parts {
		empty, err := t.time(t.empty, nil, n)
		if err != nil {
			return 0, err
		}
		full, err := t.time(t.run, t.plan, n)
		if err != nil {
			return 0, err
		}
		v = append(v, float64((full-empty).Nanoseconds())/float64(n))
	}
	sort.Float64s(v)
	return v[parts/2], nil
}

// time is the CPU time of so many runs. The last one of the program must have come to what it
// should: a message that is refused costs less.
func (t *timed) time(p *ebpf.Program, plan *ebpf.Map, runs int) (took time.Duration, err error) {
	var verdict uint32
	for again := true; again; {
		again = false
		o := t.options(runs)
		o.Reset = func() { again = true } // a signal has interrupted it: part of it was run once more
		start, err := cpu.Thread()
		if err != nil {
			return 0, err
		}
		if verdict, err = p.Run(o); err != nil {
			return 0, err
		}
		end, err := cpu.Thread()
		if err != nil {
			return 0, err
		}
		took = end - start
	}
	if p == t.empty {
		return took, nil
	}
	var now planState
	if err := plan.Lookup(uint32(0), &now); err != nil {
		return 0, err
	}
	turns := len(t.wants)
	if want := t.wants[(int(now.Turn)+turns-1)%turns]; verdict != want {
		return 0, fmt.Errorf("verdict %d in repeated runs, want %d", verdict, want)
	}
	return took, nil
}

// onCPU runs f on one of the CPUs that this process may use.
func onCPU(f func() error) error {
	cpus, err := cpu.Usable()
	if err != nil {
		return err
	}
	return cpu.On(cpus[0], f)
}
