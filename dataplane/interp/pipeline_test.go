package interp

import (
	"fmt"
	"math/big"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// bridged builds a program with a one-byte header a, a bridged header in front
// of the packet, and an egress that writes port and replication id behind it.
func bridged(control func(in *gressBuilder, a *ir.HeaderInst)) *ir.Program {
	in, eg := newGress("ingress"), newGress("egress")
	br, a := in.header("br", "x:8"), in.header("a", "f:8")
	in.extract(a)
	in.do(&ir.SetValid{Header: br, Valid: true}, set(br.Fields[0], lit(8, 0xb7)))
	control(in, a)
	in.emit(br, a)

	ebr, ea, mark := eg.header("br", "x:8"), eg.header("a", "f:8"), eg.header("mark", "x:8", "port:8", "rid:16", "len:16")
	eg.extract(ebr, ea)
	low := func(name string, w int) ir.Expr { return &ir.Cast{T: ir.BitType(w), X: ref(eg.intr(name))} }
	eg.do(
		&ir.SetValid{Header: mark, Valid: true},
		set(mark.Fields[0], ref(ebr.Fields[0])),
		set(mark.Fields[1], low(ir.IntrEgressPort, 8)),
		set(mark.Fields[2], ref(eg.intr(ir.IntrEgressRid))),
		set(mark.Fields[3], ref(eg.intr(ir.IntrPktLength))),
		&ir.If{Cond: bin(ir.Eq, ref(eg.intr(ir.IntrEgressRid)), lit(16, 0xdead)), Then: []ir.Stmt{set(eg.intr(ir.IntrDropEg), lit(3, 1))}},
	)
	eg.emit(mark, ea)
	return program(in, eg)
}

func TestReplication(t *testing.T) {
	// The control takes the egress port from f's low nibble when bit 4 is
	// set, and the group 7 when bit 5 is set; bit 6 drops; bit 7 bypasses the egress.
	tg := load(t, bridged(func(in *gressBuilder, a *ir.HeaderInst) {
		bit := func(i int) ir.Expr {
			return bin(ir.Eq, &ir.Slice{X: ref(a.Fields[0]), Hi: i, Lo: i}, lit(1, 1))
		}
		in.do(
			&ir.If{Cond: bit(4), Then: []ir.Stmt{set(in.intr(ir.IntrUcastPort), &ir.Cast{T: ir.BitType(9), X: &ir.Slice{X: ref(a.Fields[0]), Hi: 3, Lo: 0}})}},
			&ir.If{Cond: bit(5), Then: []ir.Stmt{set(in.intr(ir.IntrMcastA), lit(16, 7))}},
			&ir.If{Cond: bit(6), Then: []ir.Stmt{set(in.intr(ir.IntrDropIn), lit(3, 1))}},
			&ir.If{Cond: bit(7), Then: []ir.Stmt{set(in.intr(ir.IntrBypassEgr), lit(1, 1))}},
		)
	}))
	require.Empty(t, inject(t, tg, 1, "20 55"), "the group does not exist")
	require.NoError(t, tg.SetGroup(7, []dataplane.Replica{{Port: 4, Instance: 0x104}, {Port: 4, Instance: 0xdead}, {Port: 2, Instance: 0x102}}))

	require.Equal(t, []string{"3:b703000000021355"}, inject(t, tg, 1, "13 55"), "unicast, rid 0")
	require.Equal(t, []string{"0:b700000000021055"}, inject(t, tg, 1, "10 55"), "port 0 is a port when it was written")
	require.Equal(t, []string{"4:b704010400022055", "2:b702010200022055"}, inject(t, tg, 1, "20 55"), "one copy is dropped in egress")
	require.Equal(t, []string{"1:b701000000023155", "4:b704010400023155", "2:b702010200023155"}, inject(t, tg, 1, "31 55"), "both")
	require.Equal(t, []string{"1:b79155"}, inject(t, tg, 1, "91 55"), "bypass keeps the bridged header")
	require.Empty(t, inject(t, tg, 1, "71 55"), "drop_ctl drops unicast and multicast")
	require.Empty(t, inject(t, tg, 1, "00 55"), "no destination")
	require.Empty(t, inject(t, tg, 1, ""), "too short for a")

	require.NoError(t, tg.DeleteGroup(7))
	require.ErrorIs(t, tg.DeleteGroup(7), dataplane.ErrNotFound)
	require.Equal(t, map[string]uint64{
		dataplane.DropUnknownGroup: 1, dataplane.DropEgress: 2, dataplane.DropIngress: 1,
		dataplane.DropNoDestination: 1, dataplane.DropIngressParser: 1,
	}, tg.Drops())
}

func TestParserErrors(t *testing.T) {
	in, eg := newGress("ingress"), newGress("egress")
	a, b := in.header("a", "f:8"), in.header("b", "f:16")
	out := in.header("out", "err:16", "a:8", "b:8")
	loop := &ir.State{Name: "loop"}
	loop.Next = ir.Target{State: loop}
	second := &ir.State{Name: "second", Body: []ir.Stmt{&ir.Extract{Header: b}}, Next: ir.Target{}}
	start := in.Parser.States[0]
	start.Body = []ir.Stmt{&ir.Extract{Header: a}}
	start.Keys = []ir.Expr{ref(a.Fields[0])}
	val := func(v, m uint64) []ir.KeySet { return []ir.KeySet{{Value: bigInt(v), Mask: bigInt(m)}} }
	start.Cases = []ir.SelectCase{
		{Sets: val(1, 0xff), Next: ir.Target{State: second}},
		{Sets: []ir.KeySet{{Range: true, Value: bigInt(2), Mask: bigInt(3)}}, Next: ir.Target{}},
		{Sets: val(4, 0xff), Next: ir.Target{State: loop}},
	}
	in.Parser.States = append(in.Parser.States, second, loop)
	valid := func(h *ir.HeaderInst) ir.Expr {
		return &ir.Mux{Cond: &ir.IsValid{Header: h}, X: lit(8, 1), Y: lit(8, 0)}
	}
	in.do(set(in.intr(ir.IntrUcastPort), lit(9, 1)),
		&ir.SetValid{Header: out, Valid: true},
		set(out.Fields[0], ref(in.intr(ir.IntrParserErr))), set(out.Fields[1], valid(a)), set(out.Fields[2], valid(b)))
	in.emit(out)
	tg := load(t, program(in, eg))
	for _, tt := range []struct{ frame, want, why string }{
		{"01 aabb cc", "1:00000101cc", "accepted; the headers are not emitted"},
		{"01 aa", "1:00020100aa", "b does not fit: it is payload"},
		{"", "1:00020000", "a does not fit"},
		{"03 ee", "1:00000100ee", "a range"},
		{"09 ee", "1:00010100ee", "no case"},
		{"04 ee", "1:00100100ee", "a loop that never ends"},
	} {
		require.Equal(t, []string{tt.want}, inject(t, tg, 5, tt.frame), tt.why)
	}
}

// TestInvalidHeaders: fields of invalid headers read as zero, writes to them
// are lost, and a header that is made valid again starts from zero.
func TestInvalidHeaders(t *testing.T) {
	in, eg := newGress("ingress"), newGress("egress")
	a, b, c := in.header("a", "f:8", "g:72"), in.header("b", "f:8", "g:72"), in.header("c", "f:8", "g:72")
	in.extract(a)
	in.do(
		set(in.intr(ir.IntrUcastPort), lit(9, 1)),
		set(b.Fields[0], lit(8, 0x77)), // lost: b is invalid
		&ir.CopyHeader{Dst: c, Src: a},
		&ir.SetValid{Header: a, Valid: false},
		&ir.SetValid{Header: b, Valid: true},
		set(b.Fields[1], bin(ir.Or, ref(a.Fields[1]), ref(c.Fields[1]))),
		&ir.SetValid{Header: a, Valid: true},
	)
	in.emit(a, b, c)
	tg := load(t, program(in, eg))
	require.Equal(t, []string{"1:" + "00000000000000000000" + "00112233445566778899" + "aa112233445566778899" + "ff"},
		inject(t, tg, 1, "aa112233445566778899 ff"))
}

func TestSliceAssignAndFlow(t *testing.T) {
	in, eg := newGress("ingress"), newGress("egress")
	a := in.header("a", "f:8", "w:80")
	in.extract(a)
	f, w := a.Fields[0], a.Fields[1]
	in.do(
		set(in.intr(ir.IntrUcastPort), lit(9, 1)),
		&ir.Block{Callable: true, Body: []ir.Stmt{
			&ir.Assign{Dst: f, Slice: true, Hi: 6, Lo: 4, Src: lit(3, 5)},
			&ir.Return{},
			set(f, lit(8, 0)),
		}},
		&ir.Assign{Dst: w, Slice: true, Hi: 71, Lo: 8, Src: lit(64, 0x0102030405060708)},
		&ir.If{Cond: bin(ir.Eq, ref(f), lit(8, 0xdf)), Then: []ir.Stmt{&ir.Exit{}}},
		set(f, lit(8, 1)),
	)
	in.emit(a)
	tg := load(t, program(in, eg))
	require.Equal(t, []string{"1:df" + "ff0102030405060708ff"}, inject(t, tg, 1, "ffffffffffffffffffffff"))
	require.Equal(t, []string{"1:01" + "ff0102030405060708ff"}, inject(t, tg, 1, "00ffffffffffffffffffff"))
}

func TestRegistersCountersDigests(t *testing.T) {
	in, eg := newGress("ingress"), newGress("egress")
	a := in.header("a", "i:8", "v:32", "r:32")
	in.extract(a)
	reg := &ir.Register{Name: "pipe.r", Gress: in.Gress, Size: 4, IndexType: ir.BitType(8),
		Fields:  []ir.FieldType{{Name: "lo", Type: ir.BitType(32)}, {Name: "sum", Type: ir.BitType(72)}},
		Initial: []*big.Int{bigInt(9), bigInt(1)}}
	val := []*ir.Var{{Name: "v.lo", Type: ir.BitType(32), Kind: ir.RegValue}, {Name: "v.sum", Type: ir.BitType(72), Kind: ir.RegValue}}
	res := &ir.Var{Name: "res", Type: ir.BitType(32), Kind: ir.RegResult}
	act := &ir.RegisterAction{Name: "max", Register: reg, Value: val, Result: res, Body: []ir.Stmt{
		&ir.If{Cond: bin(ir.Lt, ref(val[0]), ref(a.Field("v"))), Then: []ir.Stmt{set(val[0], ref(a.Field("v"))), set(res, lit(32, 1))}},
		set(val[1], bin(ir.Add, ref(val[1]), &ir.Cast{T: ir.BitType(72), X: ref(a.Field("v"))})),
	}}
	ctr := &ir.Counter{Name: "pipe.c", Kind: ir.PacketsAndBytes, Size: 4, IndexType: ir.BitType(8)}
	dig := &ir.Digest{Name: "pipe.d", Fields: []ir.FieldType{{Name: "i", Type: ir.BitType(8)}, {Name: "v", Type: ir.BitType(32)}}}
	in.do(
		set(in.intr(ir.IntrUcastPort), lit(9, 1)),
		&ir.RegisterExec{Action: act, Index: ref(a.Field("i")), Dst: a.Field("r")},
		&ir.Count{Counter: ctr, Index: ref(a.Field("i"))},
	)
	in.emit(a)
	in.Deparser = append([]ir.Stmt{&ir.DigestPack{Digest: dig, Fields: []ir.Expr{ref(a.Field("i")), ref(a.Field("v"))}}}, in.Deparser...)
	prog := program(in, eg)
	prog.Registers, prog.Counters, prog.Digests = []*ir.Register{reg}, []*ir.Counter{ctr}, []*ir.Digest{dig}
	tg := load(t, prog)
	var digests []string
	tg.SetEvents(dataplane.Events{Digest: func(d dataplane.Digest) { digests = append(digests, fmt.Sprintf("%x", d.Fields)) }})

	require.Equal(t, []string{"1:030000000800000000"}, inject(t, tg, 1, "03 00000008 ffffffff"), "8 < 9: result 0")
	require.Equal(t, []string{"1:030000000a00000001"}, inject(t, tg, 1, "03 0000000a ffffffff"))
	require.Equal(t, []string{"1:040000000a00000000"}, inject(t, tg, 1, "04 0000000a ffffffff"), "index out of range")
	require.Equal(t, []string{"[03 00000008]", "[03 0000000a]", "[04 0000000a]"}, digests)

	got, err := tg.ReadRegister(reg, 3)
	require.NoError(t, err)
	require.Equal(t, [][]byte{be(32, 10), append([]byte{0}, be(64, 19)...)}, got)
	require.NoError(t, tg.WriteRegister(reg, 3, [][]byte{be(32, 5), append([]byte{0xff}, be(64, 0)...)}))
	got, err = tg.ReadRegister(reg, 3)
	require.NoError(t, err)
	require.Equal(t, [][]byte{be(32, 5), append([]byte{0xff}, be(64, 0)...)}, got)
	_, err = tg.ReadRegister(reg, 4)
	require.ErrorIs(t, err, dataplane.ErrNotFound)

	// A trace of the same shows what was, and is.
	var steps []string
	traced := New(Options{Trace: func(s Step) { steps = append(steps, string(s.Kind)+" "+s.Text) }})
	defer traced.Close()
	require.NoError(t, traced.Load(&dataplane.Pipeline{Program: prog}))
	out, err := traced.Trace(1, unhex("03 0000000a ffffffff"))
	require.NoError(t, err)
	require.Equal(t, []dataplane.Out{{Port: 1, Frame: unhex("030000000a00000001")}}, out)
	require.Contains(t, steps, "gress port 1, 9 bytes")
	require.Contains(t, steps, "extract a  i=3 v=0xa r=0xffffffff")
	require.Contains(t, steps, "register "+reg.Name+"[3]: lo=9 sum=1 -> lo=0xa sum=0xb")
	_, err = traced.Trace(1, unhex("04 0000000a ffffffff"))
	require.NoError(t, err)
	require.Contains(t, steps, "register "+reg.Name+": the index is beyond its 4 elements")
	_, err = tg.Trace(1, nil)
	require.ErrorContains(t, err, "without a tracer")

	c, err := tg.ReadCounter(ctr, 3)
	require.NoError(t, err)
	require.Equal(t, dataplane.Counter{Packets: 2, Bytes: 18}, c)
	require.NoError(t, tg.WriteCounter(ctr, 3, dataplane.Counter{Packets: 7}))
	c, err = tg.ReadCounter(ctr, 3)
	require.NoError(t, err)
	require.Equal(t, dataplane.Counter{Packets: 7}, c)
	_, err = tg.ReadCounter(ctr, 4)
	require.Error(t, err)
}

func TestChecksumAndHash(t *testing.T) {
	in, eg := newGress("ingress"), newGress("egress")
	ip := in.header("ip", "a:64", "b:16", "sum:16", "src:32", "dst:32")
	out := in.header("out", "bad:8", "id:16", "xor:16", "crc:32", "mod:8")
	unit := &ir.Checksum{Name: "c"}
	bad := in.v("bad", 1, ir.Local)
	in.extract(ip)
	var all []ir.Expr
	for _, f := range ip.Fields {
		all = append(all, ref(f))
	}
	st := in.Parser.States[0]
	st.Body = append(st.Body, &ir.ChecksumAdd{Checksum: unit, Inputs: all}, &ir.ChecksumVerify{Checksum: unit, Dst: bad})
	crc := &ir.Hash{Name: "crc", Algorithm: ir.HashCRC32, Width: 32, Polynomial: bigInt(0x04c11db7), Reversed: true, Init: bigInt(0xffffffff), XOR: bigInt(0xffffffff)}
	in.do(
		set(in.intr(ir.IntrUcastPort), lit(9, 1)),
		&ir.SetValid{Header: out, Valid: true},
		set(out.Fields[0], &ir.Cast{T: ir.BitType(8), X: ref(bad)}),
		&ir.HashGet{Hash: &ir.Hash{Algorithm: ir.HashIdentity}, Inputs: []ir.Expr{ref(ip.Field("src")), ref(ip.Field("b"))}, Dst: out.Fields[1]},
		&ir.HashGet{Hash: &ir.Hash{Algorithm: ir.HashXOR, Width: 16}, Inputs: []ir.Expr{ref(ip.Field("src")), ref(ip.Field("dst"))}, Dst: out.Fields[2]},
		&ir.HashGet{Hash: crc, Inputs: []ir.Expr{ref(ip.Field("src"))}, Dst: out.Fields[3]},
		&ir.HashGet{Hash: crc, Inputs: []ir.Expr{ref(ip.Field("src"))}, Base: lit(8, 100), Max: lit(8, 16), Dst: out.Fields[4]},
	)
	in.Deparser = []ir.Stmt{&ir.ChecksumUpdate{Checksum: unit, Inputs: append(append([]ir.Expr{}, all[:2]...), all[3:]...), Dst: ip.Field("sum")}}
	in.emit(out, ip)
	tg := load(t, program(in, eg))
	// The well-known example header, sum 0xb861. CRC-32 of c0a80001 is 0xb9ae0e4d... computed by the standard library.
	good := "45000073000040004011b861c0a80001c0a800c7"
	want := fmt.Sprintf("401100c6%08x%02x", crcOf("c0a80001"), 100+crcOf("c0a80001")%16)
	require.Equal(t, []string{"1:00" + want + good}, inject(t, tg, 1, good))
	require.Equal(t, []string{"1:01" + want + good}, inject(t, tg, 1, "45000073000040004011b862c0a80001c0a800c7"), "a wrong sum is seen and mended")
}

// TestPorts runs frames between real links.
func TestPorts(t *testing.T) {
	tg := load(t, bridged(func(in *gressBuilder, a *ir.HeaderInst) {
		in.do(set(in.intr(ir.IntrUcastPort), &ir.Cast{T: ir.BitType(9), X: ref(a.Fields[0])}))
	}))
	host := map[dataplane.Port]*hub.End{}
	for _, p := range []dataplane.Port{1, 2} {
		sw, h := hub.Cable(4)
		require.NoError(t, tg.AddLink(p, "cable", sw))
		host[p] = h
	}
	send := func(p dataplane.Port, frame string) { host[p].Send(append(host[p].Buffer(), unhex(frame)...)) }
	frames := make([][]byte, 4)
	receive := func(p dataplane.Port) []byte {
		t.Helper()
		n, err := host[p].Receive(frames)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		return frames[0]
	}
	require.ErrorContains(t, tg.AddPort(1, "lo"), "port 1: has interface cable already")
	require.ErrorContains(t, tg.AddPort(64, "lo"), "CPU port")
	require.ErrorContains(t, tg.AddPort(3, "no-such-if0"), `interface "no-such-if0" does not exist`)

	packetIns := make(chan []byte, 1)
	tg.SetEvents(dataplane.Events{PacketIn: func(f []byte) { packetIns <- append([]byte(nil), f...) }})
	send(1, "02 55")
	require.Equal(t, unhex("b702000000020255"), receive(2))
	require.NoError(t, tg.PacketOut(unhex("01 66")))
	require.Equal(t, unhex("b701000000020166"), receive(1))
	send(2, "40 77")
	require.Equal(t, unhex("b740000000024077"), <-packetIns)

	// What the other end does not take is counted, and keeps nobody waiting.
	for range 10 {
		require.NoError(t, tg.PacketOut(unhex("02 88")))
	}
	require.Equal(t, uint64(6), tg.Drops()[dataplane.DropPortFull])
	n, err := host[2].Receive(frames)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Equal(t, dataplane.Counter{Packets: 5, Bytes: 40}, tg.Ports()[1].TX, "sent")

	require.True(t, tg.Ports()[1].Up)
	require.NoError(t, tg.RemovePort(2))
	_, err = host[2].Receive(frames)
	require.ErrorIs(t, err, net.ErrClosed, "the port closed its link")
	require.ErrorIs(t, tg.RemovePort(2), dataplane.ErrNotFound)
	require.NoError(t, tg.PacketOut(unhex("02 66")))
	require.Equal(t, uint64(1), tg.Drops()[dataplane.DropNoPort])
	require.Equal(t, uint64(6), tg.Drops()[dataplane.DropPortFull], "what a port lost before it was removed")
	ports := tg.Ports()
	require.Len(t, ports, 2)
	require.Equal(t, dataplane.Counter{Packets: 1, Bytes: 2}, ports[0].RX)
	require.Equal(t, dataplane.PortInfo{Port: 64, CPU: true, Up: true}, ports[1])
	require.NoError(t, host[1].Close())
	require.False(t, tg.Ports()[0].Up)
	require.NoError(t, tg.PacketOut(unhex("01 66")))
	require.Equal(t, uint64(1), tg.Drops()[dataplane.DropPortError])
}

// batches is a link that gives out frames in one batch, and notes what is flushed.
type batches struct {
	link.Port
	in      chan [][]byte
	last    [][]byte // comes after Close
	queued  []string
	flushed chan []string
}

func (b *batches) Receive(frames [][]byte) (int, error) {
	in, ok := <-b.in
	switch {
	case ok:
	case b.last == nil:
		return 0, net.ErrClosed
	default:
		in, b.last = b.last, nil
	}
	return copy(frames, in), nil
}

func (b *batches) Buffer() []byte { return nil }

func (b *batches) Send(f []byte) { b.queued = append(b.queued, string(f)) }

func (b *batches) Flush() error {
	b.flushed <- b.queued
	b.queued = nil
	return nil
}

func (b *batches) Counters() link.Counters { return link.Counters{Refused: 10, TooLong: 1} }

func (b *batches) Close() error {
	close(b.in)
	return nil
}

// TestBatches: what a batch of frames makes is handed over at its end, once per port.
func TestBatches(t *testing.T) {
	tg := load(t, bridged(func(in *gressBuilder, a *ir.HeaderInst) {
		in.do(set(in.intr(ir.IntrUcastPort), &ir.Cast{T: ir.BitType(9), X: ref(a.Fields[0])}), set(in.intr(ir.IntrBypassEgr), lit(1, 1)))
	}))
	l := map[dataplane.Port]*batches{}
	for _, p := range []dataplane.Port{1, 2} {
		l[p] = &batches{in: make(chan [][]byte), flushed: make(chan []string, 10)}
		require.NoError(t, tg.AddLink(p, "batches", l[p]))
	}
	for range 2 {
		l[1].in <- [][]byte{unhex("02 01"), unhex("01 02"), unhex("02 03")}
		require.Equal(t, []string{"\xb7\x02\x01", "\xb7\x02\x03"}, <-l[2].flushed)
		require.Equal(t, []string{"\xb7\x01\x02"}, <-l[1].flushed)
	}
	require.NoError(t, tg.PacketOut(unhex("02 04")))
	require.Equal(t, []string{"\xb7\x02\x04"}, <-l[2].flushed)
	require.Equal(t, uint64(22), tg.Drops()[dataplane.DropPortError])
	// What a link still gives out after its end is nobody's.
	l[1].last = [][]byte{unhex("02 05")}
	require.NoError(t, tg.RemovePort(1))
	require.Nil(t, l[1].last)
	require.NoError(t, tg.Close())
	require.Empty(t, l[1].flushed)
	require.Empty(t, l[2].flushed)
}

func TestUnsupportedIsNamed(t *testing.T) {
	in, eg := newGress("ingress"), newGress("egress")
	v, w := in.v("ig_tm_md.qid", 5, ir.Intrinsic), eg.v("eg_dprsr_md.mirror_type", 4, ir.Intrinsic)
	in.do(&ir.Assign{Dst: v, Src: lit(5, 1), Pos: ir.Pos{File: "x.p4", Line: 3, Col: 4}})
	eg.do(&ir.Assign{Dst: w, Src: lit(4, 1), Pos: ir.Pos{File: "x.p4", Line: 7, Col: 8}})
	tg := New(Options{})
	defer tg.Close()
	_, err := tg.Stage(&dataplane.Pipeline{Program: program(in, eg)})
	require.ErrorIs(t, err, dataplane.ErrUnsupported)
	var all ir.Errors
	require.ErrorAs(t, err, &all)
	require.Equal(t, "x.p4:3:4: error P4602: intrinsic metadata ig_tm_md.qid: not supported in the interpreter's ingress\n"+
		"x.p4:7:8: error P4602: intrinsic metadata eg_dprsr_md.mirror_type: not supported in the interpreter's egress", all.Error(), "all at once")
	require.ErrorIs(t, tg.PacketOut(nil), dataplane.ErrNoPipeline)
}
