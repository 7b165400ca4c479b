package kv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/test/damage"
)

// history is a machine's digest after every record.
type history struct {
	recs    [][]byte
	digests []string
}

func newHistory(t *testing.T, n int) *history {
	h := &history{}
	m := open(t, vfs.NewMem())
	h.digests = append(h.digests, digest(t, m))
	for i := range n {
		h.recs = append(h.recs, encode(record{time: int64(i), ops: []op{{code: opSet, n: int64(i % 7), args: args(fmt.Sprint("k", i%50), strings.Repeat("v", 100+i%300))}}}))
		apply(t, m, i, h.recs[i])
		h.digests = append(h.digests, digest(t, m))
	}
	require.NoError(t, m.Close())
	return h
}

// check opens a file system after a crash: it has executed min records at least, and
// whatever it has executed whole.
func (h *history) check(t *testing.T, fs vfs.FS, min int) {
	t.Helper()
	m := open(t, fs)
	n := applied(t, m)
	require.GreaterOrEqual(t, n, min)
	require.Equal(t, h.digests[n], digest(t, m))
	require.NoError(t, m.Close())
}

func TestMachineCrash(t *testing.T) {
	h := newHistory(t, 300)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	m := open(t, fs)
	synced := 0
	for n := 0; n < len(h.recs); {
		k := min(1+rng.IntN(10), len(h.recs)-n)
		apply(t, m, n, h.recs[n:n+k]...)
		n += k
		if rng.IntN(3) == 0 {
			require.NoError(t, m.Sync())
			synced = n
		}
		if rng.IntN(3) == 0 {
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}), synced)
		}
	}
	require.NoError(t, m.Close())
}

// At every step of Restore a crash leaves the old state or the new one, whole.
func TestRestoreCrash(t *testing.T) {
	h := newHistory(t, 200)
	from := open(t, vfs.NewMem())
	apply(t, from, 0, h.recs...)
	img := takeImage(t, from)
	require.NoError(t, from.Close())

	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	var mu sync.Mutex
	var crashed []vfs.FS
	watch := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(o errorfs.Op) error {
		if o.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			mu.Lock()
			defer mu.Unlock()
			for _, kept := range []int{0, 50, 100} { // what was never flushed may be lost, and may be there
				crashed = append(crashed, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: rng}))
			}
		}
		return nil
	})}
	m := open(t, errorfs.Wrap(fs, &watch))
	const old = 120
	apply(t, m, 0, h.recs[:old]...)
	require.NoError(t, m.Sync())
	watch.On()
	require.NoError(t, m.Restore(bytes.NewReader(img)))
	watch.Off()
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, crashed)
	states := map[int]int{}
	for _, fs := range crashed {
		m := open(t, fs)
		n := applied(t, m)
		states[n]++
		require.Equal(t, h.digests[n], digest(t, m))
		require.NoError(t, m.Close())
	}
	t.Logf("%d crashes; records executed: %v", len(crashed), states)
	require.Equal(t, len(crashed), states[old]+states[200])
	require.NotZero(t, states[old])
	require.NotZero(t, states[200])
	h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 200)
	require.NoError(t, m.Close())
}

// faultyFS fails from the n-th write on, once it is switched on.
type faultyFS struct {
	mu   sync.Mutex
	on   bool
	left int
	err  error
}

func (f *faultyFS) String() string { return "faults" }

func (f *faultyFS) MaybeError(o errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on || o.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	if f.left > 0 {
		f.left--
		return nil
	}
	return f.err
}

func (f *faultyFS) fail(after int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on, f.left, f.err = true, after, err
}

