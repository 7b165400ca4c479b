package p4runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4/lang"
)

const (
	interpreter = "interp"
	kernel      = "xdp"
	cpuPort     = 64
)

// program is the program of testdata, as a client pushes it.
type program struct {
	info   *p4config.P4Info
	bundle bundle.Bundle
}

// programs has the program for each target: for XDP without direct counters.
var programs = map[string]func() (*program, error){
	interpreter: sync.OnceValues(func() (*program, error) { return compile(map[string]string{"DIRECT": "1"}, false) }),
	kernel:      sync.OnceValues(func() (*program, error) { return compile(nil, true) }),
}

// changedPrograms are other programs with the same tables.
var changedPrograms = map[string]func() (*program, error){
	interpreter: sync.OnceValues(func() (*program, error) { return compile(map[string]string{"DIRECT": "1", "CHANGED": "1"}, false) }),
	kernel:      sync.OnceValues(func() (*program, error) { return compile(map[string]string{"CHANGED": "1"}, true) }),
}

func compile(defines map[string]string, object bool) (*program, error) {
	source, err := os.ReadFile("testdata/conform.p4")
	if err != nil {
		return nil, err
	}
	text, diags := lang.Preprocess(lang.Options{Path: "conform.p4", Source: source, Defines: defines})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	p := &program{bundle: bundle.Bundle{Program: "conform", Source: string(text)}}
	prog, info, err := agent.Compile(&p.bundle)
	if err != nil {
		return nil, err
	}
	p.info = info
	if object {
		c, err := gen.Records.Generate(prog)
		if err != nil {
			return nil, err
		}
		if p.bundle.Object, err = build.Object(gen.CFile(prog.Name), c, bpf.Headers); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// device is a switch, and a connection to it.
type device struct {
	*testing.T
	p4.P4RuntimeClient
	kind   string
	target testbed.Target
	server *p4rt.Server
	*program
	main *stream // of the primary of the default role
	at   string  // HOST:PORT
}

// spy notes which entries a target is told to add and to remove, and refuses one.
type spy struct {
	testbed.Target
	mu      sync.Mutex
	changes []string
	refused string
}

func (s *spy) note(change string, e *dataplane.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change += fmt.Sprintf(" %x", e.Matches[0].Value)
	if change == s.refused {
		return errors.New("refused")
	}
	s.changes = append(s.changes, change)
	return nil
}

func (s *spy) Insert(e *dataplane.Entry) error {
	if err := s.note("add", e); err != nil {
		return err
	}
	return s.Target.Insert(e)
}

func (s *spy) Delete(e *dataplane.Entry) error {
	if err := s.note("remove", e); err != nil {
		return err
	}
	return s.Target.Delete(e)
}

// newDevice starts a switch without a program.
func newDevice(t *testing.T, kind string) *device {
	t.Helper()
	if kind != kernel {
		return serveDevice(t, kind, &spy{Target: interp.New(interp.Options{CPUPort: cpuPort})})
	}
	needs.Root(t, "XDP")
	x, err := xdp.New(xdp.Config{CPUPort: cpuPort, PacketTest: true})
	require.NoError(t, err)
	return serveDevice(t, kind, &spy{Target: x})
}

// serveDevice is a switch that is this target.
func serveDevice(t *testing.T, kind string, target testbed.Target) *device {
	t.Helper()
	p, err := programs[kind]()
	if errors.Is(err, build.ErrNoClang) {
		needs.Tools(t, err)
	}
	require.NoError(t, err)
	d := &device{T: t, kind: kind, program: p, target: target}
	d.server, err = p4rt.New(p4rt.Options{Target: d.target, Compile: agent.Compile})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d.at = l.Addr().String()
	g := d.server.GRPC(p4rt.Access{})
	go g.Serve(l) //nolint:errcheck // ends with Stop
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	d.P4RuntimeClient = p4.NewP4RuntimeClient(conn)
	t.Cleanup(func() {
		conn.Close()
		g.Stop()
		d.server.Close()
		require.NoError(t, d.target.Close())
	})
	return d
}

// run makes the client the primary, with election id 1, and the program run.
func (d *device) run() {
	d.Helper()
	d.main = d.stream()
	d.main.claim("", 1)
	d.main.is(codes.OK, 1)
	require.NoError(d, d.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, d.config()))
}

func (d *device) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	d.Cleanup(cancel)
	return ctx
}

// config is a new pipeline config with the cookie 99.
func (d *device) config() *p4.ForwardingPipelineConfig {
	dev, err := d.bundle.Marshal()
	require.NoError(d, err)
	return &p4.ForwardingPipelineConfig{P4Info: proto.CloneOf(d.info), P4DeviceConfig: dev, Cookie: &p4.ForwardingPipelineConfig_Cookie{Cookie: 99}}
}

