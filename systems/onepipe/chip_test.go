package onepipe

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
)

// chip is p4/onepipe on a chip of several pipes, each with registers of its own. Every pipe has three links from below, of
// two groups, and one from above. A port has a queue for each pipe that packets come by: what comes by one pipe leaves in
// order, and nothing else is in order.
type chip struct {
	t      *testing.T
	r      *rand.Rand
	target *interp.Target
	links  []*chipLink
	outs   map[dataplane.Port]*chipLink
	queues [][]interp.Queued // of a link and a pipe
	pipes  int
	waits  int
	passed [2]int // messages that have left, by service
}

// chipLink is a link, and what is promised on it in each direction.
type chipLink struct {
	port     dataplane.Port
	above    bool
	time     uint64 // of what is beyond it, in ns
	commit   uint32
	promised [2]uint32
}

const chipStart = 1<<38 - 1<<20 // barriers come round in the middle

func newChip(t *testing.T, pipes int, seed uint64) *chip {
	defines := map[string]string{"PIPES": fmt.Sprint(pipes)}
	if seed%2 == 1 { // as for a Tofino
		defines["STAND_ALONE"] = "1"
	}
	prog, diags := lang.Compile(lang.Options{Path: p4.Source("onepipe"), FS: p4.FS, Defines: defines})
	require.NotNil(t, prog, "%v", diags)
	c := &chip{
		t: t, r: rand.New(rand.NewPCG(seed, 0)), pipes: pipes, outs: map[dataplane.Port]*chipLink{},
		target: interp.New(interp.Options{Pipes: pipes, Clock: func() uint64 { return 0 }}),
	}
	t.Cleanup(func() { _ = c.target.Close() })
	require.NoError(t, c.target.Load(&dataplane.Pipeline{Program: prog}))
	insert := func(table string, key uint64, action string, args ...uint64) {
		require.NoError(t, c.target.Insert(dataplane.NewEntry(prog, table, []uint64{key}, 0, action, args...)))
	}
	all := uint64(1)<<pipes - 1
	var replicas []dataplane.Replica
	for pipe := range pipes {
		for i, place := range []int{0, 1, 4, 8} {
			l := &chipLink{port: dataplane.Port(pipe<<7 + i + 1), above: i == 3, time: chipStart, commit: chipStart >> Shift}
			l.promised = [2]uint32{l.commit, l.commit}
			insert(names.TableInputs, uint64(l.port), "input", uint64(names.LinkSwitch), uint64(pipe*names.Radix+place/names.Radix), uint64(place%names.Radix))
			act := "down"
			if l.above {
				act = "up"
			}
			insert(names.TableOutputs, uint64(l.port), act, 0x020000000100+uint64(l.port), 0x0a000100+uint64(l.port), all, all)
			m := chipMAC(l.port)
			insert(names.TableL2, uint64(m[4])<<8|uint64(m[5])|2<<40, "forward", uint64(l.port))
			c.links, c.outs[l.port] = append(c.links, l), l
			replicas = append(replicas, dataplane.Replica{Port: l.port, Instance: 1})
		}
		for group, places := range []uint64{3, 1, 1} {
			insert(names.TableMembers, uint64(pipe*names.Radix+group), "counts", places, places, 7, 7)
		}
	}
	for _, reg := range prog.Registers {
		for i := range reg.Size {
			require.NoError(t, c.target.WriteRegister(reg, i, [][]byte{dataplane.Bytes(chipStart>>Shift, 32)}))
		}
	}
	require.NoError(t, c.target.SetGroup(uint16(names.OutputsGroup), replicas))
	c.queues = make([][]interp.Queued, len(c.links)*pipes)
	return c
}

func chipMAC(p dataplane.Port) wire.MAC { return wire.MAC{2, 0, 0, 0, byte(p >> 8), byte(p)} }

// arrive has a packet come by a link.
func (c *chip) arrive(l *chipLink, p packet, to wire.MAC) {
	p.barrier, p.commit = uint32(l.time>>Shift), l.commit
	copies, err := c.target.Enqueue(l.port, p.append(nil, chipMAC(l.port), to, wire.NotECT), 0)
	require.NoError(c.t, err)
	for _, q := range copies {
		for i, out := range c.links {
			if out.port == q.Port {
				at := i*c.pipes + int(l.port>>7)
				c.queues[at] = append(c.queues[at], q)
				c.waits++
			}
		}
	}
}

// leave has the first packet of a queue leave.
func (c *chip) leave(queue int) {
	q := c.queues[queue]
	if len(q) == 0 {
		return
	}
	c.queues[queue] = q[1:]
	c.waits--
	require.NoError(c.t, c.target.Dequeue(&q[0], 0, func(port dataplane.Port, frame []byte) {
		l := c.outs[port]
		var p packet
		require.NoError(c.t, p.parse(frame))
		if p.op == Data || p.op == Reliable {
			s := int(p.op - Data)
			c.passed[s]++
			require.GreaterOrEqual(c.t, int32(uint32(p.time>>Shift)-l.promised[s]), int32(0), "port %d: a message below the barrier that has left", port)
		}
		for s, b := range []uint32{p.barrier, p.commit} {
			if int32(b-l.promised[s]) > 0 {
				l.promised[s] = b
			}
		}
	}))
}

// tick lets what is beyond a link go on, and send something.
func (c *chip) tick() {
	l := c.links[c.r.IntN(len(c.links))]
	l.time += c.r.Uint64N(1 << 14)
	if now := uint32(l.time >> Shift); c.r.IntN(2) == 0 {
		l.commit += c.r.Uint32N(now - l.commit + 1)
	}
	p := packet{time: l.time + c.r.Uint64N(1<<13), count: 1, from: Process{Number: 1}, to: Process{Number: 1}}
	to := c.links[c.r.IntN(len(c.links))]
	switch p.op = Opcode(c.r.IntN(3)); {
	case p.op == Beacon || l.above && to.above: // what comes from above does not go there
		c.arrive(l, packet{}, wire.MAC{2})
		return
	case p.op == Reliable:
		p.time = uint64(l.commit)<<Shift + c.r.Uint64N(1<<13)
		p.time += (l.time - p.time) >> 38 << 38 // the commit barrier has come round
	}
	c.arrive(l, p, chipMAC(to.port))
}

// TestChipOfSeveralPipes: what leaves by a port keeps the promise, whichever pipe packets come by and however long each
// waits for its port; and when all have caught up, so has what each port promises.
func TestChipOfSeveralPipes(t *testing.T) {
	for _, pipes := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(pipes), func(t *testing.T) {
			seeds := 20
			if testing.Short() {
				seeds = 5
			}
			var passed [2]int
			for seed := range uint64(seeds) {
				c := newChip(t, pipes, seed)
				for range 1500 {
					c.tick()
					for c.r.IntN(c.waits+1) > 40 {
						c.leave(c.r.IntN(len(c.queues)))
					}
				}
				var end uint64
				for _, l := range c.links {
					end = max(end, l.time)
				}
				for _, l := range c.links {
					l.time, l.commit = end, uint32(end>>Shift)
					c.arrive(l, packet{}, wire.MAC{2})
				}
				for c.waits > 0 {
					c.leave(c.r.IntN(len(c.queues)))
				}
				for _, l := range c.links {
					want := uint32(end >> Shift)
					require.Equal(t, [2]uint32{want, want}, l.promised, "port %d, seed %d: all have said so", l.port, seed)
				}
				for s := range passed {
					passed[s] += c.passed[s]
				}
			}
			require.Greater(t, min(passed[0], passed[1]), seeds*300, "messages have passed")
		})
	}
}
