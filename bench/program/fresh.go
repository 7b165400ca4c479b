package program

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/cpu"
)

//go:generate go run ../../cmd/p4xc object again/again.bpf.c -o again/again.bpf.o

//go:embed again/again.bpf.o
var againObject []byte

// Load loads an object.
func Load(object []byte) (*ebpf.Collection, error) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, err
	}
	return ebpf.NewCollection(spec)
}

// The most that a Plan may have.
const (
	maxPacket = 128 // bytes; at least 8
	maxFront  = 24
	maxTurns  = 4
	maxSteps  = 4
)

// Turn is one of the packets that a program gets in turn.
type Turn struct {
	Front   []byte // in front of the packet
	Packet  []byte
	Verdict uint32 // what the program says
}

// Step is a number in a packet that grows: (round >> Right & Mask) << Left is added to the 32 bits at At, in network byte order. At is
// even, counted from the checksum.
type Step struct{ At, Right, Mask, Left uint32 }

// Plan says which packets a program gets: the turns one after the other, and then the next round of them.
type Plan struct {
	Turns    []Turn // their packets are of one length, and so is what is in front of them
	Steps    []Step
	Checksum uint32 // where the Internet checksum of what is stepped is
	First    uint32 // number of the first round
}

// state is struct plan in again.bpf.c.
type state struct {
	Front, Length, Turns, Steps, Checksum, Turn, Round, Runs uint32
	Step                                                     [maxSteps]Step
	Packets                                                  [maxTurns]struct {
		Front [maxFront]byte
		Bytes [maxPacket]byte
	}
}

// Fresh is a program that gets its packets fresh in each of its test runs. Such a run finds the packet as the run before it has left
// it. So another program (again) writes it anew, and goes on in the program. What that costs by itself is measured, and subtracted.
type Fresh struct {
	run    *ebpf.Program // again, with the program behind it
	empty  *ebpf.Program // again, with nothing behind it
	plan   *ebpf.Map
	state  state
	turns  []Turn
	first  uint32 // of the next rounds
	before *Fresh
	batch  int
	all    []*ebpf.Collection
}

// NewFresh makes a program for test runs. The caller closes it.
func NewFresh(prog *ebpf.Program, p Plan) (*Fresh, error) {
	front, length := len(p.Turns[0].Front), len(p.Turns[0].Packet)
	f := &Fresh{turns: p.Turns, first: p.First,
		state: state{Front: uint32(front), Length: uint32(length), Turns: uint32(len(p.Turns)), Steps: uint32(len(p.Steps)), Checksum: p.Checksum}}
	bad := len(p.Turns) > maxTurns || len(p.Steps) > maxSteps || length < 8 || length > maxPacket || front != 16 && front != maxFront
	for i, t := range p.Turns {
		if bad || len(t.Front) != front || len(t.Packet) != length {
			return nil, errors.New("a plan for test runs of another form")
		}
		copy(f.state.Packets[i].Front[:], t.Front)
		copy(f.state.Packets[i].Bytes[:], t.Packet)
	}
	copy(f.state.Step[:], p.Steps)
	one := func(target *ebpf.Program) (*ebpf.Program, *ebpf.Map, error) {
		c, err := Load(againObject)
		if err != nil {
			return nil, nil, err
		}
		f.all = append(f.all, c)
		if target == nil {
			target = c.Programs["nothing"]
		}
		return c.Programs["again"], c.Maps["plans"], errors.Join(c.Maps["plans"].Put(uint32(0), &f.state), c.Maps["target"].Put(uint32(0), uint32(target.FD())))
	}
	var errs [2]error
	f.run, f.plan, errs[0] = one(prog)
	f.empty, _, errs[1] = one(nil)
	if err := errors.Join(errs[:]...); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// After has other packets come first, of the same rounds, which are not measured: batch rounds of them, and then as many rounds that are.
// Close does not close what comes before.
func (f *Fresh) After(before *Fresh, batch int) { f.before, f.batch = before, batch }

// Close frees what the program needs.
func (f *Fresh) Close() {
	for _, c := range f.all {
		c.Close()
	}
}

func (f *Fresh) options(runs int) *ebpf.RunOptions {
	in := append(make([]byte, f.state.Front), f.turns[0].Packet...)
	return &ebpf.RunOptions{Data: in, Repeat: uint32(runs), Context: XDP{Data: f.state.Front, DataEnd: uint32(len(in))}}
}

// parts is in how many parts a sample is taken, at least: the median of them is it. What else runs on the
// machine takes caches away for a while.
const parts = 9

// NS is the CPU time of a run of the program, without what making its packet takes.
func (f *Fresh) NS(runs int) (float64, error) {
	n := max(runs/parts, 1)
	if f.before != nil {
		n = min(n, f.batch*len(f.turns))
	}
	var v []float64
	for range (runs + n - 1) / n {
		empty, err := f.part(f.empty, n)
		if err != nil {
			return 0, err
		}
		full, err := f.part(f.run, n)
		if err != nil {
			return 0, err
		}
		v = append(v, float64((full-empty).Nanoseconds())/float64(n))
	}
	slices.Sort(v)
	return v[len(v)/2], nil
}

// part is the CPU time of so many runs, with others before.
func (f *Fresh) part(p *ebpf.Program, n int) (took time.Duration, err error) {
	rounds := uint32((n + len(f.turns) - 1) / len(f.turns))
	for {
		first, whole := f.first, true
		if p == f.run {
			f.first += rounds
			if f.before != nil {
				_, whole, err = f.before.time(f.before.run, first, int(rounds)*len(f.before.turns))
			}
		}
		if whole && err == nil {
			took, whole, err = f.time(p, first, n)
		}
		if whole || err != nil {
			return took, err
		}
		if p == f.run {
			f.first += rounds // some rounds that follow have been seen
		}
	}
}

// time is the CPU time of so many runs, from the first turn of a round on. The last one of the program must have come to what it should: a
// message that is refused costs less. Not whole: a signal has interrupted the runs, and part of them was done twice.
func (f *Fresh) time(p *ebpf.Program, first uint32, runs int) (took time.Duration, whole bool, err error) {
	if p == f.run {
		f.state.Round = first
		if err := f.plan.Put(uint32(0), &f.state); err != nil {
			return 0, false, err
		}
		f.state.Runs += uint32(runs) // numbers of packets only rise
	}
	whole = true
	o := f.options(runs)
	o.Reset = func() { whole = false }
	start, err := cpu.Thread()
	if err != nil {
		return 0, false, err
	}
	verdict, err := p.Run(o)
	if err != nil {
		return 0, false, err
	}
	end, err := cpu.Thread()
	if err != nil {
		return 0, false, err
	}
	if want := f.turns[(runs-1)%len(f.turns)].Verdict; p == f.run && whole && verdict != want {
		return 0, false, fmt.Errorf("verdict %d in repeated runs, want %d", verdict, want)
	}
	return end - start, whole, nil
}
