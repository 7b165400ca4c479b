package p4rt

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// TestMutualTLS: who has no certificate of the authority does not get in.
func TestMutualTLS(t *testing.T) {
	h := newHarness(t, Options{})
	dir := t.TempDir()
	ca, other := certstest.New(t, dir, "ca"), certstest.New(t, dir, "other")
	call := secure(t, h, ca, nil)
	capabilities := func(ctx context.Context, c p4.P4RuntimeClient) error {
		_, err := c.Capabilities(ctx, &p4.CapabilitiesRequest{})
		return err
	}
	require.NoError(t, call(ca.Issue("anybody"), capabilities))
	for _, f := range []certs.Files{{}, other.Issue("anybody")} {
		f.CA = ca.File()
		require.Equal(t, codes.Unavailable, status.Code(call(f, capabilities)))
	}
}

// secure serves by TLS, and returns what makes a call with a client's files.
func secure(t *testing.T, h *harness, ca *certstest.Authority, rights *certs.Rights) func(certs.Files, func(context.Context, p4.P4RuntimeClient) error) error {
	conf, err := ca.Issue("switch").Server(nil, "h2")
	require.NoError(t, err)
	g := h.server.GRPC(Access{TLS: conf, Rights: rights})
	t.Cleanup(g.Stop)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go g.Serve(l) //nolint:errcheck // ends with Stop
	return func(f certs.Files, do func(context.Context, p4.P4RuntimeClient) error) error {
		conf, err := f.Client(nil, "switch")
		require.NoError(t, err)
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(conf)))
		require.NoError(t, err)
		defer conn.Close()
		return do(ctxFor(t), p4.NewP4RuntimeClient(conn))
	}
}

// TestRights: clients may do what the file of rights says. What is refused says PERMISSION_DENIED;
// what is let through here fails for another reason, or not at all.
func TestRights(t *testing.T) {
	h := newHarness(t, Options{})
	dir := t.TempDir()
	ca := certstest.New(t, dir, "ca")
	file := filepath.Join(dir, "rights")
	require.NoError(t, os.WriteFile(file, []byte("client monitor read\nclient tables write *.lpm pre\nclient packets write packet-out\nclient root write\n"), 0o600))
	rights, err := certs.ReadRights(file, nil)
	require.NoError(t, err)
	call := secure(t, h, ca, rights)
	h.primary()
	var ids atomic.Uint64 // of elections
	ids.Store(100)
	write := func(e *p4.Entity) func(context.Context, p4.P4RuntimeClient) error {
		return func(ctx context.Context, c p4.P4RuntimeClient) error {
			_, err := c.Write(ctx, &p4.WriteRequest{DeviceId: 1, ElectionId: &p4.Uint128{Low: 99}, Updates: []*p4.Update{{Type: p4.Update_INSERT, Entity: e}}})
			return err
		}
	}
	stream := func(m *p4.StreamMessageRequest) func(context.Context, p4.P4RuntimeClient) error {
		return func(ctx context.Context, c p4.P4RuntimeClient) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			s, err := c.StreamChannel(ctx)
			require.NoError(t, err)
			_ = s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Arbitration{Arbitration: &p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: &p4.Uint128{Low: ids.Add(1)}}}}) // Recv says what is wrong
			if _, err := s.Recv(); err != nil || m == nil {
				return err
			}
			require.NoError(t, s.Send(m))
			_, err = s.Recv()
			return err
		}
	}
	tableEntry := &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{TableId: 0x02000002}}}
	group := &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{}}}
	unknown := &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{TableId: 0x2ffffff}}}
	for _, c := range []struct {
		name string
		do   func(context.Context, p4.P4RuntimeClient) error
		may  string
	}{
		{"capabilities", func(ctx context.Context, c p4.P4RuntimeClient) error {
			_, err := c.Capabilities(ctx, &p4.CapabilitiesRequest{})
			return err
		}, "monitor tables packets root"},
		{"read", func(ctx context.Context, c p4.P4RuntimeClient) error {
			s, err := c.Read(ctx, &p4.ReadRequest{DeviceId: 1, Entities: []*p4.Entity{{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{}}}}})
			if err == nil {
				_, err = s.Recv()
			}
			return err
		}, "monitor tables packets root"},
		{"table", write(tableEntry), "tables root"},
		{"group", write(group), "tables root"},
		{"unknown table", write(unknown), "root"},
		{"nothing", func(ctx context.Context, c p4.P4RuntimeClient) error {
			_, err := c.Write(ctx, &p4.WriteRequest{DeviceId: 1})
			return err
		}, "tables packets root"},
		{"program", func(ctx context.Context, c p4.P4RuntimeClient) error {
			_, err := c.SetForwardingPipelineConfig(ctx, &p4.SetForwardingPipelineConfigRequest{DeviceId: 1})
			return err
		}, "root"},
		{"stream", stream(nil), "tables packets root"},
		{"packet-out", stream(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Packet{Packet: &p4.PacketOut{}}}), "packets root"},
	} {
		for _, called := range []string{"monitor", "tables", "packets", "root", "stranger"} {
			err := call(ca.Issue(called), c.do)
			if strings.Contains(" "+c.may+" ", " "+called+" ") {
				require.NotContains(t, fmt.Sprint(err), "may not", c.name+" by "+called)
			} else {
				require.Equal(t, codes.PermissionDenied, status.Code(err), c.name+" by "+called)
				require.ErrorContains(t, err, "client \""+called+"\" may not ", c.name)
			}
		}
	}
}
