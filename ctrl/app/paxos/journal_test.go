package paxos

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// state is what records add up to.
func state(list []Record) *durable {
	d := newDurable()
	for _, r := range list {
		d.apply(r)
	}
	if len(d.pending) == 0 {
		d.pending = nil
	}
	return d
}

// TestJournal: what was recorded is there when the journal is opened again, at most one record
// that was never acted upon is lost, and shortening it changes nothing.
func TestJournal(t *testing.T) {
	member := rapid.Custom(func(t *rapid.T) Member {
		i := rapid.IntRange(1, 3).Draw(t, "switch") // a life is one switch's
		return Member{fmt.Sprintf("a%d", i), uint32(10*i + rapid.IntRange(1, 5).Draw(t, "life"))}
	})
	record := rapid.Custom(func(t *rapid.T) Record {
		r := Record{Kind: rapid.SampledFrom([]string{recordLife, recordRound, recordBegin, recordLead, recordTrim}).Draw(t, "kind"), App: "log"}
		switch r.Kind {
		case recordLife:
			m := member.Draw(t, "member")
			r.Switch, r.Life = m.Switch, m.Life
		case recordTrim:
			r.First = uint32(rapid.IntRange(1, 99).Draw(t, "first"))
		default:
			r.Round = uint32(rapid.IntRange(1, 9).Draw(t, "round"))
			if r.Kind != recordRound {
				r.Members = rapid.SliceOfN(member, 3, 3).Draw(t, "members")
			}
			if r.Kind == recordLead {
				r.Switch = "l"
			}
		}
		return r
	})
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, string(rune('a'+n%26)), filepath.Base(t.Name()))
		require.NoError(t, os.RemoveAll(dir))
		var all []Record
		for range rapid.IntRange(1, 4).Draw(t, "openings") {
			j, err := OpenJournal(dir)
			require.NoError(t, err)
			require.Equal(t, state(all), state(j.Records()))
			for _, r := range rapid.SliceOfN(record, 0, 8).Draw(t, "records") {
				require.NoError(t, j.Append(r))
				all = append(all, r)
			}
			require.NoError(t, j.Close())
			if torn := rapid.IntRange(0, 40).Draw(t, "torn"); torn > 0 {
				line, err := formatLine(Record{Kind: recordRound, App: "log", Round: 1 << 20})
				require.NoError(t, err)
				f, err := os.OpenFile(filepath.Join(dir, journalName), os.O_APPEND|os.O_WRONLY, 0)
				require.NoError(t, err)
				_, err = f.Write(line[:min(torn, len(line)-1)])
				require.NoError(t, err)
				require.NoError(t, f.Close())
			}
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
	require.NoError(t, j.Append(Record{Kind: recordRound, App: "log", Round: 8}))
	require.NoError(t, j.Close())
	name := filepath.Join(dir, journalName)
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	b[12] ^= 1
	require.NoError(t, os.WriteFile(name, b, 0o600))
	_, err = OpenJournal(dir)
	require.ErrorContains(t, err, "line 1: the checksum is wrong [it is damaged")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = OpenJournal(filepath.Join(dir, "file"))
	require.ErrorContains(t, err, "journal: ")
}

// broken is a disk that is full from some record on.
type broken struct {
	MemoryJournal
	left int
}

func (b *broken) Append(r Record) error {
	if b.left--; b.left < 0 {
		return os.ErrInvalid
	}
	return b.MemoryJournal.Append(r)
}

// TestDiskFull: what cannot be recorded is not done, and nothing after it.
func TestDiskFull(t *testing.T) {
	for left := range 9 {
		w, err := newWorld(testConfig, 1, 0)
		require.NoError(t, err)
		j := &broken{left: left}
		core, err := New(w.conf, j, w.rng.Uint32, 0)
		require.NoError(t, err)
		w.journal, w.core, w.durable, w.records = &j.MemoryJournal, core, newDurable(), 0
		for name, d := range w.devices {
			w.forget(name)
			core.Synced(0, name, d.image(w))
		}
		for w.step() {
		}
		w.good(t) // it looks for what is used and not recorded
		if left < 8 {
			require.ErrorIs(t, core.Err(), os.ErrInvalid)
			require.Empty(t, w.leaders())
			require.ErrorIs(t, core.Lead(0, "log", "l"), os.ErrInvalid)
		} else {
			require.NoError(t, core.Err())
			require.NotEmpty(t, w.leaders())
		}
	}
}
