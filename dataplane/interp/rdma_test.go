package interp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

func compileRDMA(tb testing.TB) *ir.Program {
	prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", FS: p4.FS})
	require.False(tb, diags.HasErrors(), "%v", diags.Items)
	return prog
}

// rdmaObject finds an object of the program by the end of its name.
func rdmaTable(tb testing.TB, p *ir.Program, name string) *ir.Table {
	for _, t := range p.Tables {
		if t.Name == name {
			return t
		}
	}
	tb.Fatalf("table %s is not in the program", name)
	return nil
}

// TestRDMAUnknownTraffic: the program loads, and what it does not know goes to
// the controller with a packet_in header.
func TestRDMAUnknownTraffic(t *testing.T) {
	prog := compileRDMA(t)
	tg := load(t, prog)
	arp := "ffffffffffff 020000000001 0806 0001080006040001 020000000001 0a000001 000000000000 0a0000fe"
	require.Equal(t, []string{"64:00010001" + "ffffffffffff0200000000010806" + "0001080006040001" + "0200000000010a000001" + "0000000000000a0000fe"},
		inject(t, tg, 1, arp), "port 1, reason ARP")
	// A packet-out goes where it says, without the header.
	require.Equal(t, []string{"3:" + "ffffffffffff0200000000010806"}, inject(t, tg, 64, "00030000 ffffffffffff 020000000001 0806"))
}

func BenchmarkRDMAForward(b *testing.B) {
	prog := compileRDMA(b)
	tg := New(Options{})
	defer tg.Close()
	require.NoError(b, tg.Load(&dataplane.Pipeline{Program: prog}))
	l2 := rdmaTable(b, prog, "pipe.Ingress.forward.l2")
	require.NoError(b, tg.Insert(&dataplane.Entry{Table: l2, Matches: []dataplane.Match{{Value: unhex("020000000002")}},
		Action: dataplane.Action{Action: l2.Actions[0].Action, Args: [][]byte{be(9, 2)}}}))
	frame := append(unhex("020000000002 020000000001 0800 450000640000400040000000 0a000001 0a000002"), make([]byte, 200)...)
	frame[24], frame[25] = 0x26, 0x98 // checksum
	outs, err := tg.Inject(1, frame)
	require.NoError(b, err)
	require.Len(b, outs, 1)
	none := effects{send: func(dataplane.Port, []byte) {}, digest: tg.digest, drop: tg.countDrop}
	b.ReportAllocs()
	for b.Loop() {
		tg.mu.Lock()
		tg.process(1, frame, 0, none)
		tg.mu.Unlock()
	}
}
