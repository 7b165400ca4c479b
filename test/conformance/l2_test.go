package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// l2Switch is the program l2 on a target, with the digests that it has reported.
type l2Switch struct {
	testbed.Target
	digests []string
}

func newL2(t *testing.T, kind string, prog *ir.Program) *l2Switch {
	t.Helper()
	object, err := bpf.Object("l2")
	require.NoError(t, err)
	target, err := testbed.New(kind, 64)
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: prog, Object: object}))
	s := &l2Switch{Target: target}
	s.SetEvents(dataplane.Events{Digest: func(d dataplane.Digest) {
		s.digests = append(s.digests, fmt.Sprintf("%s %x", d.Digest.Name, d.Fields))
	}})
	return s
}

// l2Model is what the switch is to do, with the tables as maps.
type l2Model struct {
	source, destination map[uint64]dataplane.Port
	ports               []dataplane.Port // of the group; several copies to a port may be among them
}

// step is where a frame goes, in the order of the copies, and whether its source is reported.
func (m *l2Model) step(in dataplane.Port, dst, src uint64) (out []dataplane.Port, learn bool) {
	switch {
	case src>>40&1 == 1:
		return nil, false
	case dst>>4 == 0x0180c200000:
		return []dataplane.Port{64}, false
	}
	at, known := m.source[src]
	learn = !known || at != in
	if to, ok := m.destination[dst]; ok {
		out = []dataplane.Port{to}
	} else {
		out = m.ports
	}
	return slices.DeleteFunc(slices.Clone(out), func(p dataplane.Port) bool { return p == in }), learn
}

// TestL2 gives both targets, and a model of twenty lines, the same tables and frames: they
// agree on copies, bytes, digests and counters.
func TestL2(t *testing.T) {
	prog, diags := lang.Compile(lang.Options{Path: p4.Source("l2"), FS: p4.FS})
	require.NoError(t, diags.Err())
	t.Run("interp", func(t *testing.T) { l2(t, prog, newL2(t, "interp", prog)) })
	t.Run("both", func(t *testing.T) {
		needs.Root(t, "XDP")
		l2(t, prog, newL2(t, "interp", prog), newL2(t, "xdp", prog))
	})
}

func l2(t *testing.T, prog *ir.Program, switches ...*l2Switch) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	m := &l2Model{source: map[uint64]dataplane.Port{}, destination: map[uint64]dataplane.Port{}, ports: []dataplane.Port{1, 2, 3, 4, 4}}
	addresses := []uint64{0xffffffffffff, 0x0180c2000000, 0x0180c200000f, 0x0180c2000010, 0x01005e000001}
	for i := range 12 {
		addresses = append(addresses, 0x020000000000+uint64(i))
	}
	each := func(f func(s *l2Switch) error) {
		for _, s := range switches {
			require.NoError(t, f(s), s.Kind())
		}
	}
	each(func(s *l2Switch) error {
		g := []dataplane.Replica{}
		for i, p := range m.ports {
			g = append(g, dataplane.Replica{Port: p, Instance: uint16(i)})
		}
		return s.SetGroup(1, g)
	})
	// write puts an address on a port, moves it, or takes it away.
	write := func(table, action string, entries map[uint64]dataplane.Port) {
		mac, port := addresses[r.IntN(len(addresses))], dataplane.Port(1+r.IntN(5))
		e := dataplane.NewEntry(prog, table, []uint64{mac}, 0, action, uint64(port))
		_, there := entries[mac]
		switch {
		case !there:
			each(func(s *l2Switch) error { return s.Insert(e) })
			entries[mac] = port
		case r.IntN(2) == 0:
			each(func(s *l2Switch) error { return s.Modify(e) })
			entries[mac] = port
		default:
			each(func(s *l2Switch) error { return s.Delete(e) })
			delete(entries, mac)
		}
	}
	for range 3000 {
		switch r.IntN(8) {
		case 0:
			write("source", "known", m.source)
			continue
		case 1:
			write("destination", "forward", m.destination)
			continue
		}
		in := dataplane.Port(1 + r.IntN(5))
		dst, src := addresses[r.IntN(len(addresses))], addresses[r.IntN(len(addresses))]
		frame := dataplane.Bytes(dst, 48)
		frame = append(frame, dataplane.Bytes(src, 48)...)
		for range 2 + r.IntN(100) {
			frame = append(frame, byte(r.Uint32()))
		}
		ports, learn := m.step(in, dst, src)
		var want []dataplane.Out
		for _, p := range ports {
			out := frame
			if p == 64 {
				out = append([]byte{byte(in >> 8), byte(in), 0, 1}, frame...)
			}
			want = append(want, dataplane.Out{Port: p, Frame: out})
		}
		var digests []string
		if learn {
			digests = []string{fmt.Sprintf("pipe.IngressDeparser.learn_digest [%012x %04x]", src, in)}
		}
		for _, s := range switches {
			s.digests = nil
			out, err := s.Inject(in, frame)
			require.NoError(t, err)
			require.Equal(t, want, out, "%s: port %d, %012x -> %012x", s.Kind(), in, src, dst)
			require.Equal(t, digests, s.digests, "%s: port %d, %012x -> %012x", s.Kind(), in, src, dst)
		}
	}
	for _, c := range prog.Counters {
		for i := range c.Size {
			want, err := switches[0].ReadCounter(c, i)
			require.NoError(t, err)
			for _, s := range switches[1:] {
				got, err := s.ReadCounter(c, i)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s[%d]", c.Name, i)
			}
		}
	}
}
