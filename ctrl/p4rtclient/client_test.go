package p4rtclient

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane/agent"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startSwitch starts a switch at an address of the loopback interface.
func startSwitch(t *testing.T, addr string) *agent.Interpreter {
	sw, err := agent.StartInterpreter(addr)
	require.NoError(t, err)
	return sw
}

func pipeline(t *testing.T) (*p4.ForwardingPipelineConfig, *Info) {
	text, diags := lang.Preprocess(lang.Options{Path: "rdma/rdma.p4", FS: p4src.FS})
	require.False(t, diags.HasErrors())
	b := bundle.Bundle{Program: "rdma", Source: text}
	_, info, err := agent.Compile(&b)
	require.NoError(t, err)
	dev, err := b.Marshal()
	require.NoError(t, err)
	return &p4.ForwardingPipelineConfig{P4Info: info, P4DeviceConfig: dev, Cookie: &p4.ForwardingPipelineConfig_Cookie{Cookie: 7}}, NewInfo(info)
}

func TestClient(t *testing.T) {
	sw := startSwitch(t, "127.0.0.1:0")
	defer sw.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := New(Options{Address: sw.Address})
	require.NoError(t, err)
	defer c.Close()
	require.ErrorIs(t, c.PacketOut(&p4.PacketOut{}), ErrNotConnected)
	primary, packets, digests, serrs := make(chan bool, 10), make(chan *p4.PacketIn, 10), make(chan *p4.DigestList, 10), make(chan *p4.StreamError, 10)
	runCtx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		done <- c.Run(runCtx, Handler{
			Mastership: func(_ context.Context, p bool) { primary <- p }, PacketIn: func(p *p4.PacketIn) { packets <- p },
			Digest: func(l *p4.DigestList) { digests <- l }, StreamError: func(e *p4.StreamError) { serrs <- e },
		})
	}()
	require.True(t, <-primary)
	config, info := pipeline(t)
	got, err := c.GetPipeline(ctx, p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY)
	require.NoError(t, err)
	require.Nil(t, got)
	require.NoError(t, c.SetPipeline(ctx, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, config))
	got, err = c.GetPipeline(ctx, p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY)
	require.NoError(t, err)
	require.Equal(t, uint64(7), got.GetCookie().GetCookie())

	// Entries by name.
	route := Entry{
		Table: "l3", Match: []Field{{Name: "hdr.ipv4.dst", Value: []byte{10, 0, 0, 0}, PrefixLen: 8}},
		Action: "route", Args: []Field{{Name: "port", Value: Uint(3)}, {Name: "src_mac", Value: Uint(0x020000000001)}, {Name: "dst_mac", Value: Uint(0x020000000002)}},
	}
	e, err := info.Entry(route)
	require.NoError(t, err)
	require.NoError(t, c.Write(ctx, Insert(e), Insert(Group(5, []Replica{{1, 7}, {256, 8}}))))
	list, err := c.ReadTable(ctx, info, "l3")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "l3", list[0].Table)
	require.Equal(t, []byte{10, 0, 0, 0}, list[0].Get("hdr.ipv4.dst"))
	require.Equal(t, uint64(3), ToUint(list[0].Arg("port")))
	require.Nil(t, list[0].Arg("none"))
	groups, err := c.ReadGroups(ctx)
	require.NoError(t, err)
	require.Equal(t, map[uint16][]Replica{5: {{1, 7}, {256, 8}}}, groups)

	// Per-update errors.
	err = c.Write(ctx, Insert(e), Delete(Group(6, nil)), Modify(e))
	var we *WriteError
	require.True(t, errors.As(err, &we))
	require.Equal(t, []codes.Code{codes.AlreadyExists, codes.NotFound}, []codes.Code{we.Failed[0].Code, we.Failed[1].Code})
	require.Equal(t, 1, we.Failed[1].Index)
	require.True(t, we.Only(codes.AlreadyExists, codes.NotFound))
	require.False(t, we.Only(codes.NotFound))
	require.ErrorContains(t, err, "write: 2 of 3 updates failed: update 0 (INSERT): AlreadyExists")

	// A batch longer than one request.
	var many []*p4.Update
	for i := range maxBatch + 10 {
		e, err := info.Entry(Entry{Table: "l2", Match: []Field{{Name: "hdr.ethernet.dst", Value: Uint(uint64(i + 1))}}, Action: "forward", Args: []Field{{Name: "port", Value: Uint(1)}}})
		require.NoError(t, err)
		many = append(many, Insert(e))
	}
	require.NoError(t, c.Write(ctx, many...))
	err = c.Write(ctx, append(many, Delete(Group(6, nil)))...)
	require.True(t, errors.As(err, &we))
	require.Len(t, we.Failed, maxBatch+11)
	require.Equal(t, maxBatch+10, we.Failed[maxBatch+10].Index)
	list, err = c.ReadTable(ctx, info, "l2")
	require.NoError(t, err)
	require.Len(t, list, maxBatch+10)

	// Registers and counters.
	r, err := info.Register("slot3", 4000, 0xabcdef00, 1)
	require.NoError(t, err)
	require.NoError(t, c.Write(ctx, Modify(r)))
	v, err := c.ReadRegister(ctx, info, "slot3", 4000)
	require.NoError(t, err)
	require.Equal(t, [][]uint64{{0xabcdef00, 1}}, v)
	v, err = c.ReadRegister(ctx, info, "slot3", -1)
	require.NoError(t, err)
	require.Len(t, v, 4096)
	r, err = info.Register("committed", 7, 0x100)
	require.NoError(t, err)
	require.NoError(t, c.Write(ctx, Modify(r)))
	v, err = c.ReadCells(ctx, info, []Cell{{"committed", 7}, {"slot3", 4000}, {"committed", 8}})
	require.NoError(t, err)
	require.Equal(t, [][]uint64{{0x100}, {0xabcdef00, 1}, {0}}, v)
	_, err = c.ReadCells(ctx, info, []Cell{{"none", 7}})
	require.Error(t, err)
	v, err = c.ReadRegister(ctx, info, "committed", 7)
	require.NoError(t, err)
	require.Equal(t, [][]uint64{{0x100}}, v)
	_, err = info.Register("committed", 7, 1, 2)
	require.ErrorContains(t, err, "one field")
	cv, err := c.ReadCounter(ctx, info, "port_rx", 5)
	require.NoError(t, err)
	require.Equal(t, []CounterValue{{}}, cv)

	// Packets out and in: one that leaves through the CPU port comes back.
	out, err := info.PacketOut(Packet{Metadata: map[string]uint64{"egress_port": 64}, Payload: make([]byte, 60)})
	require.NoError(t, err)
	require.NoError(t, c.PacketOut(out))
	in := info.PacketIn(<-packets)
	require.Equal(t, uint64(64), in.Metadata["ingress_port"])
	require.Len(t, in.Payload, 60)
	require.NoError(t, c.PacketOut(&p4.PacketOut{}))
	require.Equal(t, codes.InvalidArgument, codes.Code((<-serrs).GetCanonicalCode()))

	stop()
	require.ErrorIs(t, <-done, context.Canceled)
}

