package lab

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
)

func needRoot(t *testing.T) {
	t.Helper()
	needs.Root(t, "network namespaces")
}

func TestLabIsolatesHosts(t *testing.T) {
	needRoot(t)
	l, err := New(2)
	require.NoError(t, err)
	defer l.Close()
	for _, h := range l.Hosts {
		require.NoError(t, l.InHost(h, func() error {
			ifi, err := net.InterfaceByName(Interface)
			if err != nil {
				return err
			}
			require.Equal(t, h.MAC, ifi.HardwareAddr)
			addrs, err := ifi.Addrs()
			require.NoError(t, err)
			require.Len(t, addrs, 1, "only the address that the lab gave")
			return nil
		}))
	}
	require.NoError(t, l.InSwitch(func() error {
		for _, h := range l.Hosts {
			if _, err := net.InterfaceByName(h.PortInterface()); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err = net.InterfaceByName("p1")
	require.Error(t, err, "the lab's interfaces are not ours")
}

func TestProcessRunsInTheHostsNamespace(t *testing.T) {
	needRoot(t)
	l, err := New(1)
	require.NoError(t, err)
	defer l.Close()
	var out bytes.Buffer
	p, err := l.StartInHost(l.Hosts[0], Spec{Name: "cat", Args: []string{"cat", "/proc/self/net/dev"}, Stdout: &out})
	require.NoError(t, err)
	<-p.Done()
	require.NoError(t, p.Err())
	require.Contains(t, out.String(), Interface)
}

// TestDying: a process that has ended and was not waited for yet is dying, one that
// works is not, and one that was waited for is.
func TestDying(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	cmd := exec.Command("cat")
	cmd.Stdin = r
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	require.False(t, dying(pid))
	require.NoError(t, w.Close())
	require.NoError(t, unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	require.True(t, dying(pid), "a zombie")
	require.NoError(t, cmd.Wait())
	require.True(t, dying(pid))
}

func TestThread(t *testing.T) {
	needRoot(t)
	l, err := New(2)
	require.NoError(t, err)
	defer l.Close()
	require.Equal(t, "0 0 0 0", threaded(t, l))
	require.NoError(t, l.Thread())
	require.Equal(t, "1 1 1 1", threaded(t, l), "both ends of both links")
}

// threaded says which ends of the links have their own threads.
func threaded(t *testing.T, l *Lab) string {
	t.Helper()
	var all []string
	look := func(ns netns.NsHandle, iface string) {
		require.NoError(t, withSysfs(ns, func() error {
			b, err := os.ReadFile("/sys/class/net/" + iface + "/threaded")
			all = append(all, strings.TrimSpace(string(b)))
			return err
		}))
	}
	for _, h := range l.Hosts {
		look(l.sw, h.PortInterface())
		look(h.ns, Interface)
	}
	return strings.Join(all, " ")
}
