package cpu

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

func TestController(t *testing.T) {
	for name, tt := range map[string]struct {
		mounts  string
		unified bool
		dir     string
		v2      bool
	}{
		"v2":                        {"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", true, "/sys/fs/cgroup", true},
		"v2 without the controller": {"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", false, "", false},
		"v1":                        {"tmpfs /sys/fs/cgroup tmpfs ro 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n", false, "/sys/fs/cgroup/cpu", false},
		"v1, v2 without it":         {"cgroup2 /u cgroup2 rw 0 0\ncgroup /c cgroup rw,cpu 0 0\n", false, "/c", false},
		"another of v1":             {"cgroup /c cgroup rw,cpuset 0 0\n", false, "", false},
		"not mounts":                {"x\n\n", true, "", false},
	} {
		dir, v2 := controller(tt.mounts, func(string) bool { return tt.unified })
		require.Equal(t, tt.dir, dir, name)
		require.Equal(t, tt.v2, v2, name)
	}
}

func TestNoController(t *testing.T) {
	mounts := filepath.Join(t.TempDir(), "mounts")
	require.NoError(t, os.WriteFile(mounts, nil, 0o600))
	_, err := newQuota(mounts, "x", 0.5)
	require.ErrorIs(t, err, ErrNoController)
	_, err = NewQuota("x", MinQuota/2)
	require.ErrorContains(t, err, "the kernel takes no less than 0.1")
}

// A group takes this process, and is gone when it is closed.
func TestQuota(t *testing.T) {
	needs.Root(t, "a cgroup")
	if err := Available(); errors.Is(err, ErrNoController) {
		return // what the benchmark does then is the caller's, and said there
	}
	q, err := NewQuota("p4ce-test", 1)
	require.NoError(t, err)
	require.DirExists(t, q.dir)
	require.NoError(t, q.Close())
	require.NoDirExists(t, q.dir)
}

func TestTime(t *testing.T) {
	before, err := Time(os.Getpid())
	require.NoError(t, err)
	for x := 0; x < 20_000_000; x++ {
		_ = x * x
	}
	after, err := Time(os.Getpid())
	require.NoError(t, err)
	require.Greater(t, after, before)
	_, err = Time(1 << 27) // more than there can be
	require.ErrorContains(t, err, "has it ended?")
}
