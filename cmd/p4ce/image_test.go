package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
)

// TestImage runs the compose file's services with what the image has and nothing else, as the user that the file says: root folders
// of their own with the files of the Containerfile, and the file's addresses on the loopback. The store replicates through the
// switch. What an engine adds, isolation, is not part of it.
func TestImage(t *testing.T) {
	long.Test(t)
	needs.Root(t, "root folders of their own")
	recipe, err := os.ReadFile("../../dist/image/Containerfile")
	require.NoError(t, err)
	require.Contains(t, string(recipe), "\nFROM scratch\n")
	copied := regexp.MustCompile(`(?m)^COPY (.*) /usr/bin/$`).FindSubmatch(recipe)
	require.NotNil(t, copied)
	programs := strings.Fields(string(copied[1]))
	require.Contains(t, programs, "p4ce")
	script, err := os.ReadFile("../../dist/container")
	require.NoError(t, err)
	for _, p := range programs {
		require.Contains(t, string(script), "./cmd/"+p, "what the image has is built for it")
	}
	bin := filepath.Join(t.TempDir(), "p4ce")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	text, err := os.ReadFile("../../dist/image/compose.yaml")
	require.NoError(t, err)
	var file struct {
		Services map[string]struct {
			User     string
			Command  []string
			Ports    []string
			Networks map[string]struct {
				Address string `yaml:"ipv4_address"`
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	lo, err := netlink.LinkByName("lo")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	var clients []*redis.Client
	for name, s := range file.Services {
		require.Equal(t, "65534:65534", s.User, name)
		addr, err := netlink.ParseAddr(s.Networks["net"].Address + "/32")
		require.NoError(t, err, name)
		require.NoError(t, netlink.AddrAdd(lo, addr))
		t.Cleanup(func() { require.NoError(t, netlink.AddrDel(lo, addr)) })
		root := t.TempDir()
		require.NoError(t, os.Chmod(root, 0o755))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "usr/bin"), 0o755))
		require.NoError(t, os.Link(bin, filepath.Join(root, "usr/bin/p4ce")))
		require.NoError(t, os.Mkdir(filepath.Join(root, "data"), 0o755))
		require.NoError(t, os.Chown(filepath.Join(root, "data"), 65534, 65534))
		args := slices.Clone(s.Command)
		if len(s.Ports) > 0 { // HOST:PORT:PORT
			i := strings.LastIndexByte(s.Ports[0], ':')
			at, port := s.Ports[0][:i], s.Ports[0][i:]
			listen := slices.Index(args, "--listen="+port)
			require.GreaterOrEqual(t, listen, 0, "%s serves at the port that is published", name)
			args[listen] = "--listen=" + at
			c := redis.NewClient(&redis.Options{Addr: at, MaxRetries: -1})
			t.Cleanup(func() { require.NoError(t, c.Close()) })
			clients = append(clients, c)
		}
		log := &lab.Log{}
		cmd := exec.Command("/usr/bin/p4ce", args...)
		cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Stdout, cmd.Stderr = io.Discard, log
		require.NoError(t, cmd.Start(), name)
		t.Cleanup(func() {
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			require.NoError(t, cmd.Wait(), name)
			if t.Failed() {
				t.Logf("%s:\n%s", name, log)
			}
		})
	}
	t.Cleanup(cancel)
	require.Len(t, clients, 3)
	var leader *redis.Client
	require.Eventually(t, func() bool {
		for _, c := range clients {
			if c.Set(ctx, "greeting", "hello", 0).Err() == nil {
				leader = c
				return strings.Contains(c.Info(ctx, "replication").Val(), "accelerated")
			}
		}
		return false
	}, 2*time.Minute, 50*time.Millisecond, "a leader that replicates through the switch")
	require.Equal(t, "hello", leader.Get(ctx, "greeting").Val())
}