// TestReconnect: a client finds a switch that comes back, and one that was not
// there at first.
func TestReconnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	l.Close()
	c, err := New(Options{Address: addr, BackoffMin: time.Millisecond, BackoffMax: 5 * time.Millisecond,
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: time.Second})}})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	primary, lost := make(chan bool, 10), make(chan error, 1000)
	done := make(chan error, 1)
	go func() {
		done <- c.Run(ctx, Handler{
			Mastership: func(_ context.Context, p bool) { primary <- p },
			Disconnected: func(err error) {
				select {
				case lost <- err:
				default:
				}
			},
		})
	}()
	require.Error(t, <-lost)
	for range 2 {
		sw := startSwitch(t, addr)
		require.True(t, <-primary)
		require.NoError(t, sw.Close())
	}
	cancel()
	require.Error(t, <-done)
}

// TestBackup: a client with a lower election id is told so, and may not write.
func TestBackup(t *testing.T) {
	sw := startSwitch(t, "127.0.0.1:0")
	defer sw.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	start := func(id uint64) (*Client, chan bool, chan error) {
		c, err := New(Options{Address: sw.Address, ElectionLow: id})
		require.NoError(t, err)
		primary, done := make(chan bool, 10), make(chan error, 1)
		go func() {
			done <- c.Run(ctx, Handler{Mastership: func(_ context.Context, p bool) { primary <- p }})
		}()
		return c, primary, done
	}
	a, pa, da := start(5)
	defer a.Close()
	require.True(t, <-pa)
	b, pb, db := start(4)
	defer b.Close()
	require.False(t, <-pb)
	config, _ := pipeline(t)
	err := b.SetPipeline(ctx, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, config)
	require.Equal(t, codes.PermissionDenied, status.Code(err), err)
	cancel()
	<-da
	<-db
}

