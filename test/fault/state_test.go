package fault

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var stateSize = flag.Int("state-mib", 96, "TestStateBack: MiB of state")

// peak is the most memory that a process has had, in MiB, since resetPeak.
func peak(t *testing.T, pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, after, ok := strings.Cut(string(b), "VmHWM:")
	require.True(t, ok)
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(t, err)
	return kb / 1024
}

func resetPeak(t *testing.T, pid int) {
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0))
}

// TestStateBack: a server that has lost its disk gets all of a state from the leader, in memory that has nothing to do with
// how much that is, while clients go on, and nobody else leads.
func TestStateBack(t *testing.T) {
	r := open(t, 3, false, 10*time.Minute, "--heartbeat", "60ms") // the machine is small, and this takes all of it
	value := strings.Repeat("0123456789abcdef", 4096)             // 64 KiB; each is another one by its first bytes
	fill := func(n int) {
		leader := r.leader()
		c := r.Client(leader)
		defer func() { c.Close() }()
		for i := 0; i < n; {
			key := fmt.Sprint("big", i)
			if c.Set(r.ctx, key, key+value[len(key):], 0).Err() == nil {
				i++
				continue
			}
			require.NoError(t, r.ctx.Err())
			c.Close() // another one may lead, on a machine as busy as this; setting it again changes nothing
			c = r.Client(r.leader())
		}
	}
	fill(*stateSize * 16)
	gone := (r.leader() + 1) % 3
	r.Kill(gone)
	require.NoError(t, os.RemoveAll(r.Data(gone)))
	fill(100)
	leader := r.leader()
	c := r.Client(leader)
	defer c.Close()
	term := r.term(leader)
	rate := func(for_ time.Duration, until func() bool) float64 {
		begin, n := time.Now(), 0
		for time.Since(begin) < for_ && !until() {
			ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
			require.NoError(t, c.Set(ctx, "small", n, 0).Err())
			cancel()
			n++
		}
		return float64(n) / time.Since(begin).Seconds()
	}
	alone := rate(2*time.Second, func() bool { return false })

	pid := r.Server(leader).Proc.PID()
	resetPeak(t, pid)
	before, begin := peak(t, pid), time.Now()
	require.NoError(t, r.Restart(gone))
	full, cancel := context.WithCancel(r.ctx)
	defer cancel()
	back := make(chan error, 1)
	go func() {
		_, err := r.Whole(full, "")
		back <- err
	}()
	var err error
	during := rate(9*time.Minute, func() bool {
		select {
		case err = <-back:
			return true
		default:
			return false
		}
	})
	require.NoError(t, err)
	grew := peak(t, pid) - before
	t.Logf("%d MiB of state came back in %v; the leader's memory grew by %d MiB, from %d; %.0f writes a second meanwhile, %.0f before", *stateSize, time.Since(begin).Round(100*time.Millisecond), grew, before, during, alone)
	require.Equal(t, leader, r.leader())
	require.Equal(t, term, r.term(leader), "nobody else was elected")
	require.Less(t, grew, 64)
	r.equal()
}