// changed is the config of another program with the same tables.
func (d *device) changed() *p4.ForwardingPipelineConfig {
	p, err := changedPrograms[d.kind]()
	require.NoError(d, err)
	dev, err := p.bundle.Marshal()
	require.NoError(d, err)
	return &p4.ForwardingPipelineConfig{P4Info: proto.CloneOf(p.info), P4DeviceConfig: dev}
}

func id(n uint64) *p4.Uint128 { return &p4.Uint128{Low: n} }

func (d *device) set(action p4.SetForwardingPipelineConfigRequest_Action, c *p4.ForwardingPipelineConfig) error {
	_, err := d.SetForwardingPipelineConfig(d.ctx(), &p4.SetForwardingPipelineConfigRequest{DeviceId: 1, ElectionId: id(1), Action: action, Config: c})
	return err
}

func (d *device) get(r p4.GetForwardingPipelineConfigRequest_ResponseType) *p4.ForwardingPipelineConfig {
	d.Helper()
	g, err := d.GetForwardingPipelineConfig(d.ctx(), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1, ResponseType: r})
	require.NoError(d, err)
	return g.GetConfig()
}

// fails checks the code of a call that has no details.
func (d *device) fails(code codes.Code, err error) {
	d.Helper()
	require.Equal(d, code, status.Code(err), "%v", err)
	require.Empty(d, status.Convert(err).Details())
}

func entity(t testing.TB, text string) *p4.Entity {
	t.Helper()
	e := &p4.Entity{}
	require.NoError(t, prototext.Unmarshal([]byte(text), e), text)
	return e
}

func (d *device) up(t p4.Update_Type, text string) *p4.Update {
	d.Helper()
	return &p4.Update{Type: t, Entity: entity(d, text)}
}

func (d *device) ins(text string) *p4.Update { d.Helper(); return d.up(p4.Update_INSERT, text) }
func (d *device) mod(text string) *p4.Update { d.Helper(); return d.up(p4.Update_MODIFY, text) }
func (d *device) del(text string) *p4.Update { d.Helper(); return d.up(p4.Update_DELETE, text) }

func (d *device) request(updates ...*p4.Update) *p4.WriteRequest {
	return &p4.WriteRequest{DeviceId: 1, ElectionId: id(1), Updates: updates}
}

// writes demands that a batch succeeds.
func (d *device) writes(updates ...*p4.Update) {
	d.Helper()
	_, err := d.Write(d.ctx(), d.request(updates...))
	require.NoError(d, err)
}

// details are the codes of a batch that fails.
func (d *device) details(err error) (out []codes.Code) {
	d.Helper()
	require.Equal(d, codes.Unknown, status.Code(err), "%v", err)
	for _, x := range status.Convert(err).Details() {
		e, ok := x.(*p4.Error)
		require.True(d, ok, "%T", x)
		out = append(out, codes.Code(e.GetCanonicalCode()))
	}
	return out
}

// refuses demands that each update fails with a code, by itself.
func (d *device) refuses(code codes.Code, updates ...*p4.Update) {
	d.Helper()
	for _, u := range updates {
		_, err := d.Write(d.ctx(), d.request(u))
		require.Equal(d, []codes.Code{code}, d.details(err), "%v: %v", u, err)
	}
}

// query reads; the error is that of the whole answer.
func (d *device) query(texts ...string) (out []*p4.Entity, err error) {
	d.Helper()
	req := &p4.ReadRequest{DeviceId: 1}
	for _, text := range texts {
		req.Entities = append(req.Entities, entity(d, text))
	}
	r, err := d.Read(d.ctx(), req)
	require.NoError(d, err)
	for {
		m, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, m.GetEntities()...)
	}
}

func (d *device) reads(text string) []*p4.Entity {
	d.Helper()
	list, err := d.query(text)
	require.NoError(d, err)
	return list
}

// has demands that a read answers with these, in order.
func (d *device) has(query string, want ...string) {
	d.Helper()
	got := d.reads(query)
	require.Len(d, got, len(want), "%v", got)
	for i, text := range want {
		require.True(d, proto.Equal(entity(d, text), got[i]), "want %s\ngot  %v", text, got[i])
	}
}

// refusesRead demands that a read of one thing fails with a code.
func (d *device) refusesRead(code codes.Code, text string) {
	d.Helper()
	_, err := d.query(text)
	require.Equal(d, []codes.Code{code}, d.details(err), "%v", err)
}

// frame is a packet of the program.
func frame(what byte, a uint32, b uint16, c byte) []byte {
	return append([]byte{what, byte(a >> 24), byte(a >> 16), byte(a >> 8), byte(a), byte(b >> 8), byte(b), c}, make([]byte, 56)...)
}

