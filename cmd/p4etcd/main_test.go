package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
)

// TestEmbedded: p4ce controller with an embedded etcd is this program, in the process that was started; it serves, and
// what it has kept is there for the next.
func TestEmbedded(t *testing.T) {
	needs.Time(t, "programs are built")
	dir, err := os.MkdirTemp("", "p4ce-etcd-") // sockets have short names
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	server, err := launch.Build(dir, "p4etcd")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	at := "unix:" + filepath.Join(dir, "rt")
	sw, err := launch.Start(nil, launch.Options{Name: "switch", Args: []string{
		binary, "switch", "--target", "interp", "--listen", at, "--port", "1=unix:" + filepath.Join(dir, "a") + "," + filepath.Join(dir, "b"),
	}})
	require.NoError(t, err)
	t.Cleanup(sw.Kill)
	require.NoError(t, sw.AwaitReady(ctx))
	for range 2 {
		admin := "unix:" + filepath.Join(dir, "admin")
		p, err := launch.Start(nil, launch.Options{Name: "controller", Args: []string{
			binary, "controller", "--switch", at, "--address", "10.66.0.1", "--mac", "02:50:34:63:65:01",
			"--admin", admin, "--store", "embedded:" + filepath.Join(dir, "data"), "--name", "this one",
		}})
		require.NoError(t, err)
		t.Cleanup(p.Kill)
		require.NoError(t, p.AwaitReady(ctx))
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.PID()), "exe"))
		require.NoError(t, err)
		require.Equal(t, server, exe)
		require.DirExists(t, filepath.Join(dir, "data", "etcd"))
		out, err := exec.CommandContext(ctx, binary, "status", "--controller", admin).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "unit "+at)
		p.End(ctx)
	}
}
