package xdp_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
)

// portVariable names the port that the test's child is to be a switch with.
const portVariable = "P4CE_TEST_PRIVILEGE_PORT"

// TestPrivilege: nobody with the capabilities that the target asks for can be a switch, CPU
// port and all; without one of them the target says which.
func TestPrivilege(t *testing.T) {
	if port := os.Getenv(portVariable); port != "" {
		beSwitch(t, port)
		return
	}
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	run := func(caps ...uintptr) (string, error) {
		// The test's binary is in a folder that nobody else can enter.
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestPrivilege$", "-test.v")
		cmd.Env = append(os.Environ(), portVariable+"="+l.Hosts[0].PortInterface())
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}, AmbientCaps: caps}
		var out []byte
		err := l.InSwitch(func() error {
			var err error
			out, err = cmd.CombinedOutput()
			return err
		})
		return string(out), err
	}
	var all []uintptr
	for _, c := range xdp.Capabilities() {
		all = append(all, uintptr(c.Bits[0]))
	}
	out, err := run(all...)
	require.NoError(t, err, out)
	require.Contains(t, out, "a switch ran")
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit))
	for i, c := range xdp.Capabilities() {
		if c.OrMemlock && limit.Cur == unix.RLIM_INFINITY {
			continue
		}
		out, err := run(slices.Delete(slices.Clone(all), i, i+1)...)
		require.Error(t, err)
		require.Contains(t, out, "the process lacks: "+c.Name+" (")
	}
}

func beSwitch(t *testing.T, port string) {
	target, err := xdp.New(xdp.Config{CPUPort: 64})
	require.NoError(t, err)
	defer target.Close()
	require.NoError(t, target.AddPort(1, port))
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	require.NoError(t, target.Load(pipeline))
	fmt.Println("a switch ran")
}
