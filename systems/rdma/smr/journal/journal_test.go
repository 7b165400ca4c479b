package journal

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/test/damage"
)

var owner = Owner{ID: 3, Cluster: 7, LogSize: 1 << 16}

func open(t *testing.T, fs vfs.FS) *Journal {
	t.Helper()
	j, err := Open("/data/journal", disk.Files(fs), owner)
	require.NoError(t, err)
	return j
}

// entries of the log from the i-th to before the k-th, 100 bytes each.
func entries(i, k int) []mu.Logged {
	var all []mu.Logged
	for ; i < k; i++ {
		all = append(all, mu.Logged{
			Term: 258, Position: uint64(100 * i), End: uint64(100*i + 100), Commit: uint64(100 * i), Bytes: []byte(fmt.Sprint("entry ", i)),
		})
	}
	return all
}

func read(t *testing.T, j *Journal) []mu.Logged {
	t.Helper()
	var all []mu.Logged
	require.NoError(t, j.Entries(func(e mu.Logged) error {
		e.Bytes = append([]byte(nil), e.Bytes...)
		all = append(all, e)
		return nil
	}))
	return all
}

// TestJournal: everything that was written is there after a loss of power, in its order,
// but for what was trimmed.
func TestJournal(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			fs := vfs.NewCrashableMem()
			j := open(t, fs)
			require.Zero(t, j.Stored())
			stored := mu.Stored{Full: true, Promised: 259, Incarnation: 5}
			stored.Announced[63] = 9
			require.NoError(t, j.Promise(stored))
			trimmed, written := 0, 0
			for range 20 {
				n := 1 + rng.IntN(30)
				require.NoError(t, j.Append(entries(written, written+n)))
				written += n
				if rng.IntN(3) == 0 {
					trimmed += rng.IntN(written - trimmed + 1)
					require.NoError(t, j.Trim(uint64(100*trimmed)))
				}
				if rng.IntN(3) > 0 {
					continue
				}
				old := j
				fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
				j = open(t, fs)
				require.Equal(t, stored, j.Stored())
				got := read(t, j)
				// What was trimmed may be there again.
				first := written - len(got)
				require.LessOrEqual(t, first, trimmed)
				require.Equal(t, entries(first, written), got)
				require.Equal(t, uint64(100*trimmed), j.Trimmed())
				require.Equal(t, len(got), j.Len())
				require.NoError(t, old.Close())
			}
			require.NoError(t, j.Close())
		})
	}
}

// TestPromiseIsFlushed: a promise is there after a loss of power, also when nothing was
// written behind it.
func TestPromiseIsFlushed(t *testing.T) {
	fs := vfs.NewCrashableMem()
	j := open(t, fs)
	for term := range mu.Term(10) {
		stored := mu.Stored{Full: true, Promised: 258 + term<<8}
		require.NoError(t, j.Promise(stored))
		after := open(t, fs.CrashClone(vfs.CrashCloneCfg{}))
		require.Equal(t, stored, after.Stored())
		require.NoError(t, after.Close())
	}
	require.NoError(t, j.Close())
}

// TestNotFull: what a server held that was no full member counted for nothing.
func TestNotFull(t *testing.T) {
	fs := vfs.NewMem()
	j := open(t, fs)
	require.NoError(t, j.Promise(mu.Stored{Promised: 259}))
	require.NoError(t, j.Append(entries(0, 3)))
	require.NoError(t, j.Close())
	j = open(t, fs)
	require.Empty(t, read(t, j))
	require.NoError(t, j.Close())
}

func TestOtherOwner(t *testing.T) {
	fs := vfs.NewMem()
	require.NoError(t, open(t, fs).Close())
	for _, o := range []Owner{{4, 7, 1 << 16}, {3, 8, 1 << 16}, {3, 7, 1 << 17}} {
		_, err := Open("/data/journal", disk.Files(fs), o)
		require.ErrorIs(t, err, ErrOther)
	}
}

