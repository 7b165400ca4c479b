package resp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo replies with what it gets. WAIT waits for the end of the server.
type echo struct{ n int }

func (e *echo) Execute(ctx context.Context, w *Writer, args [][]byte) (quit bool) {
	e.n++
	switch {
	case Is(args[0], "quit"):
		w.WriteString("OK")
		return true
	case Is(args[0], "wait"):
		<-ctx.Done()
		w.WriteError("ERR " + context.Cause(ctx).Error())
	default:
		w.WriteString(fmt.Sprintf("%d:%s", e.n, args[0]))
	}
	return false
}

func start(t *testing.T, c Config) (*Server, func() net.Conn) {
	c.Handler, c.MaxRequest = func() Handler { return &echo{} }, 1<<10
	at := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", at)
	require.NoError(t, err)
	s := NewServer(c)
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, <-ended)
	})
	return s, func() net.Conn {
		conn, err := net.Dial("unix", at)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
}

// all is everything that a connection replies until its end.
func all(t *testing.T, conn net.Conn, send string) string {
	defer conn.Close()
	_, err := io.WriteString(conn, send)
	require.NoError(t, err)
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	b, err := io.ReadAll(conn)
	require.NoError(t, err, "after %q", b)
	return string(b)
}

func TestServer(t *testing.T) {
	s, dial := start(t, Config{MaxClients: 2})
	gone := func() {
		t.Helper()
		require.Eventually(t, func() bool { return s.Stats().Clients == 0 }, 10*time.Second, time.Millisecond)
	}
	require.Equal(t, "+1:a\r\n+2:b\r\n+OK\r\n", all(t, dial(), "a\r\n*1\r\n$1\r\nb\r\nquit\r\nc\r\n"), "what is behind QUIT is not executed")
	gone()
	require.Equal(t, "+1:a\r\n-ERR Protocol error: invalid bulk length\r\n", all(t, dial(), "a\r\n*1\r\n$x\r\n"))
	gone()
	require.Equal(t, "-ERR Protocol error: request is too long (at most 1024 bytes)\r\n", all(t, dial(), "*1\r\n$2000\r\n"+strings.Repeat("x", 2000)))
	gone()
	require.Empty(t, all(t, dial(), "POST / HTTP/1.1\r\n"))
	gone()
	dial()
	dial()
	require.Eventually(t, func() bool { return s.Stats().Clients == 2 }, 10*time.Second, time.Millisecond)
	b, err := io.ReadAll(dial())
	require.NoError(t, err)
	require.Equal(t, "-ERR max number of clients reached\r\n", string(b))
	st := s.Stats()
	require.Equal(t, []uint64{6, 1, 4}, []uint64{st.Accepted, st.Refused, st.Executed})
}

func TestIdle(t *testing.T) {
	_, dial := start(t, Config{Idle: 10 * time.Millisecond})
	require.Equal(t, "+1:a\r\n", all(t, dial(), "a\r\n"))
}

// A request under way is answered when the server ends, and an earlier one of the same pipeline before.
func TestServerEnds(t *testing.T) {
	s, dial := start(t, Config{})
	conn, quiet := dial(), dial()
	_, err := io.WriteString(conn, "wait\r\n")
	require.NoError(t, err)
	require.Equal(t, "+1:a\r\n+OK\r\n", all(t, dial(), "a\r\nquit\r\n"), "it is for itself")
	require.Eventually(t, func() bool { return s.Stats().Clients == 2 }, 10*time.Second, time.Millisecond)
	s.Close()
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, ErrEnding.Error())
	_, err = quiet.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestInfo(t *testing.T) {
	for asked, want := range map[string]string{
		"": "# One\r\na:1\r\n\r\n# Two\r\nb:[x y]\r\n", "two": "# Two\r\nb:[x y]\r\n", "ALL": "# One\r\na:1\r\n\r\n# Two\r\nb:[x y]\r\n", "three": "",
	} {
		var list [][]byte
		if asked != "" {
			list = append(list, []byte(asked))
		}
		i := NewInfo(list)
		i.Section("one", func(add func(string, any)) { add("a", 1) })
		i.Section("two", func(add func(string, any)) { add("b", []string{"x", "y"}) })
		require.Equal(t, want, i.String(), asked)
	}
}
