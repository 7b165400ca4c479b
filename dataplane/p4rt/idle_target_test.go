package p4rt_test

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
)

// client is the primary of a switch.
type client struct {
	p4.P4RuntimeClient
	t      *testing.T
	target testbed.Target
	stream p4.P4Runtime_StreamChannelClient
	idle   []*p4.TableEntry // of a notification, not looked at yet
}

func connect(t *testing.T, target testbed.Target) *client {
	t.Helper()
	t.Cleanup(func() { target.Close() })
	s, err := p4rt.New(p4rt.Options{Target: target, Compile: agent.Compile})
	require.NoError(t, err)
	g := s.GRPC(p4rt.Access{})
	lis := bufconn.Listen(1 << 20)
	go g.Serve(lis) //nolint:errcheck // ends with Stop
	conn, err := grpc.NewClient("passthrough:///bufconn", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() {
		conn.Close()
		g.Stop()
		s.Close()
	})
	c := &client{P4RuntimeClient: p4.NewP4RuntimeClient(conn), t: t, target: target}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c.stream, err = c.StreamChannel(ctx)
	require.NoError(t, err)
	require.NoError(t, c.stream.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Arbitration{
		Arbitration: &p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}}}}))
	require.NotNil(t, c.recv().GetArbitration())
	return c
}

// newL2 is a client of a switch that runs the program l2.
func newL2(t *testing.T, target testbed.Target) *client {
	t.Helper()
	c := connect(t, target)
	info, err := p4src.Info("l2")
	require.NoError(t, err)
	require.NoError(t, c.push("l2", info))
	return c
}

// push loads a program of this binary under a p4info.
func (c *client) push(program string, info *p4config.P4Info) error {
	c.t.Helper()
	text, diags := lang.Preprocess(lang.Options{Path: p4src.Source(program), FS: p4src.FS})
	require.NoError(c.t, diags.Err())
	b, err := bpf.Bundle(program, text)
	require.NoError(c.t, err)
	device, err := b.Marshal()
	require.NoError(c.t, err)
	_, err = c.SetForwardingPipelineConfig(c.t.Context(), &p4.SetForwardingPipelineConfigRequest{
		DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}, Action: p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT,
		Config: &p4.ForwardingPipelineConfig{P4Info: info, P4DeviceConfig: device},
	})
	return err
}

func (c *client) recv() *p4.StreamMessageResponse {
	c.t.Helper()
	m, err := c.stream.Recv()
	require.NoError(c.t, err)
	return m
}

// source is an entry of the table of senders: MAC 02:00:00:00:00:00 + mac, on port 1.
func source(mac byte, timeout time.Duration) *p4.TableEntry {
	return &p4.TableEntry{
		TableId: 0x02000002, IdleTimeoutNs: int64(timeout), Metadata: []byte{0xca, mac},
		Match: []*p4.FieldMatch{{FieldId: 1, FieldMatchType: &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: []byte{2, 0, 0, 0, 0, mac}}}}},
		Action: &p4.TableAction{Type: &p4.TableAction_Action{Action: &p4.Action{ActionId: 0x01000003,
			Params: []*p4.Action_Param{{ParamId: 1, Value: []byte{1}}}}}},
	}
}

func (c *client) write(op p4.Update_Type, e *p4.TableEntry) error {
	_, err := c.Write(c.t.Context(), &p4.WriteRequest{DeviceId: 1, ElectionId: &p4.Uint128{Low: 1},
		Updates: []*p4.Update{{Type: op, Entity: &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: e}}}}})
	return err
}

func (c *client) read(e *p4.TableEntry) *p4.TableEntry {
	c.t.Helper()
	r, err := c.Read(c.t.Context(), &p4.ReadRequest{DeviceId: 1, Entities: []*p4.Entity{{Entity: &p4.Entity_TableEntry{TableEntry: e}}}})
	require.NoError(c.t, err)
	m, err := r.Recv()
	require.NoError(c.t, err)
	require.Len(c.t, m.GetEntities(), 1)
	return m.GetEntities()[0].GetTableEntry()
}

// told waits for the next entry that a notification names.
func (c *client) told() *p4.TableEntry {
	c.t.Helper()
	for len(c.idle) == 0 {
		n := c.recv().GetIdleTimeoutNotification()
		require.NotNil(c.t, n)
		require.Positive(c.t, n.GetTimestamp())
		require.NotEmpty(c.t, n.GetTableEntry())
		c.idle = n.GetTableEntry()
	}
	e := c.idle[0]
	c.idle = c.idle[1:]
	return e
}

