package session

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
)

// patient is a switch that notes how long it may take to make a program ready.
type patient struct {
	p4.UnimplementedP4RuntimeServer
	asked, pushed chan time.Duration
}

func left(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline)
}

func (p *patient) GetForwardingPipelineConfig(ctx context.Context, _ *p4.GetForwardingPipelineConfigRequest) (*p4.GetForwardingPipelineConfigResponse, error) {
	p.asked <- left(ctx)
	return nil, status.Error(codes.FailedPrecondition, "none")
}

func (p *patient) SetForwardingPipelineConfig(ctx context.Context, _ *p4.SetForwardingPipelineConfigRequest) (*p4.SetForwardingPipelineConfigResponse, error) {
	p.pushed <- left(ctx)
	return nil, status.Error(codes.Unavailable, "enough is known")
}

// TestPushTakesLong: a switch that is busy has more time to make a program ready than other requests have: a
// controller that gives up begins again, and the switch as well.
func TestPushTakesLong(t *testing.T) {
	at := filepath.Join(t.TempDir(), "switch")
	l, err := net.Listen("unix", at)
	require.NoError(t, err)
	sw := &patient{asked: make(chan time.Duration, 1), pushed: make(chan time.Duration, 1)}
	g := grpc.NewServer()
	p4.RegisterP4RuntimeServer(g, sw)
	go g.Serve(l) //nolint:errcheck // ends with Stop
	t.Cleanup(g.Stop)
	conf, err := pipeline.Load("l2")
	require.NoError(t, err)
	s, err := New(Config{P4RT: p4rtclient.Options{Address: "unix:" + at}, Pipeline: conf}, &recorder{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.worker.run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	s.sync()
	require.LessOrEqual(t, <-sw.asked, writeTimeout)
	require.Greater(t, <-sw.pushed, 2*writeTimeout)
}

// TestResync: a switch is read back when its App asks for it, and nothing that it sends is looked at before.
func TestResync(t *testing.T) {
	s, app := newSession(t)
	run := func() {
		for _, fn := range s.handed.take() {
			fn()
		}
	}
	s.Resync()
	run()
	require.Zero(t, s.worker.waiting(), "it is not in our hands")
	s.primary, s.synced = true, true
	s.Resync()
	s.Resync()
	require.True(t, s.InControl(), "not from within")
	run()
	require.False(t, s.InControl())
	require.Equal(t, 1, s.worker.waiting())
	s.packetIn(&p4.PacketIn{Payload: []byte("frame")})
	require.Zero(t, app.packets)
	s.takeOver(func() error { return nil }, nil)
	require.True(t, s.InControl())
}
