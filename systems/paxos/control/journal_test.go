package control

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/test/damage"
)

// state is what records add up to.
func state(list []Record) *ledger {
	d := newLedger()
	for _, r := range list {
		d.apply(r)
	}
	if len(d.pending) == 0 {
		d.pending = nil
	}
	if len(d.before) == 0 {
		d.before, d.from = nil, 0
	}
	return d
}

// TestJournal: what was recorded is there when the journal is opened again after a loss of
// power, and shortening it changes nothing.
func TestJournal(t *testing.T) {
	member := rapid.Custom(func(t *rapid.T) Member {
		i := rapid.IntRange(1, 3).Draw(t, "switch") // a life is one switch's
		return Member{fmt.Sprintf("a%d", i), uint32(10*i + rapid.IntRange(1, 5).Draw(t, "life"))}
	})
	record := rapid.Custom(func(t *rapid.T) Record {
		r := Record{Kind: rapid.SampledFrom([]string{recordLife, recordRound, recordBegin, recordLead, recordServe, recordTrim, recordRing}).Draw(t, "kind"), App: "log"}
		switch r.Kind {
		case recordLife:
			m := member.Draw(t, "member")
			r.Switch, r.Life = m.Switch, m.Life
		case recordRing:
			r.Ring = uint32(rapid.IntRange(1, 99).Draw(t, "ring"))
		case recordTrim:
			r.First = uint32(rapid.IntRange(1, 99).Draw(t, "first"))
		default:
			r.Round = uint32(rapid.IntRange(1, 9).Draw(t, "round"))
			if r.Kind != recordRound {
				r.Members = rapid.SliceOfN(member, 3, 3).Draw(t, "members")
			}
			if r.Kind == recordLead || r.Kind == recordServe {
				r.Switch = "l"
			}
			if r.Kind == recordServe {
				r.First = uint32(rapid.IntRange(1, 99).Draw(t, "from"))
			}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		mem := vfs.NewCrashableMem()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var all []Record
		for range rapid.IntRange(1, 4).Draw(t, "openings") {
			j, err := openJournal(disk.Files(mem), "/j")
			require.NoError(t, err)
			require.Equal(t, state(all), state(j.Records()))
			for _, r := range rapid.SliceOfN(record, 0, 8).Draw(t, "records") {
				require.NoError(t, j.Append(r))
				all = append(all, r)
			}
			mem = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rapid.IntRange(0, 100).Draw(t, "unsynced"), RNG: rng})
			require.NoError(t, j.Close())
		}
	})
}

func TestJournalErrors(t *testing.T) {
	dir := t.TempDir()
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	_, err = OpenJournal(dir)
	require.ErrorContains(t, err, "is in use [is another controller running with it?]")
	require.NoError(t, j.Append(Record{Kind: recordRound, App: "log", Round: 7}))
	require.NoError(t, j.Close())
	j, err = OpenJournal(dir)
	require.NoError(t, err)
	require.Equal(t, uint32(7), state(j.Records()).round)
	require.NoError(t, j.Close())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = OpenJournal(filepath.Join(dir, "file"))
	require.ErrorContains(t, err, "journal: ")
}

// TestJournalFaults: whatever happens to one of its files, a journal is what it was, or it
// says that rounds may have been forgotten.
func TestJournalFaults(t *testing.T) {
	right, refused := 0, 0
	for seed := range uint64(10) {
		mem := vfs.NewMem()
		round := uint32(0)
		open := func(f vfs.FS) *FileJournal {
			j, err := openJournal(disk.Files(f), "/j")
			require.NoError(t, err)
			require.Equal(t, round, state(j.Records()).round)
			return j
		}
		more := func(j *FileJournal) {
			for range 5 {
				round++
				require.NoError(t, j.Append(Record{Kind: recordRound, App: "log", Round: round}))
			}
		}
		j := open(mem)
		more(j)
		require.NoError(t, j.Close())
		j = open(mem)
		more(j)
		older := damage.Read(t, mem, "/j")
		more(j)
		img := damage.Read(t, mem, "/j")
		require.NoError(t, j.Close())
		for d := range damage.Of(seed, img, older, 60) {
			f := d.FS(t, "/j")
			j, err := openJournal(disk.Files(f), "/j")
			if err != nil {
				require.ErrorIs(t, err, durable.ErrDamaged, d.String())
				require.ErrorContains(t, err, "it may lack rounds that were given out")
				refused++
				continue
			}
			require.Equal(t, round, state(j.Records()).round, d.String())
			require.NoError(t, j.Close())
			right++
		}
	}
	require.NotZero(t, right)
	require.NotZero(t, refused)
}

// TestJournalOfLines: that of an earlier build is read, once; and refused if it is damaged.
func TestJournalOfLines(t *testing.T) {
	line := func(text string) string { return fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(text)), text) }
	whole := line(`{"kind":"round","app":"log","round":7}`) + line(`{"kind":"round","app":"log","round":8}`)
	img := damage.Image{"journal": []byte(whole + "0000")}
	mem := img.FS(t, "/j")
	for range 2 {
		j, err := openJournal(disk.Files(mem), "/j")
		require.NoError(t, err)
		require.Equal(t, uint32(8), state(j.Records()).round)
		require.NoError(t, j.Close())
		_, err = mem.Stat("/j/journal")
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	for _, at := range []int{12, len(whole) - 3} {
		b := []byte(whole)
		b[at] ^= 1
		_, err := openJournal(disk.Files(damage.Image{"journal": b}.FS(t, "/j")), "/j")
		require.ErrorContains(t, err, "the checksum is wrong")
		require.ErrorContains(t, err, "it is damaged")
	}
}

// broken is a disk that is full from some record on.
type broken struct {
	fleettest.Journal[Record]
	left int
}

func (b *broken) Append(r Record) error {
	if b.left--; b.left < 0 {
		return os.ErrInvalid
	}
	return b.Journal.Append(r)
}

// TestDiskFull: what cannot be recorded is not done, and nothing after it.
func TestDiskFull(t *testing.T) {
	for left := range 10 {
		w, err := newWorld(testConfig, 1)
		require.NoError(t, err)
		j := &broken{left: left}
		core, err := New(w.conf, j, w.rng.Uint32, 0)
		require.NoError(t, err)
		w.journal, w.core, w.durable, w.records = &j.Journal, core, newLedger(), 0
		for name, d := range w.devices {
			w.forget(name)
			core.Synced(0, name, d.image(w))
		}
		for w.step() {
		}
		w.good(t) // it looks for what is used and not recorded
		if left < 9 {
			require.ErrorIs(t, core.Err(), os.ErrInvalid)
			require.Empty(t, w.leaders())
			require.ErrorIs(t, core.Lead(0, "log", "l"), os.ErrInvalid)
		} else {
			require.NoError(t, core.Err())
			require.NotEmpty(t, w.leaders())
		}
	}
}