// toldOf waits until an entry is named.
func (c *client) toldOf(mac byte) {
	c.t.Helper()
	for !bytes.Equal([]byte{0xca, mac}, c.told().GetMetadata()) {
	}
}

// packet sends a packet from a MAC address into port 1.
func (c *client) packet(mac byte) {
	c.t.Helper()
	_, err := c.target.Inject(1, append([]byte{2, 0, 0, 0, 0, 99, 2, 0, 0, 0, 0, mac, 0x88, 0xb5}, make([]byte, 46)...))
	require.NoError(c.t, err)
}

func each(t *testing.T, test func(t *testing.T, c *client)) {
	t.Run("interp", func(t *testing.T) { test(t, newL2(t, interp.New(interp.Options{}))) })
	t.Run("xdp", func(t *testing.T) {
		needs.Root(t, "XDP")
		target, err := xdp.New(xdp.Config{CPUPort: 64, PacketTest: true})
		require.NoError(t, err)
		test(t, newL2(t, target))
	})
}

// TestIdleTimeout: a sender that is silent is reported, and again while it is silent; and the entry of
// the notification is one to delete.
func TestIdleTimeout(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		const short = 30 * time.Millisecond
		require.NoError(t, c.write(p4.Update_INSERT, source(1, short)))
		e := c.told()
		want := source(1, short)
		want.Action = nil
		require.Equal(t, want.String(), e.String())
		c.packet(1)
		for range 3 {
			require.Equal(t, want.String(), c.told().String(), "silent again")
		}
		// To modify an entry starts it anew.
		require.NoError(t, c.write(p4.Update_INSERT, source(2, time.Hour)))
		require.NoError(t, c.write(p4.Update_MODIFY, source(2, short)))
		c.toldOf(2)
		// Without a time-out, or deleted and written with another one, it is not told
		// of any more: what comes after 3 is of 3.
		require.NoError(t, c.write(p4.Update_DELETE, e))
		require.NoError(t, c.write(p4.Update_INSERT, source(1, time.Hour)))
		require.NoError(t, c.write(p4.Update_MODIFY, source(2, 0)))
		require.NoError(t, c.write(p4.Update_INSERT, source(3, short)))
		c.toldOf(3)
		for range 3 {
			require.Equal(t, []byte{0xca, 3}, c.told().GetMetadata())
		}
	})
}

// TestTimeSinceLastHit: it is read where it is asked for, from the packet or from the
// writing of the entry.
func TestTimeSinceLastHit(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		require.NoError(t, c.write(p4.Update_INSERT, source(1, time.Hour)))
		written := time.Now()
		require.Nil(t, c.read(source(1, 0)).GetTimeSinceLastHit())
		ask := &p4.TableEntry{TableId: 0x02000002, TimeSinceLastHit: &p4.TableEntry_IdleTimeout{}}
		atLeast := time.Since(written)
		e := c.read(ask)
		require.EqualValues(t, time.Hour, e.GetIdleTimeoutNs())
		require.GreaterOrEqual(t, e.GetTimeSinceLastHit().GetElapsedNs(), int64(atLeast))

		before := time.Now()
		c.packet(1)
		after := time.Now()
		atLeast = time.Since(after)
		elapsed := c.read(ask).GetTimeSinceLastHit().GetElapsedNs()
		require.GreaterOrEqual(t, elapsed, int64(atLeast))
		require.LessOrEqual(t, elapsed, int64(time.Since(before)), "the packet is the last hit")

		before = time.Now()
		require.NoError(t, c.write(p4.Update_MODIFY, source(1, time.Hour)))
		elapsed = c.read(ask).GetTimeSinceLastHit().GetElapsedNs()
		require.LessOrEqual(t, elapsed, int64(time.Since(before)), "written after the packet")
	})
}

// TestBadIdleTimeouts: what is refused.
func TestBadIdleTimeouts(t *testing.T) {
	c := newL2(t, interp.New(interp.Options{}))
	hit := source(1, time.Hour)
	hit.TimeSinceLastHit = &p4.TableEntry_IdleTimeout{}
	destination := source(1, time.Hour)
	destination.TableId, destination.Action.GetAction().ActionId = 0x02000003, 0x01000005
	for name, e := range map[string]*p4.TableEntry{"negative": source(1, -1), "time since the last hit": hit, "table without": destination} {
		err := c.write(p4.Update_INSERT, e)
		require.Equal(t, codes.Unknown, status.Code(err), name)
		require.Equal(t, int32(codes.InvalidArgument), status.Convert(err).Details()[0].(*p4.Error).GetCanonicalCode(), name)
	}
}
