package xdp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
)

// TestOnePollsAll: where the program keeps an order, a thread on one CPU polls each port, the CPU port as well: what comes by it may
// say what has left before it.
func TestOnePollsAll(t *testing.T) {
	needs.Root(t, "XDP")
	if runtime.NumCPU() == 1 {
		needs.Hardware(t, errors.New("one CPU: nothing is to be pinned"))
	}
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("onepipecpu")
	require.NoError(t, err)
	iface := fmt.Sprint("c", os.Getpid()) // of no other test that runs
	var target *xdp.Target
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64, CPUInterface: iface}); err != nil {
			return err
		}
		if err := target.AddPort(dataplane.Port(l.Hosts[0].Port), l.Hosts[0].PortInterface()); err != nil {
			return err
		}
		return target.Load(pipeline)
	}))
	defer l.InSwitch(target.Close)
	threads, err := filepath.Glob("/proc/[0-9]*/comm")
	require.NoError(t, err)
	found := 0
	for _, file := range threads {
		name, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(name), "napi/"+iface+"-") {
			continue // it has ended, or is another one
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		var on unix.CPUSet
		require.NoError(t, unix.SchedGetaffinity(pid, &on))
		require.Equal(t, 1, on.Count())
		nice, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
		require.NoError(t, err)
		require.Equal(t, 40, nice, "it waits for programs") // 20 - (-20), as the system call says it
		found++
	}
	require.Positive(t, found)
}

// TestOneQueue: a program that keeps an order needs ports with one queue, and says how to have one.
func TestOneQueue(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	port, iface := dataplane.Port(l.Hosts[0].Port), l.Hosts[0].PortInterface()
	require.NoError(t, l.InSwitch(func() error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer e.Close()
		queues := func(n uint32) {
			_, err := e.SetChannels(iface, ethtool.Channels{RxCount: n, TxCount: n})
			needs.Kernel(t, err)
		}
		for _, c := range []struct {
			program string
			queues  uint32
			refused bool
		}{{"onepipe", 2, true}, {"onepipe", 1, false}, {"l2", 2, false}} {
			queues(c.queues)
			target, err := xdp.New(xdp.Config{CPUPort: 64, CPUInterface: fmt.Sprint("c", os.Getpid())})
			if err != nil {
				return err
			}
			pipeline, err := builtin.Pipeline(c.program)
			if err == nil {
				err = target.AddPort(port, iface)
			}
			require.NoError(t, err)
			if err = target.Load(pipeline); c.refused {
				require.ErrorContains(t, err, "receives by 2 queues [ethtool -L "+iface)
			} else {
				require.NoError(t, err)
			}
			require.NoError(t, target.Close())
		}
		return nil
	}))
}