// goes sends a packet into port 1, and returns the ports that it leaves by.
func (d *device) goes(f []byte) (ports []dataplane.Port) {
	d.Helper()
	for _, o := range d.outs(f) {
		ports = append(ports, o.Port)
	}
	return ports
}

func (d *device) outs(f []byte) []dataplane.Out {
	d.Helper()
	out, err := d.target.Inject(1, f)
	require.NoError(d, err)
	return out
}

// to is one port.
func to(p ...dataplane.Port) []dataplane.Port { return p }

// stream is a client's stream.
type stream struct {
	*testing.T
	p4.P4Runtime_StreamChannelClient
	cancel context.CancelFunc
}

func (d *device) stream() *stream {
	d.Helper()
	ctx, cancel := context.WithCancel(d.ctx())
	s, err := d.StreamChannel(ctx)
	require.NoError(d, err)
	return &stream{d.T, s, cancel}
}

// claim asks to be the primary of a role.
func (s *stream) claim(role string, n uint64) { s.Helper(); s.arbitrate(role, id(n)) }

// watch asks to be a backup.
func (s *stream) watch(role string) { s.Helper(); s.arbitrate(role, nil) }

func (s *stream) arbitrate(role string, election *p4.Uint128) {
	s.Helper()
	a := &p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: election}
	if role != "" {
		a.Role = &p4.Role{Name: role}
	}
	s.update(a)
}

func (s *stream) update(a *p4.MasterArbitrationUpdate) {
	s.Helper()
	require.NoError(s, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Arbitration{Arbitration: a}}))
}

func (s *stream) next() *p4.StreamMessageResponse {
	s.Helper()
	m, err := s.Recv()
	require.NoError(s, err)
	return m
}

// is waits for the next message, which says what the client is, and the highest election id.
func (s *stream) is(code codes.Code, highest uint64) *p4.MasterArbitrationUpdate {
	s.Helper()
	m := s.next()
	a := m.GetArbitration()
	require.NotNil(s, a, "%v", m)
	require.Equal(s, code, codes.Code(a.GetStatus().GetCode()))
	require.NotNil(s, a.GetElectionId())
	require.Equal(s, highest, a.GetElectionId().GetLow())
	return a
}

// ends demands that the stream ends with a code.
func (s *stream) ends(code codes.Code) {
	s.Helper()
	for {
		if _, err := s.Recv(); err != nil {
			require.Equal(s, code, status.Code(err), "%v", err)
			return
		}
	}
}

// out sends a packet-out.
func (s *stream) out(text string) *p4.PacketOut {
	s.Helper()
	p := &p4.PacketOut{}
	require.NoError(s, prototext.Unmarshal([]byte(text), p), text)
	require.NoError(s, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Packet{Packet: p}}))
	return p
}

// ack acknowledges a list of digests.
func (s *stream) ack(digest uint32, list uint64) {
	s.Helper()
	require.NoError(s, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_DigestAck{DigestAck: &p4.DigestListAck{DigestId: digest, ListId: list}}}))
}

// fails waits for a StreamError.
func (s *stream) fails(code codes.Code) *p4.StreamError {
	s.Helper()
	m := s.next()
	require.NotNil(s, m.GetError(), "%v", m)
	require.Equal(s, code, codes.Code(m.GetError().GetCanonicalCode()), "%v", m)
	return m.GetError()
}

// exact and the others are entries of the program's tables: of match fields, an action, and more.
func action(n int, args string) string {
	return fmt.Sprintf("action { action { action_id: %d %s } }", 0x01000000+n, args)
}

func entry(table int, match, rest string) string {
	return fmt.Sprintf("table_entry { table_id: %d %s %s }", 0x02000000+table, match, rest)
}

var (
	fwd5  = action(1, `params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x07" }`)
	fwd6  = action(1, `params { param_id: 1 value: "\x06" } params { param_id: 2 value: "\x07" }`)
	deny  = action(2, "")
	other = action(3, "") // of the default entry of exact only
	hit5  = action(4, `params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x07" }`)
	hit6  = action(4, `params { param_id: 1 value: "\x06" } params { param_id: 2 value: "\x07" }`)

	one = `match { field_id: 1 exact { value: "\x0a\x00\x00\x01" } } match { field_id: 2 exact { value: "\x01" } }`
	two = `match { field_id: 1 exact { value: "\x0a\x00\x00\x02" } } match { field_id: 2 exact { value: "\x01" } }`
	ten = `match { field_id: 1 lpm { value: "\x0a\x00\x00\x00" prefix_len: 8 } }`
)
