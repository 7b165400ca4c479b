package durable_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/test/damage"
)

const dir = "/data/log"

// history is a log and what was written to it.
type history struct {
	t     *testing.T
	fs    *vfs.MemFS
	log   *durable.Log
	rng   *rand.Rand
	kept  []string // records, oldest first
	segs  []uint64 // of which segment each is
	count int
}

func newHistory(t *testing.T, seed uint64, crashable bool) *history {
	h := &history{t: t, fs: vfs.NewMem(), rng: rand.New(rand.NewPCG(seed, 7))}
	if crashable {
		h.fs = vfs.NewCrashableMem()
	}
	h.open()
	return h
}

func (h *history) open() {
	got, log, err := read(h.fs)
	require.NoError(h.t, err)
	require.Equal(h.t, h.kept, got)
	h.log = log
	h.begin()
}

func read(fs vfs.FS) (got []string, l *durable.Log, err error) {
	l, err = durable.OpenLog(disk.Files(fs), dir, "test", func(_ uint64, r []byte) error {
		got = append(got, string(r))
		return nil
	})
	return got, l, err
}

func (h *history) batch() (records [][]byte) {
	for range 1 + h.rng.IntN(4) {
		h.count++
		r := fmt.Appendf(nil, "record %d ", h.count)
		n := h.rng.IntN(200)
		if h.rng.IntN(20) == 0 {
			n = 100 << 10 // more than a slot has
		}
		records = append(records, append(r, bytes.Repeat([]byte{byte(h.count)}, n)...))
	}
	return records
}

func (h *history) note(records [][]byte) {
	for _, r := range records {
		h.kept, h.segs = append(h.kept, string(r)), append(h.segs, h.log.Segment())
	}
}

func (h *history) begin() {
	b := h.batch()
	require.NoError(h.t, h.log.Begin(b...))
	h.note(b)
}

func (h *history) step() {
	switch h.rng.IntN(12) {
	case 0:
		h.begin()
	case 1:
		below := h.log.Segment() - uint64(h.rng.IntN(2))
		require.NoError(h.t, h.log.Drop(below))
		for len(h.segs) > 0 && h.segs[0] < below {
			h.kept, h.segs = h.kept[1:], h.segs[1:]
		}
	default:
		b := h.batch()
		require.NoError(h.t, h.log.Append(b...))
		h.note(b)
	}
}

// TestLogSurvives: what was appended is there after the power has failed, or the process
// has ended; and no loss of power is taken for damage.
func TestLogSurvives(t *testing.T) {
	for seed := range uint64(30) {
		h := newHistory(t, seed, true)
		for range 30 {
			h.step()
			if h.rng.IntN(4) > 0 {
				continue
			}
			// Something is under way that nobody was told of.
			before := h.fs.CrashClone(vfs.CrashCloneCfg{})
			under := h.batch()
			require.NoError(t, h.log.Append(under...))
			old := h.log
			if h.rng.IntN(2) == 0 {
				h.note(under)
				h.fs = h.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: h.rng.IntN(101), RNG: h.rng})
			} else {
				h.fs = before
			}
			h.open()
			require.NoError(t, old.Close())
		}
		require.NoError(t, h.log.Close())
	}
}

// TestLogTorn: whatever part of the last write has reached the disk when the power fails,
// the log is what it was before it, or has all of it.
func TestLogTorn(t *testing.T) {
	long.Test(t)
	for seed := range uint64(300) {
		h := newHistory(t, seed, true)
		for range 1 + h.rng.IntN(5) {
			h.step()
		}
		require.NoError(t, h.log.Close())
		// The same log, whose flushes fail: what is written stays unsynced.
		broken := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpFileSyncData {
				return errorfs.ErrInjected
			}
			return nil
		})}
		h.open()
		require.NoError(t, h.log.Close())
		want := h.kept
		got, l, err := read(errorfs.Wrap(h.fs, &broken))
		require.NoError(t, err)
		require.Equal(t, want, got)
		own := h.batch()
		require.NoError(t, l.Begin(own...))
		for _, r := range own {
			want = append(want, string(r))
		}
		broken.On()
		b := h.batch()
		err = l.Append(b...)
		require.ErrorIs(t, err, errorfs.ErrInjected)
		require.ErrorIs(t, l.Append(b...), errorfs.ErrInjected, "nothing is appended any more")
		require.ErrorIs(t, l.Begin(b...), errorfs.ErrInjected)
		after := h.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: h.rng.IntN(101), RNG: h.rng})
		got, again, err := read(after)
		require.NoError(t, err)
		if len(got) != len(want) {
			for _, r := range b {
				want = append(want, string(r))
			}
		}
		require.Equal(t, want, got)
		// And it goes on behind that.
		require.NoError(t, again.Begin([]byte("more")))
		require.NoError(t, again.Append([]byte("and more")))
		require.NoError(t, again.Close())
		got, again, err = read(after)
		require.NoError(t, err)
		require.Equal(t, append(want, "more", "and more"), got)
		require.NoError(t, again.Close())
	}
}

