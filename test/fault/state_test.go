package fault

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

var (
	stateSize = flag.Int("state-mib", 96, "TestStateBack: MiB of state")
	memory    = flag.Int("memory-mib", 512, "TestStateBack: MiB of memory for each server that gives or takes it")
)

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

// limitMemory gives a process so much memory, the kernel's for its files included: as a group of the memory controller (cgroup v2, or v1).
func limitMemory(t *testing.T, pid, mib int) {
	t.Helper()
	root, limits := "/sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}
	if _, err := os.Stat(root); err != nil {
		root, limits = "/sys/fs/cgroup", []string{"memory.max"}
		c, _ := os.ReadFile(filepath.Join(root, "cgroup.controllers"))
		if !slices.Contains(strings.Fields(string(c)), "memory") {
			needs.Kernel(t, errors.New("this machine offers no cgroup with a memory controller"))
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+memory"), 0))
	}
	dir := filepath.Join(root, fmt.Sprintf("p4ce-%d-%d", os.Getpid(), pid))
	require.NoError(t, os.Mkdir(dir, 0o755))
	t.Cleanup(func() {
		b, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for _, p := range strings.Fields(string(b)) {
			_ = os.WriteFile(filepath.Join(root, "cgroup.procs"), []byte(p), 0)
		}
		require.NoError(t, os.Remove(dir))
	})
	for _, l := range limits {
		require.NoError(t, os.WriteFile(filepath.Join(dir, l), []byte(strconv.Itoa(mib<<20)), 0))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0))
}

// writes is clients that write, each one key after the other, until it is stopped.
type writes struct {
	n    atomic.Int64
	stop context.CancelFunc
	done sync.WaitGroup
}

// writers starts clients that write 1 KiB each to keys of the state and to others.
func (r *run) writers(n, keys int) *writes {
	ctx, cancel := context.WithCancel(r.ctx)
	l := &writes{stop: cancel}
	leader := r.leader()
	for i := range n {
		l.done.Go(func() {
			c := r.Client(leader)
			defer c.Close()
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			value := strings.Repeat("v", 1<<10)
			for ctx.Err() == nil {
				if c.Set(ctx, fmt.Sprint("big", rng.IntN(2*keys)), value, 0).Err() == nil {
					l.n.Add(1)
				}
			}
		})
	}
	return l
}

// TestStateBack: a server that has lost its disk gets all of a state from the leader, in memory that has nothing to do with
// how much that is, while clients go on, and nobody else leads.
func TestStateBack(t *testing.T) {
	r := open(t, 3, false, 50*time.Minute, "--heartbeat", "60ms") // the machine is small, and this takes all of it
	const length = 16 << 10
	keys := *stateSize << 20 / length
	fill := func() {
		leader := r.leader()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				at := leader
				c := r.Client(at)
				defer func() { c.Close() }()
				rng := rand.NewChaCha8([32]byte{byte(i)}) // what can be compressed would be less
				value := make([]byte, length)
				for k := i; k < keys && r.ctx.Err() == nil; {
					_, _ = rng.Read(value)
					if c.Set(r.ctx, fmt.Sprint("big", k), value, 0).Err() == nil {
						k += 8
						continue
					}
					if now, err := r.Serving(r.ctx); err == nil && now != at { // setting it again changes nothing
						c.Close()
						at, c = now, r.Client(now)
					}
				}
			})
		}
		all.Wait()
		require.NoError(t, r.ctx.Err())
	}
	for i := range r.Servers() {
		limitMemory(t, r.Server(i).Proc.PID(), *memory)
	}
	begin := time.Now()
	fill()
	t.Logf("%d MiB were written in %v", *stateSize, time.Since(begin).Round(time.Second))
	gone := (r.leader() + 1) % 3
	r.Kill(gone)
	require.NoError(t, os.RemoveAll(r.Data(gone)))
	leader := r.leader()
	term := r.term(leader)
	pid := r.Server(leader).Proc.PID()
	l := r.writers(4, keys)
	defer l.done.Wait()
	defer l.stop()
	rate := func(until <-chan struct{}) float64 {
		begin, n := time.Now(), l.n.Load()
		<-until
		return float64(l.n.Load()-n) / time.Since(begin).Seconds()
	}
	after := func(d time.Duration) <-chan struct{} {
		c := make(chan struct{})
		time.AfterFunc(d, func() { close(c) })
		return c
	}
	rate(after(2 * time.Second)) // what is kept in memory is there
	alone := rate(after(5 * time.Second))
	resetPeak(t, pid)
	before := peak(t, pid)
	begin = time.Now()
	require.NoError(t, r.Restart(gone))
	limitMemory(t, r.Server(gone).Proc.PID(), *memory)
	back := make(chan struct{})
	var err error
	go func() {
		defer close(back)
		err = r.Full(r.ctx, gone)
	}()
	during := rate(back)
	require.NoError(t, err)
	took := time.Since(begin)
	grew := peak(t, pid) - before
	t.Logf("%d MiB of state came back in %v; the leader's memory grew by %d MiB, from %d (of %d); %.0f writes a second meanwhile, %.0f before (%.0f %%); the other server had %d MiB at most",
		*stateSize, took.Round(100*time.Millisecond), grew, before, *memory, during, alone, 100*during/alone, peak(t, r.Server(gone).Proc.PID()))
	require.Equal(t, leader, r.leader())
	require.Equal(t, term, r.term(leader), "nobody else was elected")
	require.Less(t, grew, 64)
	l.stop()
	l.done.Wait()
	r.equal()
}
