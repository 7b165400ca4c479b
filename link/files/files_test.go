package files

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(path("ten"), []byte("0123456789"), 0o600))
	require.NoError(t, os.WriteFile(path("eleven"), []byte("0123456789a"), 0o600))
	require.NoError(t, os.Symlink("ten", path("link")))
	for _, name := range []string{"ten", "link"} {
		b, err := Read(path(name), 10)
		require.NoError(t, err)
		require.Equal(t, "0123456789", string(b))
	}
	// It has no size, and not the less an end.
	b, err := Read("/proc/self/status", Settings)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(b), "Name:"))

	require.NoError(t, syscall.Mkfifo(path("fifo"), 0o600))
	huge, err := os.Create(path("huge"))
	require.NoError(t, err)
	require.NoError(t, huge.Truncate(1<<40))
	require.NoError(t, huge.Close())
	for name, want := range map[string]string{
		path("none"):        "no such file",
		path("eleven"):      "eleven has 11 bytes (at most 10)",
		path("huge"):        "huge has 1099511627776 bytes (at most 10)",
		"/proc/self/status": "has more than 10 bytes",
		path("fifo"):        "fifo is not a regular file", // and is not waited for
		"/dev/zero":         "/dev/zero is not a regular file",
		dir:                 "is a directory",
	} {
		_, err := Read(name, 10)
		require.ErrorContains(t, err, want, name)
	}
}

func TestPrivate(t *testing.T) {
	old := syscall.Umask(0) // as lax as can be
	defer syscall.Umask(old)
	dir := t.TempDir()
	mode := func(name string) os.FileMode {
		st, err := os.Stat(name)
		require.NoError(t, err)
		return st.Mode().Perm()
	}
	made := filepath.Join(dir, "a", "b")
	require.NoError(t, Private(made))
	require.Equal(t, os.FileMode(0o700), mode(made))
	require.NoError(t, Private(made), "again")

	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o777))
	require.NoError(t, Private(empty))
	require.Equal(t, os.FileMode(0o700), mode(empty), "closed")

	for _, m := range []os.FileMode{0o755, 0o750, 0o710, 0o701, 0o777} {
		require.NoError(t, os.WriteFile(filepath.Join(empty, "data"), nil, 0o600))
		require.NoError(t, os.Chmod(empty, m))
		require.ErrorContains(t, Private(empty), "other users could read or change its contents [chmod 700 "+empty+"]")
		require.Equal(t, m, mode(empty), "left as it is")
	}
	require.NoError(t, os.Chmod(empty, 0o700))
	require.NoError(t, Private(empty))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.ErrorContains(t, Private(filepath.Join(dir, "file")), "not a directory")
}
