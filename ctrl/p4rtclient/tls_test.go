package p4rtclient

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// TestWantsTLS: that a switch which ends the connection of a client without TLS may want TLS is said.
func TestWantsTLS(t *testing.T) {
	conf, err := certstest.New(t, t.TempDir(), "ca").Issue("switch").Server(nil, "h2")
	require.NoError(t, err)
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(conf)))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go s.Serve(l) //nolint:errcheck // ends with Stop
	defer s.Stop()
	var log lab.Log
	c, err := New(Options{Address: l.Addr().String(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Run(ctx, Handler{}) }()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "does the switch want TLS?") }, 10*time.Second, 10*time.Millisecond)
	cancel()
	<-ended
}
