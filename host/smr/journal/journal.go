package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/smr/mu"
)

// ErrOther is wrapped by the error about a journal of another server, cluster or size of
// the log.
var ErrOther = errors.New("the journal is of another server")

// Owner is whose journal it is.
type Owner struct {
	ID      mu.ID  `json:"id"`
	Cluster uint64 `json:"cluster"`
	LogSize int    `json:"log_size"`
}

// Journal is an open journal.
type Journal struct {
	dir    string
	s      *disk.Store
	owner  Owner
	stored mu.Stored

	mu      sync.Mutex // guards what follows
	next    uint64     // number of the next entry
	first   uint64     // of the first that is kept
	ends    []uint64   // of those that are kept, where they end in the log
	trimmed uint64
}

var (
	keyOwner   = []byte("owner")
	keyStored  = []byte("stored")
	keyTrimmed = []byte("trimmed")
)

const headLen = 32

func entryKey(number uint64) []byte { return binary.BigEndian.AppendUint64([]byte("e"), number) }

// Open opens the journal in a folder, which is made if there is none. The caller closes
// it. fs is where folders are, vfs.Default in production.
func Open(dir string, fs vfs.FS, owner Owner, log *slog.Logger) (*Journal, error) {
	if err := makeFolder(fs, dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	desc, err := pebble.Peek(dir, fs)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	s, err := disk.Open(fs, dir, !desc.Exists, log)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{dir: dir, s: s, owner: owner}
	if err := s.Run(j.load); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: %w", dir, err), s.Release())
	}
	return j, nil
}

// makeFolder makes a folder that is still there after a loss of power.
func makeFolder(fs vfs.FS, dir string) error {
	if _, err := fs.Stat(dir); err == nil || !errors.Is(err, iofs.ErrNotExist) {
		return err
	}
	parent := fs.PathDir(dir)
	if parent != dir {
		if err := makeFolder(fs, parent); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := fs.OpenDir(parent)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// get decodes a value; false if there is none.
func (j *Journal) get(key []byte, v any) (bool, error) {
	b, closer, err := j.s.DB.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closer.Close()
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("%s: %w (it is damaged)", key, err)
	}
	return true, nil
}

func (j *Journal) load() error {
	var was Owner
	found, err := j.get(keyOwner, &was)
	if err != nil {
		return err
	}
	if found && was != j.owner {
		return fmt.Errorf("%w: server %d of cluster %d with a log of %d bytes, not server %d of cluster %d with %d",
			ErrOther, was.ID, was.Cluster, was.LogSize, j.owner.ID, j.owner.Cluster, j.owner.LogSize)
	}
	if !found {
		if err := j.put(keyOwner, j.owner); err != nil {
			return err
		}
	}
	if _, err := j.get(keyStored, &j.stored); err != nil {
		return err
	}
	if b, closer, err := j.s.DB.Get(keyTrimmed); err == nil {
		if len(b) == 8 {
			j.trimmed = binary.LittleEndian.Uint64(b)
		}
		if err := closer.Close(); err != nil {
			return err
		}
	} else if !errors.Is(err, pebble.ErrNotFound) {
		return err
	}
	if !j.stored.Full {
		// What it held as no full member counted for nothing.
		if err := j.s.DB.DeleteRange(entryKey(0), entryKey(^uint64(0)), pebble.NoSync); err != nil {
			return err
		}
	}
	first := true
	return j.scan(func(number uint64, e mu.Logged) error {
		if first {
			j.first, first = number, false
		}
		j.ends, j.next = append(j.ends, e.End), number+1
		return nil
	})
}

func (j *Journal) put(key []byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return j.s.DB.Set(key, b, pebble.Sync)
}

// Stored is what the last life has promised.
func (j *Journal) Stored() mu.Stored { return j.stored }

// Promise stores what must not be forgotten.
func (j *Journal) Promise(s mu.Stored) error {
	return j.run(func() error { return j.put(keyStored, s) })
}

// Append writes entries, in order.
func (j *Journal) Append(entries []mu.Logged) error {
	if len(entries) == 0 {
		return nil
	}
	return j.run(func() error { return j.append(entries) })
}

// run calls f, which uses the database, and says whose error it has.
func (j *Journal) run(f func() error) error {
	if err := j.s.Run(f); err != nil {
		return fmt.Errorf("journal %s: %w", j.dir, err)
	}
	return nil
}

func (j *Journal) append(entries []mu.Logged) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.s.DB.NewBatch()
	defer b.Close()
	for i := range entries {
		e := &entries[i]
		op := b.SetDeferred(9, headLen+len(e.Bytes))
		op.Key[0] = 'e'
		binary.BigEndian.PutUint64(op.Key[1:], j.next+uint64(i))
		le := binary.LittleEndian
		le.PutUint64(op.Value, uint64(e.Term))
		le.PutUint64(op.Value[8:], e.Position)
		le.PutUint64(op.Value[16:], e.End)
		le.PutUint64(op.Value[24:], e.Commit)
		copy(op.Value[headLen:], e.Bytes)
		if err := op.Finish(); err != nil {
			return err
		}
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	for i := range entries {
		j.ends = append(j.ends, entries[i].End)
	}
	j.next += uint64(len(entries))
	return nil
}

// Entries calls f for every entry, in the order in which they were written. Their bytes
// are valid during the call.
func (j *Journal) Entries(f func(e mu.Logged) error) error {
	return j.run(func() error { return j.scan(func(_ uint64, e mu.Logged) error { return f(e) }) })
}

func (j *Journal) scan(f func(number uint64, e mu.Logged) error) error {
	it, err := j.s.DB.NewIter(&pebble.IterOptions{LowerBound: entryKey(0), UpperBound: []byte("f")})
	if err != nil {
		return err
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		k, v := it.Key(), it.Value()
		if len(k) != 9 || len(v) < headLen {
			err = fmt.Errorf("entry of %d bytes under %q (it is damaged)", len(v), k)
			break
		}
		le := binary.LittleEndian
		err = f(binary.BigEndian.Uint64(k[1:]), mu.Logged{
			Term: mu.Term(le.Uint64(v)), Position: le.Uint64(v[8:]), End: le.Uint64(v[16:]), Commit: le.Uint64(v[24:]), Bytes: v[headLen:],
		})
	}
	return errors.Join(err, it.Error(), it.Close())
}

// Trim drops entries that end at a position or before: the state machine's state has
// them, on disk.
func (j *Journal) Trim(position uint64) error {
	return j.run(func() error { return j.trim(position) })
}

func (j *Journal) trim(position uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for n < len(j.ends) && j.ends[n] <= position {
		n++
	}
	if position <= j.trimmed {
		return nil
	}
	b := j.s.DB.NewBatch()
	defer b.Close()
	err := errors.Join(
		b.DeleteRange(entryKey(j.first), entryKey(j.first+uint64(n)), nil),
		b.Set(keyTrimmed, binary.LittleEndian.AppendUint64(nil, position), nil),
		b.Commit(pebble.NoSync),
	)
	if err != nil {
		return err
	}
	j.trimmed = position
	j.first += uint64(n)
	j.ends = append(j.ends[:0], j.ends[n:]...)
	return nil
}

// Trimmed is the position of the last Trim: whose state ends before it lacks something.
func (j *Journal) Trimmed() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trimmed
}

// Len is the number of entries that are kept.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.ends)
}

// Close closes the journal.
func (j *Journal) Close() error { return j.s.Release() }