// TestBadNames: what cannot be encoded is named.
func TestBadNames(t *testing.T) {
	_, info := pipeline(t)
	dst := Field{Name: "hdr.ethernet.dst", Value: Uint(1)}
	port := Field{Name: "port", Value: Uint(1)}
	for _, tt := range []struct {
		e    Entry
		want string
	}{
		{Entry{Table: "none"}, `table "none": not in the p4info`},
		{Entry{Table: "l2", Match: []Field{{Name: "x"}}}, `table "l2": match field "x": the table has no such field`},
		{Entry{Table: "l2", Match: []Field{{Name: "hdr.ethernet.dst"}}}, "value: no value"},
		{Entry{Table: "l2", Match: []Field{{Name: "hdr.ethernet.dst", Value: make([]byte, 7)}}, Action: "none"}, `action "none"`},
		{Entry{Table: "l2", Match: []Field{{Name: "hdr.ethernet.dst", Value: Uint(1 << 48)}}}, "has 49 bits, the field 48"},
		{Entry{Table: "l2", Match: []Field{dst}, Action: "forward"}, `action "forward": 0 parameters, want 1`},
		{Entry{Table: "l2", Match: []Field{dst}, Action: "forward", Args: []Field{{Name: "x", Value: Uint(1)}}}, `parameter "x": the action has no such`},
		{Entry{Table: "l2", Match: []Field{dst}, Action: "forward", Args: []Field{{Name: "port", Value: Uint(512)}}}, "has 10 bits, the field 9"},
		{Entry{Table: "check", Match: []Field{{Name: "va_high", Value: Uint(1)}}, Action: "allowed"}, "mask: no value"},
	} {
		_, err := info.Entry(tt.e)
		require.ErrorContains(t, err, tt.want)
	}
	_, err := info.Entry(Entry{Table: "l2", Match: []Field{dst}, Action: "forward", Args: []Field{port}})
	require.NoError(t, err)
	_, err = info.Register("none", 0, 0)
	require.ErrorContains(t, err, `register "none"`)
	_, err = info.Counter("none", 0)
	require.ErrorContains(t, err, `counter "none"`)
	_, err = info.DigestConfig("none", nil)
	require.ErrorContains(t, err, `digest "none"`)
	_, err = info.PacketOut(Packet{Metadata: map[string]uint64{"none": 1}})
	require.ErrorContains(t, err, "not all in the packet_out header")
	require.Equal(t, "nak_digest", info.DigestName(0x17000001))
}

// TestMayNot: whoever may not change the switch any more sends nothing that does; a backup is told who is there.
func TestMayNot(t *testing.T) {
	sw := startSwitch(t, "127.0.0.1:0")
	defer sw.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var lost atomic.Bool
	over := errors.New("it is over")
	primary, told := make(chan bool, 10), make(chan codes.Code, 10)
	run := func(o Options, h Handler) *Client {
		o.Address = sw.Address
		c, err := New(o)
		require.NoError(t, err)
		rctx, stop := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- c.Run(rctx, h) }()
		t.Cleanup(func() { stop(); <-done; c.Close() })
		return c
	}
	backup := run(Options{Backup: true}, Handler{Arbitration: func(code codes.Code, _ *p4.Uint128) { told <- code }})
	require.Equal(t, codes.NotFound, <-told)
	c := run(Options{ElectionLow: 7, May: func() error {
		if lost.Load() {
			return over
		}
		return nil
	}}, Handler{Mastership: func(_ context.Context, p bool) { primary <- p }})
	require.True(t, <-primary)
	require.Equal(t, codes.AlreadyExists, <-told)
	config, info := pipeline(t)
	require.NoError(t, c.SetPipeline(ctx, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, config))
	e, err := info.Entry(Entry{Table: "switch_ip", Match: []Field{{Name: "hdr.ipv4.dst", Value: []byte{10, 0, 0, 1}}}, Action: "to_switch"})
	require.NoError(t, err)
	require.NoError(t, c.Write(ctx, Insert(e)))
	require.Error(t, backup.Write(ctx, Delete(e)))
	lost.Store(true)
	require.ErrorIs(t, c.Write(ctx, Delete(e)), over)
	require.ErrorIs(t, c.SetPipeline(ctx, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, config), over)
	require.ErrorIs(t, c.PacketOut(&p4.PacketOut{Payload: make([]byte, 60)}), over)
	list, err := c.ReadTable(ctx, info, "switch_ip")
	require.NoError(t, err)
	require.Len(t, list, 1)
}