// When the disk is full Apply says so, sooner or later, and ever after; what Sync
// promised is there.
func TestMachineDiskFull(t *testing.T) {
	h := newHistory(t, 60)
	full := &pathError{"write", syscall.ENOSPC}
	for after := range 12 {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			fault := &faultyFS{}
			m := open(t, errorfs.Wrap(fs, fault))
			apply(t, m, 0, h.recs[:20]...)
			require.NoError(t, m.Sync())
			fault.fail(after, full)
			n, synced := 20, 20
			var err error
			for err == nil {
				if n < len(h.recs) {
					_, err = m.Apply([]replicated.Entry{{Index: uint64(n), Record: h.recs[n]}}, position(n+1))
				} else { // the last one again and again: it changes nothing any more
					_, err = m.Apply(nil, position(n))
				}
				if err == nil {
					n = min(n+1, len(h.recs))
					if err = m.Sync(); err == nil {
						synced = n
					}
				}
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.ErrorContains(t, err, "disk (/data/db-1)")
			_, again := m.Apply(nil, nil)
			require.Equal(t, err.Error(), again.Error())
			require.Error(t, m.Sync())
			require.Error(t, m.Failure())
			require.Equal(t, m.Failure(), (&Server{cfg: Config{Machine: m}}).Health())
			_, err = m.View(0)
			require.Error(t, err)
			_, err = m.Snapshot()
			require.Error(t, err)
			require.Error(t, m.Restore(bytes.NewReader(nil)))
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), synced)
			require.Error(t, m.Close())
		})
	}
}

// A disk that fills up while an image arrives: the old state goes on, unless the
// pointer was moved perhaps.
func TestRestoreDiskFull(t *testing.T) {
	h := newHistory(t, 60)
	from := open(t, vfs.NewMem())
	apply(t, from, 0, h.recs...)
	img := takeImage(t, from)
	require.NoError(t, from.Close())
	outcomes := map[string]int{}
	for after := 0; ; after++ {
		fs := vfs.NewCrashableMem()
		fault := &faultyFS{}
		m := open(t, errorfs.Wrap(fs, fault))
		apply(t, m, 0, h.recs[:20]...)
		require.NoError(t, m.Sync())
		fault.fail(after, &pathError{"write", syscall.ENOSPC})
		err := m.Restore(bytes.NewReader(img))
		fault.mu.Lock()
		fault.on = false
		fault.mu.Unlock()
		if err == nil {
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 60)
			_ = m.Close()
			outcomes["restored"]++
			break
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		if m.Failure() == nil {
			require.Equal(t, 20, applied(t, m))
			apply(t, m, 20, h.recs[20:]...)
			require.NoError(t, m.Sync())
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 60)
			outcomes["as before"]++
		} else {
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 20)
			outcomes["finished"]++
		}
		_ = m.Close()
	}
	t.Logf("%v", outcomes)
	require.NotZero(t, outcomes["as before"])
}

// pathError is an error of the operating system.
type pathError struct {
	op  string
	err error
}

func (e *pathError) Error() string { return e.op + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

// TestMachineFaults: whatever happens to one of its files, what a machine has is what it had
// when it was flushed last, or later; or it refuses.
//
// A database that has failed is not closed, and goes on trying: that is for a process of its
// own.
func TestMachineFaults(t *testing.T) {
	const child = "P4CE_TEST_FAULTS_CHILD"
	if os.Getenv(child) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMachineFaults$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: TestMachineFaults")
		return
	}
	h := newHistory(t, 300)
	right, refused := map[string]int{}, map[string]int{}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		fs := vfs.NewCrashableMem()
		now := func() damage.Image { // all of it at one moment
			return damage.Read(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rng}), "/data")
		}
		m := open(t, fs)
		n := 0
		more := func() {
			for range 1 + rng.IntN(4) {
				k := 1 + rng.IntN(30)
				apply(t, m, n, h.recs[n:n+k]...)
				n += k
				require.NoError(t, m.Sync())
			}
		}
		more()
		if rng.IntN(2) == 0 {
			require.NoError(t, m.Close())
			m = open(t, fs)
			more()
		}
		older := now()
		more()
		if rng.IntN(2) == 0 {
			require.NoError(t, m.Restore(bytes.NewReader(takeImage(t, m))))
			require.NoError(t, m.Sync())
		}
		img := now()
		require.NoError(t, m.Close())
		for d := range damage.Of(seed, img, older, 25) {
			m, err := Open(Options{Dir: "/data", FS: d.FS(t, "/data")})
			if err != nil {
				refused[d.Kind]++
				continue
			}
			got, err := m.Digest()
			if err != nil {
				refused[d.Kind]++
				_ = m.Close()
				continue
			}
			require.Equal(t, n, applied(t, m), d.String())
			require.Equal(t, h.digests[n], fmt.Sprintf("%x", got), d.String())
			require.NoError(t, m.Close())
			right[d.Kind]++
		}
	}
	t.Log("right:", right, "refused:", refused)
	require.NotZero(t, right[damage.Flip])
	require.NotZero(t, refused[damage.Flip])
}
