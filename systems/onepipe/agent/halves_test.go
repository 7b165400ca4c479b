package agent

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/link/hub"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// fast is an interpreter for the fast half, whose Delete may fail.
type fast struct {
	*interp.Target
	fails error
}

func (f *fast) Delete(e *dataplane.Entry) error {
	if f.fails != nil {
		return f.fails
	}
	return f.Target.Delete(e)
}

// rig is a switch with hosts at ports 1 and 2, which are open.
type rig struct {
	*halves.Target
	t    *testing.T
	fast *fast
	prog *builtin.IR
}

func newRig(t *testing.T) *rig {
	pipe, err := builtin.Pipeline(Beacons.Name)
	require.NoError(t, err)
	r := &rig{t: t, fast: &fast{Target: interp.New(interp.Options{})}, prog: pipe.Program}
	r.Target = halves.New(r.fast, interp.New(interp.Options{}), Beacons)
	t.Cleanup(func() { r.Close() })
	require.NoError(t, r.Load(pipe))
	require.NoError(t, r.Insert(dataplane.NewEntry(r.prog, names.TableMembers, []uint64{0}, 0, names.ActionCounts, 3, 3, 1, 1)))
	for port := uint64(1); port <= 2; port++ {
		require.NoError(t, r.Insert(r.input(port)))
		require.NoError(t, r.Insert(dataplane.NewEntry(r.prog, names.TableOutputs, []uint64{port}, 0, names.ActionDown, 0x020000000101, 0x0a000101, 0, 0)))
	}
	require.NoError(t, r.SetGroup(uint16(names.OutputsGroup), []dataplane.Replica{{Port: 1}, {Port: 2}}))
	return r
}

func (r *rig) input(port uint64) *dataplane.Entry {
	return dataplane.NewEntry(r.prog, names.TableInputs, []uint64{port}, 0, names.ActionInput, uint64(names.LinkHost), 0, port-1)
}

// beacon is what a host sends at a time.
func beacon(t *testing.T, at time.Duration) []byte {
	e, err := onepipe.New(onepipe.Config{Interval: at, Addr: wire.Addr{10, 0, 0, 1}, Resolve: func(wire.Addr) (wire.MAC, bool) { return wire.MAC{2}, true }})
	require.NoError(t, err)
	return e.Next(at, nil)
}

// punt has a frame come in by a port, and leaves what comes to the CPU to wait.
func (r *rig) punt(port dataplane.Port, frame []byte) {
	outs, err := r.fast.Inject(port, frame)
	require.NoError(r.t, err)
	require.Len(r.t, outs, 1)
	require.Equal(r.t, r.CPUPort(), outs[0].Port)
	taken, _ := r.Take(outs[0].Frame)
	require.True(r.t, taken)
}

// work has the CPU work, and returns how high the barriers are that it sends, by port.
func (r *rig) work() map[uint16]time.Duration {
	out := map[uint16]time.Duration{}
	r.Work(0, func(f []byte) error {
		port := binary.BigEndian.Uint16(f)
		require.NotContains(r.t, out, port, "one packet for a port")
		out[port] = time.Duration(binary.BigEndian.Uint32(f[4+wire.EthernetLen+wire.IPv4Len+wire.UDPLen+6:])) << onepipe.Shift
		return nil
	})
	return out
}

func (r *rig) heard(port int) uint32 {
	name := []string{names.RegisterBestEffortLink0, names.RegisterBestEffortLink1}[port-1]
	v, err := r.ReadRegister(dataplane.RegisterOf(r.prog, name), 0)
	require.NoError(r.t, err)
	return binary.BigEndian.Uint32(v[0])
}

// unit is enough time for a barrier to be another one.
const unit = 1 << onepipe.Shift

// What waits of a port is replaced by what comes after it, and what is sent by a port likewise.
func TestLatest(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.work())
	r.punt(1, beacon(t, 100*unit))
	r.punt(2, beacon(t, 50*unit))
	r.punt(1, beacon(t, 200*unit))
	require.Equal(t, map[uint16]time.Duration{1: 50 * unit, 2: 50 * unit}, r.work())
	require.Empty(t, r.work())
	r.punt(2, beacon(t, 300*unit))
	require.Equal(t, map[uint16]time.Duration{1: 200 * unit, 2: 200 * unit}, r.work())
}

// A link that is closed counts no more when the update has ended: not what still waits of it, either. (The controller reads
// what was heard of it after that.)
func TestFence(t *testing.T) {
	r := newRig(t)
	r.punt(1, beacon(t, 100*unit))
	r.work()
	require.EqualValues(t, 100, r.heard(1))
	r.punt(1, beacon(t, 200*unit))
	require.NoError(t, r.Delete(r.input(1)))
	require.Empty(t, r.work())
	require.EqualValues(t, 100, r.heard(1))
	outs, err := r.fast.Inject(1, beacon(t, 300*unit))
	require.NoError(t, err)
	require.Empty(t, outs, "nothing comes to the CPU any more")
}

// A link is closed in the data plane first: as long as messages pass, others wait for it.
func TestDataPlaneFirst(t *testing.T) {
	r := newRig(t)
	r.fast.fails = errors.New("busy")
	require.ErrorIs(t, r.Delete(r.input(1)), r.fast.fails)
	r.punt(1, beacon(t, 100*unit))
	r.work()
	require.EqualValues(t, 100, r.heard(1))
}

// What does not become an entry of both halves is one of neither.
func TestInsertFails(t *testing.T) {
	r := newRig(t)
	require.Error(t, r.Insert(r.input(1)), "it is there already")
	require.NoError(t, r.Delete(r.input(1)))
	require.NoError(t, r.Insert(r.input(1)))
}

func TestOtherProgram(t *testing.T) {
	r := newRig(t)
	pipe, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	require.ErrorIs(t, r.Load(pipe), dataplane.ErrUnsupported)
	r.punt(1, beacon(t, 100*unit)) // it still runs
	r.work()
	require.EqualValues(t, 100, r.heard(1))
}

// Beacons cost no memory.
func TestAllocations(t *testing.T) {
	r := newRig(t)
	outs, err := r.fast.Inject(1, beacon(t, time.Second))
	require.NoError(t, err)
	frame := outs[0].Frame
	send := func([]byte) error { return nil }
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.Take(frame)
		r.Work(0, send)
	}))
}

// Beacons go from wire to wire, whenever one comes or at an interval.
func TestServe(t *testing.T) {
	for _, interval := range []time.Duration{0, time.Millisecond} {
		r := newRig(t)
		r.Start(interval)
		r.SetEvents(dataplane.Events{})
		var ends []*hub.End
		for port := dataplane.Port(1); port <= 2; port++ {
			own, other := hub.Cable(16)
			require.NoError(t, r.fast.AddLink(port, "cable", own))
			ends = append(ends, other)
		}
		for _, e := range ends {
			e.Send(append(e.Buffer(), beacon(t, 100*unit)...))
			require.NoError(t, e.Flush())
		}
		for _, e := range ends {
			frames := make([][]byte, 1)
			n, err := e.Receive(frames)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			require.EqualValues(t, 100, binary.BigEndian.Uint32(frames[0][wire.EthernetLen+wire.IPv4Len+wire.UDPLen+6:]))
		}
	}
}
