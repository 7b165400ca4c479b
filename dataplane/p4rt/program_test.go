package p4rt

import (
	"context"
	"fmt"
	"math/big"
	"net"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// The program under test is built by hand: one table of every match kind, a
// const table, registers, counters, a digest, and controller headers. Packets
// from the CPU port go where their packet_out header says; all others go to
// the CPU port, and those whose first byte is 0xd1 raise a digest.
const testInfo = `
actions { preamble { id: 0x01000001 name: "pipe.In.fwd" } params { id: 1 name: "port" bitwidth: 9 } params { id: 2 name: "tag" bitwidth: 12 } }
actions { preamble { id: 0x01000002 name: "pipe.In.deny" } }
actions { preamble { id: 0x01000003 name: "pipe.In.only_default" } }
tables { preamble { id: 0x02000001 name: "pipe.In.exact" } size: 4
  match_fields { id: 1 name: "a" bitwidth: 32 match_type: EXACT } match_fields { id: 2 name: "b" bitwidth: 9 match_type: EXACT }
  action_refs { id: 0x01000001 } action_refs { id: 0x01000002 scope: TABLE_ONLY } action_refs { id: 0x01000003 scope: DEFAULT_ONLY }
  direct_resource_ids: 0x13000001 }
tables { preamble { id: 0x02000002 name: "pipe.In.lpm" } size: 1024
  match_fields { id: 1 name: "a" bitwidth: 32 match_type: LPM } action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000003 name: "pipe.In.tcam" } size: 1024
  match_fields { id: 1 name: "t" bitwidth: 32 match_type: TERNARY } match_fields { id: 2 name: "r" bitwidth: 9 match_type: RANGE }
  match_fields { id: 3 name: "o" bitwidth: 9 match_type: OPTIONAL } action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000004 name: "pipe.In.fixed" } size: 4 is_const_table: true const_default_action_id: 0x01000002
  match_fields { id: 1 name: "a" bitwidth: 32 match_type: TERNARY } action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
counters { preamble { id: 0x12000001 name: "pipe.In.count" } spec { unit: BOTH } size: 8 }
meters { preamble { id: 0x14000001 name: "pipe.In.rate" } spec { unit: PACKETS } size: 8 }
direct_counters { preamble { id: 0x13000001 name: "pipe.In.hits" } spec { unit: BOTH } direct_table_id: 0x02000001 }
registers { preamble { id: 0x16000001 name: "pipe.In.word" } type_spec { bitstring { bit { bitwidth: 32 } } } size: 8 }
registers { preamble { id: 0x16000002 name: "pipe.In.pair" } type_spec { struct { name: "pair_t" } } size: 8 }
digests { preamble { id: 0x17000001 name: "pipe.In.seen" } type_spec { struct { name: "seen_t" } } }
controller_packet_metadata { preamble { id: 0x04000001 name: "packet_in" } metadata { id: 1 name: "port" bitwidth: 9 } metadata { id: 2 name: "pad" bitwidth: 7 } }
controller_packet_metadata { preamble { id: 0x04000002 name: "packet_out" } metadata { id: 1 name: "port" bitwidth: 9 } metadata { id: 2 name: "pad" bitwidth: 7 } }
`

func bigInt(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

func parseInfo(t testing.TB) *p4config.P4Info {
	info := &p4config.P4Info{}
	require.NoError(t, prototext.Unmarshal([]byte(testInfo), info))
	return info
}

// testProgram builds the program; size is that of the table exact.
func testProgram(name string) *ir.Program {
	ref := func(v *ir.Var) ir.Expr { return &ir.Ref{Var: v} }
	bit := ir.BitType
	intr := func(name string, w int) *ir.Var { return &ir.Var{Name: name, Type: bit(w), Kind: ir.Intrinsic} }
	param := func(name string, w int) *ir.Var { return &ir.Var{Name: name, Type: bit(w), Kind: ir.Param} }
	cpuHeader := func(typ *ir.HeaderType, index int) *ir.HeaderInst {
		h := &ir.HeaderInst{Name: "hdr." + typ.Name, Type: typ, Index: index}
		off := 0
		for _, f := range typ.Fields {
			h.Fields = append(h.Fields, &ir.Var{Name: h.Name + "." + f.Name, Type: f.Type, Kind: ir.Field, Header: h, Offset: off})
			off += f.Type.Width
		}
		return h
	}
	inType := &ir.HeaderType{Name: "packet_in", Controller: "packet_in", Fields: []ir.FieldType{{Name: "port", Type: bit(9)}, {Name: "pad", Type: bit(7)}}}
	outType := &ir.HeaderType{Name: "packet_out", Controller: "packet_out", Fields: inType.Fields}
	bodyType := &ir.HeaderType{Name: "body", Fields: []ir.FieldType{{Name: "first", Type: bit(8)}, {Name: "value", Type: bit(32)}}}

	ingress := intr(ir.IntrIngressPort, 9)
	ucast := intr(ir.IntrUcastPort, 9)
	out, in, body := cpuHeader(outType, 0), cpuHeader(inType, 1), cpuHeader(bodyType, 2)
	acceptT := ir.Target{}
	parseBody := &ir.State{Name: "body", Body: []ir.Stmt{&ir.Extract{Header: body}}, Next: acceptT}
	parseOut := &ir.State{Name: "out", Body: []ir.Stmt{&ir.Extract{Header: out}}, Next: acceptT}
	g := &ir.Gress{
		Name: "ingress", Headers: []*ir.HeaderInst{out, in, body}, Vars: []*ir.Var{ingress, ucast},
		Parser: &ir.Parser{States: []*ir.State{{
			Name: "start", Keys: []ir.Expr{ref(ingress)},
			Cases: []ir.SelectCase{
				{Sets: []ir.KeySet{{Value: bigInt(64)}}, Next: ir.Target{State: parseOut}},
				{Sets: []ir.KeySet{{Any: true}}, Next: ir.Target{State: parseBody}},
			},
		}, parseOut, parseBody}},
	}
	eg := &ir.Gress{Name: "egress", Parser: &ir.Parser{States: []*ir.State{{Name: "start", Next: acceptT}}}}

	hits := &ir.Counter{Name: "pipe.In.hits", Kind: ir.PacketsAndBytes}
	fwd := &ir.Action{Name: "pipe.In.fwd", Params: []*ir.Var{param("port", 9), param("tag", 12)}, Body: []ir.Stmt{&ir.DirectCount{Counter: hits}}}
	deny := &ir.Action{Name: "pipe.In.deny"}
	only := &ir.Action{Name: "pipe.In.only_default"}
	key := func(name string, w int, m ir.MatchKind) *ir.Key {
		if w == 32 {
			return &ir.Key{Name: name, Expr: ref(body.Fields[1]), Width: w, Match: m}
		}
		return &ir.Key{Name: name, Expr: ref(ingress), Width: w, Match: m}
	}
	both := []ir.ActionRef{{Action: fwd}, {Action: deny}}
	exact := &ir.Table{Name: "pipe.In.exact", Gress: g, Size: 4, Counter: hits,
		Keys:    []*ir.Key{key("a", 32, ir.Exact), key("b", 9, ir.Exact)},
		Actions: []ir.ActionRef{{Action: fwd}, {Action: deny, TableOnly: true}, {Action: only, DefaultOnly: true}},
		Default: ir.ActionCall{Action: only}}
	hits.Table = exact
	lpm := &ir.Table{Name: "pipe.In.lpm", Gress: g, Size: 1024, Keys: []*ir.Key{key("a", 32, ir.LPM)}, Actions: both, Default: ir.ActionCall{Action: deny}}
	tcam := &ir.Table{Name: "pipe.In.tcam", Gress: g, Size: 1024, Actions: both, Default: ir.ActionCall{Action: fwd, Args: []*big.Int{bigInt(1), bigInt(2)}},
		Keys: []*ir.Key{key("t", 32, ir.Ternary), key("r", 9, ir.Range), key("o", 9, ir.Optional)}}
	fixedT := &ir.Table{Name: "pipe.In.fixed", Gress: g, Size: 4, Actions: both, Default: ir.ActionCall{Action: deny}, ConstDefault: true, ConstEntries: true,
		Keys: []*ir.Key{key("a", 32, ir.Ternary)},
		Entries: []*ir.Entry{
			{Keys: []ir.KeySet{{Value: bigInt(0x0a000000), Mask: bigInt(0xff000000)}}, Priority: 2, Const: true, Action: ir.ActionCall{Action: fwd, Args: []*big.Int{bigInt(7), bigInt(0)}}},
			{Keys: []ir.KeySet{{Any: true}}, Priority: 1, Const: true, Action: ir.ActionCall{Action: deny}},
		}}
	count := &ir.Counter{Name: "pipe.In.count", Kind: ir.PacketsAndBytes, Size: 8, IndexType: bit(9)}
	rate := &ir.Meter{Name: "pipe.In.rate", Size: 8, IndexType: bit(9)}
	word := &ir.Register{Name: "pipe.In.word", Size: 8, Fields: []ir.FieldType{{Type: bit(32)}}, Initial: []*big.Int{bigInt(0)}}
	pair := &ir.Register{Name: "pipe.In.pair", Size: 8, Fields: []ir.FieldType{{Name: "x", Type: bit(32)}, {Name: "y", Type: bit(8)}}, Initial: []*big.Int{bigInt(1), bigInt(2)}}
	seen := &ir.Digest{Name: "pipe.In.seen", TypeName: "seen_t", Fields: []ir.FieldType{{Name: "port", Type: bit(9)}, {Name: "value", Type: bit(32)}}}

	g.Control = []ir.Stmt{
		&ir.Count{Counter: count, Index: ref(ingress)},
		&ir.If{
			Cond: &ir.IsValid{Header: out},
			Then: []ir.Stmt{&ir.Assign{Dst: ucast, Src: ref(out.Fields[0])}, &ir.SetValid{Header: out, Valid: false}},
			Else: []ir.Stmt{
				&ir.Apply{Table: exact}, &ir.Apply{Table: lpm}, &ir.Apply{Table: tcam}, &ir.Apply{Table: fixedT},
				&ir.SetValid{Header: in, Valid: true}, &ir.Assign{Dst: in.Fields[0], Src: ref(ingress)},
				&ir.Assign{Dst: ucast, Src: &ir.Const{T: bit(9), Value: bigInt(64)}},
			},
		},
	}
	g.Deparser = []ir.Stmt{
		&ir.If{Cond: &ir.Binary{Op: ir.Eq, T: ir.BoolType, X: ref(body.Fields[0]), Y: &ir.Const{T: bit(8), Value: bigInt(0xd1)}},
			Then: []ir.Stmt{&ir.DigestPack{Digest: seen, Fields: []ir.Expr{ref(ingress), ref(body.Fields[1])}}}},
		&ir.Emit{Header: in}, &ir.Emit{Header: body},
	}
	return &ir.Program{
		Name: name, Pipe: "pipe", Ingress: g, Egress: eg, Source: "source of " + name,
		Tables: []*ir.Table{exact, lpm, tcam, fixedT}, Actions: []*ir.Action{fwd, deny, only},
		Registers: []*ir.Register{word, pair}, Counters: []*ir.Counter{count, hits}, Meters: []*ir.Meter{rate}, Digests: []*ir.Digest{seen},
		PacketIn: inType, PacketOut: outType,
	}
}

// target is the interpreter, or something around it.
type target interface {
	dataplane.Target
	dataplane.Injector
}

// harness is a server over the interpreter, reached through real gRPC.
type harness struct {
	t      testing.TB
	server *Server
	target target
	client p4.P4RuntimeClient
	conn   *grpc.ClientConn
	info   *p4config.P4Info
}

func newHarness(t testing.TB, o Options) *harness {
	return serve(t, interp.New(interp.Options{}), o)
}

// serve makes a server over a target.
func serve(t testing.TB, target target, o Options) *harness {
	h := &harness{t: t, target: target, info: parseInfo(t)}
	o.Target = h.target
	o.Compile = func(b *bundle.Bundle) (*ir.Program, *p4config.P4Info, error) {
		if b.Source != "good" && b.Source != "good too" {
			return nil, nil, fmt.Errorf("%s.p4:1:1: error P4000: what is %q?", b.Program, b.Source)
		}
		return testProgram(b.Program), parseInfo(t), nil
	}
	var err error
	h.server, err = New(o)
	require.NoError(t, err)
	g := h.server.GRPC(Access{})
	l := bufconn.Listen(1 << 20)
	go g.Serve(l) //nolint:errcheck // ends with Stop
	h.conn, err = grpc.NewClient("passthrough:///bufconn", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	require.NoError(t, err)
	h.client = p4.NewP4RuntimeClient(h.conn)
	t.Cleanup(func() {
		h.conn.Close()
		g.Stop()
		h.server.Close()
		h.target.Close()
	})
	return h
}

func ctxFor(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (h *harness) config(source string) *p4.ForwardingPipelineConfig {
	dev, err := bundle.Bundle{Program: "prog", Source: source}.Marshal()
	require.NoError(h.t, err)
	return &p4.ForwardingPipelineConfig{P4Info: h.info, P4DeviceConfig: dev, Cookie: &p4.ForwardingPipelineConfig_Cookie{Cookie: 99}}
}

func (h *harness) set(action p4.SetForwardingPipelineConfigRequest_Action, c *p4.ForwardingPipelineConfig) error {
	_, err := h.client.SetForwardingPipelineConfig(ctxFor(h.t), &p4.SetForwardingPipelineConfigRequest{
		DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}, Action: action, Config: c,
	})
	return err
}

// stream is a client's stream.
type stream struct {
	t testing.TB
	p4.P4Runtime_StreamChannelClient
	cancel context.CancelFunc
}

func (h *harness) stream() *stream {
	ctx, cancel := context.WithCancel(ctxFor(h.t))
	s, err := h.client.StreamChannel(ctx)
	require.NoError(h.t, err)
	return &stream{h.t, s, cancel}
}

// arbitrate sends an arbitration message; id 0 means none.
func (s *stream) arbitrate(role string, id uint64) {
	u := &p4.MasterArbitrationUpdate{DeviceId: 1}
	if id != 0 {
		u.ElectionId = &p4.Uint128{Low: id}
	}
	if role != "" {
		u.Role = &p4.Role{Name: role}
	}
	s.sendArbitration(u)
}

func (s *stream) sendArbitration(u *p4.MasterArbitrationUpdate) {
	require.NoError(s.t, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Arbitration{Arbitration: u}}))
}

func (s *stream) next() *p4.StreamMessageResponse {
	m, err := s.Recv()
	require.NoError(s.t, err)
	return m
}

// primary makes the stream the primary with id 1, and the pipeline run.
func (h *harness) primary() *stream {
	s := h.stream()
	s.arbitrate("", 1)
	require.Equal(h.t, int32(0), s.next().GetArbitration().GetStatus().GetCode())
	require.NoError(h.t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	return s
}

func (h *harness) write(updates ...*p4.Update) error {
	_, err := h.client.Write(ctxFor(h.t), &p4.WriteRequest{DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}, Updates: updates})
	return err
}

func (h *harness) read(text string) []string {
	list, err := h.readErr(text)
	require.NoError(h.t, err)
	return list
}

func (h *harness) readErr(text string) ([]string, error) {
	c, err := h.client.Read(ctxFor(h.t), &p4.ReadRequest{DeviceId: 1, Entities: []*p4.Entity{entity(h.t, text)}})
	require.NoError(h.t, err)
	var out []string
	for {
		m, err := c.Recv()
		if err != nil {
			if err.Error() == "EOF" {
				return out, nil
			}
			return nil, err
		}
		for _, e := range m.GetEntities() {
			out = append(out, text1(e))
		}
	}
}

// text1 is a stable one-line text form (prototext's own varies on purpose).
func text1(m proto.Message) string {
	b, err := prototext.MarshalOptions{Multiline: false}.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return collapse(string(b))
}

func collapse(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] == ' ' && len(out) > 0 && out[len(out)-1] == ' ' {
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func entity(t testing.TB, text string) *p4.Entity {
	e := &p4.Entity{}
	require.NoError(t, prototext.Unmarshal([]byte(text), e), text)
	return e
}

func (h *harness) insert(text string) *p4.Update { return h.up(p4.Update_INSERT, text) }

func (h *harness) up(t p4.Update_Type, text string) *p4.Update {
	return &p4.Update{Type: t, Entity: entity(h.t, text)}
}
