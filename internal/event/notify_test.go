package event

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestServiceManager: a service manager is told once that the program is ready, when it says so, and that it ends.
func TestServiceManager(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	require.NoError(t, err)
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", name)
	said := func() string {
		b := make([]byte, 100)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
		n, err := c.Read(b)
		require.NoError(t, err)
		return string(b[:n])
	}
	p := NewPrinter(io.Discard)
	defer p.Close()
	p.Ready("switch")
	p.Print(Role{Event: "status"})
	require.NoError(t, p.Ends(nil))
	require.Equal(t, "READY=1", said())
	require.Equal(t, "STOPPING=1", said())

	p = NewPrinter(io.Discard) // one that has never been ready
	require.NoError(t, p.Ends(nil))
	p.Close()
	require.NoError(t, c.SetReadDeadline(time.Now()))
	_, err = c.Read(make([]byte, 100))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
