package interp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// world is rdma.p4 with an L2 entry, a multicast group and a register that can
// be changed by hand.
type world struct {
	*Target
	l2  *ir.Table
	reg *ir.Register
}

func newWorld(t testing.TB) world {
	prog := compileRDMA(t)
	w := world{Target: New(Options{}), l2: rdmaTable(t, prog, "pipe.Ingress.forward.l2"), reg: prog.Registers[0]}
	t.Cleanup(func() { w.Close() })
	require.NoError(t, w.Load(&dataplane.Pipeline{Program: prog}))
	return w
}

func (w world) entry(mac string, port uint64) *dataplane.Entry {
	return &dataplane.Entry{Table: w.l2, Matches: []dataplane.Match{{Value: unhex(mac)}},
		Action: dataplane.Action{Action: w.l2.Actions[0].Action, Args: [][]byte{be(9, port)}}}
}

func (w world) snapshot(t testing.TB) *State {
	s, err := w.Snapshot()
	require.NoError(t, err)
	return s
}

// fields makes a register element whose every field is v.
func (w world) fields(v byte) [][]byte {
	var out [][]byte
	for _, f := range w.reg.Fields {
		b := make([]byte, f.Type.Bytes())
		b[len(b)-1] = v
		out = append(out, b)
	}
	return out
}

// TestStateSeesEveryChange: whatever the control plane can change makes another
// state, going back makes the first one again, and so does undoing the change.
func TestStateSeesEveryChange(t *testing.T) {
	changes := []struct {
		name     string
		do, undo func(w world) error
	}{
		{"an entry", func(w world) error { return w.Insert(w.entry("020000000002", 2)) },
			func(w world) error { return w.Delete(w.entry("020000000002", 2)) }},
		{"another action", func(w world) error { return w.Modify(w.entry("020000000001", 3)) },
			func(w world) error { return w.Modify(w.entry("020000000001", 1)) }},
		{"an entry less", func(w world) error { return w.Delete(w.entry("020000000001", 1)) },
			func(w world) error { return w.Insert(w.entry("020000000001", 1)) }},
		{"a default action", func(w world) error { a := w.entry("020000000001", 9).Action; return w.SetDefault(w.l2, &a) },
			func(w world) error { return w.SetDefault(w.l2, nil) }},
		{"a register", func(w world) error { return w.WriteRegister(w.reg, 5, w.fields(1)) },
			func(w world) error { return w.WriteRegister(w.reg, 5, w.fields(0)) }},
		{"a group", func(w world) error { return w.SetGroup(7, []dataplane.Replica{{Port: 1, Instance: 2}}) },
			func(w world) error { return w.DeleteGroup(7) }},
		{"a group's replicas", func(w world) error { return w.SetGroup(8, []dataplane.Replica{{Port: 2, Instance: 1}}) },
			func(w world) error { return w.SetGroup(8, []dataplane.Replica{{Port: 1, Instance: 1}}) }},
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			require.NoError(t, w.Insert(w.entry("020000000001", 1)))
			require.NoError(t, w.SetGroup(8, []dataplane.Replica{{Port: 1, Instance: 1}}))
			require.NoError(t, w.WriteRegister(w.reg, 5, w.fields(0)))
			first := w.snapshot(t)
			canon := first.Append(nil)

			require.NoError(t, c.do(w))
			changed := w.snapshot(t)
			require.False(t, changed.Equal(first))
			require.NotEqual(t, canon, changed.Append(nil))
			require.Equal(t, canon, first.Append(nil), "a state does not change with the target")

			require.NoError(t, w.Restore(first))
			require.True(t, w.snapshot(t).Equal(first))
			require.NoError(t, c.do(w), "the change can be made again")
			require.Equal(t, changed.Append(nil), w.snapshot(t).Append(nil))
			require.True(t, w.snapshot(t).Equal(changed))

			require.NoError(t, c.undo(w))
			require.True(t, w.snapshot(t).Equal(first), "undone")
			require.Equal(t, canon, w.snapshot(t).Append(nil))
		})
	}
}

// TestStep: the same packet in the same state does the same, and in another
// state something else.
func TestStep(t *testing.T) {
	w := newWorld(t)
	frame := unhex("020000000002 020000000001 1234")
	empty := w.snapshot(t)
	require.NoError(t, w.Insert(w.entry("020000000002", 2)))
	known := w.snapshot(t)

	for range 2 {
		next, did, err := w.Step(empty, 1, frame, 0)
		require.NoError(t, err)
		require.Equal(t, []dataplane.Out{{Port: 64, Frame: append(unhex("00010002"), frame...)}}, did.Outs)
		require.True(t, next.Equal(empty), "no register is touched")

		next, did, err = w.Step(known, 1, frame, 0)
		require.NoError(t, err)
		require.Equal(t, []dataplane.Out{{Port: 2, Frame: frame}}, did.Outs)
		require.True(t, next.Equal(known))
	}
	_, did, err := w.Step(empty, 1, unhex("0200"), 0)
	require.NoError(t, err)
	require.Equal(t, []string{dataplane.DropIngress}, did.Drops)
}

// TestStateOfAnother: a state is good for its own program and target only.
func TestStateOfAnother(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	require.ErrorContains(t, a.Restore(b.snapshot(t)), "another target")
	old := a.snapshot(t)
	require.NoError(t, a.Load(&dataplane.Pipeline{Program: compileRDMA(t)}))
	require.ErrorContains(t, a.Restore(old), "loaded before")
	_, _, err := a.Step(old, 1, nil, 0)
	require.Error(t, err)
	none := New(Options{})
	defer none.Close()
	_, err = none.Snapshot()
	require.ErrorIs(t, err, dataplane.ErrNoPipeline)
}

// BenchmarkStep is one packet of an explorer: restore, run, take the state.
func BenchmarkStep(b *testing.B) {
	w := newWorld(b)
	require.NoError(b, w.Insert(w.entry("020000000002", 2)))
	s := w.snapshot(b)
	frame := unhex("020000000002 020000000001 1234")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := w.Step(s, 1, frame, 0); err != nil {
			b.Fatal(err)
		}
	}
}