// TestDiskFails: a promise or an entry that is not on disk is no success.
func TestDiskFails(t *testing.T) {
	for _, f := range []func(j *Journal) error{
		func(j *Journal) error { return j.Promise(mu.Stored{Full: true, Promised: 259}) },
		func(j *Journal) error { return j.Append(entries(0, 1)) },
	} {
		broken := errorfs.Toggle{Injector: errorfs.ErrInjected.If(errorfs.Writes)}
		j := open(t, errorfs.Wrap(vfs.NewMem(), &broken))
		broken.On()
		err := f(j)
		require.ErrorContains(t, err, errorfs.ErrInjected.Error())
		broken.Off()
		_ = j.Close()
	}
}

// TestFaults: whatever happens to one of its files, a journal is what it was, or refuses,
// and says how to go on.
func TestFaults(t *testing.T) {
	right, refused := 0, 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		fs := vfs.NewMem()
		j := open(t, fs)
		stored := mu.Stored{Full: true, Promised: 259, Incarnation: 5, Lease: 50}
		require.NoError(t, j.Promise(stored))
		n := 0
		more := func() {
			for range 1 + rng.IntN(5) {
				k := 1 + rng.IntN(30)
				require.NoError(t, j.Append(entries(n, n+k)))
				n += k
			}
		}
		more()
		if rng.IntN(2) == 0 { // another life
			require.NoError(t, j.Close())
			j = open(t, fs)
			more()
		}
		older := damage.Read(t, fs, "/data/journal")
		stored.Promised = 515
		require.NoError(t, j.Promise(stored))
		more()
		img := damage.Read(t, fs, "/data/journal")
		require.NoError(t, j.Close())
		for d := range damage.Of(seed, img, older, 40) {
			j, err := Open("/data/journal", disk.Files(d.FS(t, "/data/journal")), owner)
			if err != nil {
				require.ErrorIs(t, err, durable.ErrDamaged, d.String())
				require.ErrorContains(t, err, "remove the journal")
				refused++
				continue
			}
			require.Equal(t, stored, j.Stored(), d.String())
			require.Equal(t, entries(0, n), read(t, j), d.String())
			require.NoError(t, j.Close())
			right++
		}
	}
	require.NotZero(t, right)
	require.NotZero(t, refused)
}

// TestUnknown: records that nobody has written, whole as they are, are an error.
func TestUnknown(t *testing.T) {
	for _, r := range []string{"", "o{", "s[", "t123", "eshort", "x"} {
		fs := vfs.NewMem()
		j := open(t, fs)
		require.NoError(t, j.log.Append([]byte(r)))
		require.NoError(t, j.Close())
		_, err := Open("/data/journal", disk.Files(fs), owner)
		require.ErrorContains(t, err, "damaged", r)
	}
}

// TestEarlier: a journal of a build that had a database is not taken for none.
func TestEarlier(t *testing.T) {
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll("/data", 0o700))
	db, err := pebble.Open("/data/journal", &pebble.Options{FS: fs, Logger: quiet{}})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open("/data/journal", disk.Files(fs), owner)
	require.ErrorContains(t, err, "earlier build")
}

type quiet struct{ pebble.Logger }

func (quiet) Infof(string, ...any) {}

// TestTrim: a segment is dropped when nothing in it is needed, and others are not.
func TestTrim(t *testing.T) {
	fs := vfs.NewMem()
	j := open(t, fs)
	require.NoError(t, j.Promise(mu.Stored{Full: true}))
	big := entries(0, 40)
	for i := range big {
		big[i].Bytes = make([]byte, 1<<20)
	}
	for i := range big {
		require.NoError(t, j.Append(big[i:i+1]))
	}
	require.Equal(t, 40, j.Len())
	require.NoError(t, j.Trim(big[20].End))
	require.Equal(t, 40, j.Len(), "what is dropped is more than what is not needed")
	require.NoError(t, j.Trim(big[38].End))
	require.Less(t, j.Len(), 20)
	require.Equal(t, big[38].End, j.Trimmed())
	require.NoError(t, j.Close())
	j = open(t, fs)
	require.Equal(t, big[38].End, j.Trimmed())
	got := read(t, j)
	require.Equal(t, big[39], got[len(got)-1])
	require.Equal(t, mu.Stored{Full: true}, j.Stored())
	require.NoError(t, j.Close())
}
