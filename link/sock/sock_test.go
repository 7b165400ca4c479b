package sock

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListen(t *testing.T) {
	old := syscall.Umask(0) // as lax as can be
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	require.NoError(t, err)
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	_, err = Listen(path)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	c, err := net.Dial("unix", path)
	require.NoError(t, err)
	c.Close()
	// As if the process had been killed.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	l, err = Listen(path)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.NoFileExists(t, path)
	// A file that is no socket stays.
	require.NoError(t, os.WriteFile(path, []byte("data"), 0o644))
	_, err = Listen(path)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "data", string(b))
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	defer f.Close()
	st, err = f.Stat()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o666), st.Mode().Perm(), "the process's umask is what it was")
}
