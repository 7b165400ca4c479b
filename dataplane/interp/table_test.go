package interp

import (
	"hash/crc32"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

func crcOf(hex string) uint32 { return crc32.ChecksumIEEE(unhex(hex)) }

// tableProgram has one table over the two bytes of header a; the action writes
// its argument into the third. Actions count in the direct counter.
func tableProgram(k0, k1 ir.MatchKind) (*ir.Program, *ir.Table) {
	in, eg := newGress("ingress"), newGress("egress")
	a := in.header("a", "k0:8", "k1:12", "pad:4", "res:8")
	in.extract(a)
	param := &ir.Var{Name: "v", Type: ir.BitType(8), Kind: ir.Param}
	ctr := &ir.Counter{Name: "pipe.t.ctr", Kind: ir.PacketsAndBytes}
	act := &ir.Action{Name: "pipe.mark", Params: []*ir.Var{param}, Body: []ir.Stmt{
		set(a.Field("res"), ref(param)), &ir.DirectCount{Counter: ctr},
	}}
	other := &ir.Action{Name: "pipe.other", Body: []ir.Stmt{&ir.DirectCount{Counter: ctr}}}
	tb := &ir.Table{
		Name: "pipe.t", Gress: in.Gress, Size: 6, Counter: ctr,
		Keys: []*ir.Key{
			{Name: "k0", Expr: ref(a.Field("k0")), Width: 8, Match: k0},
			{Name: "k1", Expr: ref(a.Field("k1")), Width: 12, Match: k1},
		},
		Actions: []ir.ActionRef{{Action: act}, {Action: other}},
		Default: ir.ActionCall{Action: act, Args: []*big.Int{bigInt(0xee)}},
	}
	ctr.Table = tb
	hit := in.v("hit", 1, ir.Local)
	in.do(
		&ir.Apply{Table: tb, Hit: hit, Switch: true,
			Cases:   []ir.ActionCase{{Actions: []*ir.Action{other}, Body: []ir.Stmt{set(a.Field("res"), lit(8, 0x0f))}}},
			Default: []ir.Stmt{set(a.Field("pad"), lit(4, 0xd))}},
		set(in.intr(ir.IntrUcastPort), &ir.Cast{T: ir.BitType(9), X: ref(hit)}),
	)
	in.emit(a)
	p := program(in, eg)
	p.Tables, p.Actions, p.Counters = []*ir.Table{tb}, []*ir.Action{act, other}, []*ir.Counter{ctr}
	return p, tb
}

func exact(w int, v uint64) dataplane.Match { return dataplane.Match{Value: be(w, v)} }
func tern(w int, v, m uint64) dataplane.Match {
	return dataplane.Match{Value: be(w, v), Mask: be(w, m)}
}
func prefix(w int, v uint64, n int) dataplane.Match {
	return dataplane.Match{Value: be(w, v), PrefixLen: n}
}

func mark(tb *ir.Table, prio int32, v uint64, m ...dataplane.Match) *dataplane.Entry {
	return &dataplane.Entry{Table: tb, Matches: m, Priority: prio,
		Action: dataplane.Action{Action: tb.Actions[0].Action, Args: [][]byte{be(8, v)}}}
}

func TestExactTable(t *testing.T) {
	p, tb := tableProgram(ir.Exact, ir.Exact)
	tg := load(t, p)
	e := mark(tb, 0, 1, exact(8, 1), exact(12, 0x234))
	require.NoError(t, tg.Insert(e))
	require.ErrorContains(t, tg.Insert(e), "exists already")
	require.Equal(t, []string{"1:01234d01"}, inject(t, tg, 9, "01 2345 00"))
	require.Equal(t, []string{"0:01235dee"}, inject(t, tg, 9, "01 2355 00"), "miss: the default, hit is 0")

	e2 := &dataplane.Entry{Table: tb, Matches: e.Matches, Action: dataplane.Action{Action: tb.Actions[1].Action}}
	require.NoError(t, tg.Modify(e2))
	require.Equal(t, []string{"1:0123450f"}, inject(t, tg, 9, "01 2345 00"), "switch on the action that ran")
	c, err := tg.ReadDirectCounter(e)
	require.NoError(t, err)
	require.Equal(t, dataplane.Counter{Packets: 2, Bytes: 8}, c, "the counter survives a modify")
	c, err = tg.ReadDirectCounter(&dataplane.Entry{Table: tb})
	require.NoError(t, err)
	require.Equal(t, uint64(1), c.Packets, "the default entry counts too")

	require.NoError(t, tg.SetDefault(tb, &dataplane.Action{Action: tb.Actions[0].Action, Args: [][]byte{{0x42}}}))
	require.Equal(t, []string{"0:01235d42"}, inject(t, tg, 9, "01 2355 00"))
	require.NoError(t, tg.SetDefault(tb, nil))
	require.Equal(t, []string{"0:01235dee"}, inject(t, tg, 9, "01 2355 00"))

	require.NoError(t, tg.Delete(e))
	require.ErrorIs(t, tg.Delete(e), dataplane.ErrNotFound)
	require.ErrorIs(t, tg.Modify(e), dataplane.ErrNotFound)
	require.Equal(t, []string{"0:01234dee"}, inject(t, tg, 9, "01 2345 00"))
	for i := range uint64(6) {
		require.NoError(t, tg.Insert(mark(tb, 0, 1, exact(8, i), exact(12, 0))))
	}
	require.ErrorIs(t, tg.Insert(mark(tb, 0, 1, exact(8, 9), exact(12, 0))), dataplane.ErrFull)
}

func TestLongestPrefixTable(t *testing.T) {
	p, tb := tableProgram(ir.Exact, ir.LPM)
	tg := load(t, p)
	require.NoError(t, tg.Insert(mark(tb, 0, 1, exact(8, 1), prefix(12, 0, 0))))
	require.NoError(t, tg.Insert(mark(tb, 0, 3, exact(8, 1), prefix(12, 0xab0, 8))))
	require.NoError(t, tg.Insert(mark(tb, 0, 2, exact(8, 1), prefix(12, 0xa00, 3))))
	require.NoError(t, tg.Insert(mark(tb, 0, 4, exact(8, 1), prefix(12, 0xabc, 12))))
	for _, tt := range [][2]string{
		{"01 abc0 00", "1:01abcd04"}, {"01 abd0 00", "1:01abdd03"}, {"01 ac00 00", "1:01ac0d02"},
		{"01 bfff 00", "1:01bffd02"}, {"01 c000 00", "1:01c00d01"}, {"02 abc0 00", "0:02abcdee"},
	} {
		require.Equal(t, []string{tt[1]}, inject(t, tg, 9, tt[0]))
	}
	require.NoError(t, tg.Delete(mark(tb, 0, 0, exact(8, 1), prefix(12, 0xab0, 8))))
	require.Equal(t, []string{"1:01abdd02"}, inject(t, tg, 9, "01 abd0 00"))
}

func TestPrioritisedTable(t *testing.T) {
	p, tb := tableProgram(ir.Ternary, ir.Range)
	tb.Entries = []*ir.Entry{{
		Keys:     []ir.KeySet{{Value: bigInt(0x80), Mask: bigInt(0x80)}, {Any: true}},
		Action:   ir.ActionCall{Action: tb.Actions[0].Action, Args: []*big.Int{bigInt(0x99)}},
		Priority: 5,
	}}
	tg := load(t, p)
	require.NoError(t, tg.Insert(mark(tb, 10, 1, tern(8, 0, 0), tern(12, 0x100, 0x1ff))))
	require.NoError(t, tg.Insert(mark(tb, 20, 2, tern(8, 0x81, 0xff), tern(12, 0x180, 0x180))))
	require.NoError(t, tg.Insert(mark(tb, 10, 3, tern(8, 0, 0), tern(12, 0x0, 0x1ff))))
	for _, tt := range [][2]string{
		{"81 1800 00", "1:81180d02"}, {"81 1810 00", "1:81181d01"}, {"00 1000 00", "1:00100d01"},
		{"00 00f0 00", "1:0000fd03"}, {"ff 2000 00", "1:ff200d99"}, {"7f 2000 00", "0:7f200dee"},
	} {
		require.Equal(t, []string{tt[1]}, inject(t, tg, 9, tt[0]), tt[0])
	}
	require.NoError(t, tg.Delete(mark(tb, 10, 0, tern(8, 0, 0), tern(12, 0x100, 0x1ff))))
	require.Equal(t, []string{"1:00100d03"}, inject(t, tg, 9, "00 1000 00"))
}

func TestOptionalTable(t *testing.T) {
	p, tb := tableProgram(ir.Optional, ir.Optional)
	tg := load(t, p)
	require.NoError(t, tg.Insert(mark(tb, 1, 1, tern(8, 5, 0xff), tern(12, 0, 0))))
	require.NoError(t, tg.Insert(mark(tb, 2, 2, tern(8, 5, 0xff), tern(12, 7, 0xfff))))
	require.Equal(t, []string{"1:05007d02"}, inject(t, tg, 9, "05 0070 00"))
	require.Equal(t, []string{"1:05008d01"}, inject(t, tg, 9, "05 0080 00"))
	require.Equal(t, []string{"0:06007dee"}, inject(t, tg, 9, "06 0070 00"))
}

// TestLoadResets: a second Load starts from empty tables.
func TestLoadResets(t *testing.T) {
	p, tb := tableProgram(ir.Exact, ir.Exact)
	tg := load(t, p)
	require.NoError(t, tg.Insert(mark(tb, 0, 1, exact(8, 1), exact(12, 0x234))))
	require.NoError(t, tg.SetGroup(1, nil))
	require.NoError(t, tg.Load(&dataplane.Pipeline{Program: p}))
	require.Equal(t, []string{"0:01234dee"}, inject(t, tg, 9, "01 2345 00"))
	require.ErrorIs(t, tg.DeleteGroup(1), dataplane.ErrNotFound)
	q, tb2 := tableProgram(ir.Exact, ir.Exact)
	require.ErrorIs(t, tg.Insert(mark(tb2, 0, 1, exact(8, 1), exact(12, 0x234))), dataplane.ErrNotFound, "a table of another program")
	_, err := tg.Stage(&dataplane.Pipeline{Program: q})
	require.NoError(t, err)
}
