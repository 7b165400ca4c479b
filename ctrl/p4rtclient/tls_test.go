package p4rtclient

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/p4ce/p4ce/link/certs/certstest"
)

// said is a log that can be read while it is written.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *said) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.b.Bytes(), []byte(text))
}

// TestWantsTLS: that a switch which ends the connection of a client without TLS may want TLS is said.
func TestWantsTLS(t *testing.T) {
	conf, err := certstest.New(t, t.TempDir(), "ca").Issue("switch").Server(nil, "h2")
	require.NoError(t, err)
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(conf)))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go s.Serve(l) //nolint:errcheck // ends with Stop
	defer s.Stop()
	var log said
	c, err := New(Options{Address: l.Addr().String(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Run(ctx, Handler{}) }()
	require.Eventually(t, func() bool { return log.has("does the switch want TLS?") }, 10*time.Second, 10*time.Millisecond)
	cancel()
	<-ended
}
