package session

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
)

// silent is a switch that takes every request and answers none.
type silent struct {
	p4.UnimplementedP4RuntimeServer
	asked chan struct{}
}

func (s *silent) Capabilities(ctx context.Context, _ *p4.CapabilitiesRequest) (*p4.CapabilitiesResponse, error) {
	s.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAnswersAtTheEnd: a question that the end of the session cuts short says nothing of the switch.
func TestAnswersAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "switch.sock")
	at, err := net.Listen("unix", path)
	require.NoError(t, err)
	sw := &silent{asked: make(chan struct{})}
	server := grpc.NewServer()
	p4.RegisterP4RuntimeServer(server, sw)
	go func() { _ = server.Serve(at) }()
	t.Cleanup(server.Stop)

	conf, err := pipeline.Load("l2")
	require.NoError(t, err)
	s, err := New(Config{P4RT: p4rtclient.Options{Address: "unix:" + path}, Pipeline: conf}, &recorder{})
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	over := make(chan struct{})
	go func() { _ = s.Run(ctx); close(over) }()
	answers := make(chan error, 1)

	short, stop := context.WithCancel(t.Context())
	go func() { answers <- s.Answers(short) }()
	<-sw.asked
	stop()
	require.ErrorContains(t, <-answers, "does not answer")

	go func() { answers <- s.Answers(t.Context()) }()
	<-sw.asked
	end()
	require.NoError(t, <-answers)
	<-over
	require.NoError(t, s.Answers(t.Context()))
}