// TestLogDamaged: whatever happens to one of its files, a log is what it was, or says that
// it is damaged.
func TestLogDamaged(t *testing.T) {
	long.Test(t)
	right, refused := map[string]int{}, map[string]int{}
	for seed := range uint64(40) {
		h := newHistory(t, seed, false)
		for range h.rng.IntN(12) {
			h.step()
		}
		older := damage.Read(t, h.fs, dir)
		for range 1 + h.rng.IntN(6) {
			if h.rng.IntN(4) == 0 {
				h.begin()
				continue
			}
			b := h.batch()
			require.NoError(t, h.log.Append(b...))
			h.note(b)
		}
		if h.rng.IntN(2) == 0 {
			require.NoError(t, h.log.Close()) // or it is killed
		}
		img := damage.Read(t, h.fs, dir)
		for d := range damage.Of(seed, img, older, 50) {
			fs := d.FS(t, dir)
			got, l, err := read(fs)
			if err != nil {
				require.ErrorIs(t, err, durable.ErrDamaged, d.String())
				refused[d.Kind]++
				continue
			}
			require.Equal(t, h.kept, got, d.String())
			right[d.Kind]++
			require.NoError(t, l.Close())
			got, l, err = read(fs)
			require.NoError(t, err, d.String())
			require.Equal(t, h.kept, got, d.String())
			require.NoError(t, l.Close())
		}
	}
	t.Log("right:", right, "refused:", refused)
	for _, k := range []string{damage.Flip, damage.Truncate, damage.Zero, damage.Misdirected} {
		require.NotZero(t, right[k], k)
		require.NotZero(t, refused[k], k)
	}
}

// TestLogMends: the last batch is in its slot once more.
func TestLogMends(t *testing.T) {
	h := newHistory(t, 1, false)
	require.NoError(t, h.log.Append([]byte("the last words")))
	require.NoError(t, h.log.Close())
	img := damage.Read(t, h.fs, dir)
	name := "00000001.log"
	at := bytes.LastIndex(img[name], []byte("the last words"))
	require.Equal(t, len(img[name])-len("the last words"), at)
	for _, b := range [][]byte{img[name][:at+3], append(bytes.Clone(img[name][:at]), "the lost words"...)} {
		img[name] = b
		fs := img.FS(t, dir)
		for range 2 {
			got, l, err := read(fs)
			require.NoError(t, err)
			require.Equal(t, "the last words", got[len(got)-1])
			require.NoError(t, l.Close())
		}
	}
}

// TestLogOfAnother: files of another log are not taken for those of this one.
func TestLogOfAnother(t *testing.T) {
	mem := vfs.NewMem()
	l, err := durable.OpenLog(disk.Files(mem), dir, "other", nil)
	require.NoError(t, err)
	require.NoError(t, l.Begin([]byte("a")))
	require.NoError(t, l.Close())
	img := damage.Read(t, mem, dir)
	_, _, err = read(img.FS(t, dir))
	require.ErrorIs(t, err, durable.ErrDamaged)
	require.ErrorContains(t, err, "of another log")

	mem = vfs.NewMem()
	_, l, err = read(mem)
	require.NoError(t, err)
	require.NoError(t, l.Begin([]byte("a")))
	require.NoError(t, l.Close())
	own := damage.Read(t, mem, dir)
	own["00000001.log"] = img["00000001.log"]
	_, _, err = read(own.FS(t, dir))
	require.ErrorContains(t, err, `it belongs to "other", not "test"`)
}

// TestLogFails: what cannot be written is no success.
func TestLogFails(t *testing.T) {
	for _, kind := range []errorfs.OpKind{errorfs.OpFileWriteAt, errorfs.OpFileSyncData, errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpRename} {
		broken := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == kind {
				return errorfs.ErrInjected
			}
			return nil
		})}
		l, err := durable.OpenLog(disk.Files(errorfs.Wrap(vfs.NewMem(), &broken)), dir, "test", nil)
		require.NoError(t, err)
		require.NoError(t, l.Begin([]byte("a")))
		require.NoError(t, l.Append([]byte("b")))
		broken.On()
		require.ErrorIs(t, errors.Join(l.Append([]byte("c")), l.Begin()), errorfs.ErrInjected)
		require.ErrorIs(t, l.Append([]byte("c")), errorfs.ErrInjected)
		broken.Off()
		_ = l.Close()
	}
}

// TestLogOnDisk: a log on the machine's own file system, for its owner only, goes on where it was closed.
func TestLogOnDisk(t *testing.T) {
	at := filepath.Join(t.TempDir(), "a", "log")
	var want []string
	for i := range 3 {
		var got []string
		l, err := durable.OpenLog(durable.Disk, at, "test", func(_ uint64, r []byte) error {
			got = append(got, string(r))
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NoError(t, l.Begin())
		for j := range 3 {
			want = append(want, fmt.Sprint(i, " ", j))
			require.NoError(t, l.Append([]byte(want[len(want)-1])))
		}
		if i == 1 {
			require.NoError(t, l.Drop(l.Segment()))
			want = want[3:]
		}
		require.NoError(t, l.Close())
	}
	list, err := os.ReadDir(at)
	require.NoError(t, err)
	require.Len(t, list, 3, "two segments and the mark")
	for _, e := range list {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
}
