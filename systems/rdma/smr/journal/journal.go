package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// ErrOther is wrapped by the error about a journal of another server, cluster or size of
// the log.
var ErrOther = errors.New("the journal belongs to another server")

// Owner is whose journal it is.
type Owner struct {
	ID      mu.ID  `json:"id"`
	Cluster uint64 `json:"cluster"`
	LogSize int    `json:"log_size"`
}

// Journal is an open journal.
type Journal struct {
	dir   string
	owner Owner

	mu       sync.Mutex // guards what follows
	log      *durable.Log
	stored   mu.Stored
	trimmed  uint64
	segments []segment // oldest first, the current one last
	records  [][]byte  // of Append, to be used again
	buf      []byte
}

// segment is one of the log's.
type segment struct {
	number  uint64
	entries int
	end     uint64 // none of its entries ends behind
}

// The kinds of records.
const (
	kindOwner   = 'o'
	kindStored  = 's'
	kindTrimmed = 't'
	kindEntry   = 'e'
)

const (
	logName = "journal of a server of package smr"
	headLen = 1 + 32 // of an entry
	// segmentSize is when the next segment is begun: those before it can be dropped.
	segmentSize = 32 << 20
)

// Open opens the journal in a folder, which is made if there is none. The caller closes
// it. fs is where folders are, durable.Disk in production.
func Open(dir string, f durable.FS, owner Owner) (_ *Journal, err error) {
	j := &Journal{dir: dir, owner: owner}
	defer func() {
		if errors.Is(err, durable.ErrDamaged) {
			err = fmt.Errorf("%w (this server's acknowledgements and promises cannot be determined; to have the others bring it up to date, as a server that has forgotten, remove the journal)", err)
		}
		if err != nil && j.log != nil {
			err = errors.Join(err, j.log.Close())
		}
	}()
	if err := notOlder(f, dir); err != nil {
		return nil, err
	}
	was, found := Owner{}, false
	j.log, err = durable.OpenLog(f, dir, logName, func(number uint64, r []byte) error {
		if n := len(j.segments); n == 0 || j.segments[n-1].number != number {
			j.segments = append(j.segments, segment{number: number})
		}
		return j.read(r, &was, &found)
	})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if found && was != owner {
		return nil, fmt.Errorf("journal %s: %w: server %d of cluster %d with a log of %d bytes, not server %d of cluster %d with %d",
			dir, ErrOther, was.ID, was.Cluster, was.LogSize, owner.ID, owner.Cluster, owner.LogSize)
	}
	if err := j.begin(); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if !j.stored.Full {
		// What it held as no full member counted for nothing.
		if err := j.drop(len(j.segments) - 1); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	return j, nil
}

// notOlder refuses a journal of a build that kept it in a database.
func notOlder(f durable.FS, dir string) error {
	names, err := f.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, n := range names {
		if strings.HasPrefix(n, "MANIFEST-") {
			return fmt.Errorf("journal %s was written by an earlier build, in a format that this build does not read (on one server at a time, while the others run: remove the journal, and start this build; they bring it up to date)", dir)
		}
	}
	return nil
}

// read takes a record of the last segment.
func (j *Journal) read(r []byte, owner *Owner, found *bool) error {
	bad := func(err error) error {
		return fmt.Errorf("record %.20q of %d bytes: %w: %w", r, len(r), durable.ErrDamaged, err)
	}
	if len(r) == 0 {
		return bad(errors.New("the kind is missing"))
	}
	switch v := r[1:]; r[0] {
	case kindOwner:
		*found = true
		if err := json.Unmarshal(v, owner); err != nil {
			return bad(err)
		}
	case kindStored:
		var s mu.Stored
		if err := json.Unmarshal(v, &s); err != nil {
			return bad(err)
		}
		j.stored = s
	case kindTrimmed:
		if len(v) != 8 {
			return bad(errors.New("not a position"))
		}
		j.trimmed = binary.LittleEndian.Uint64(v)
	case kindEntry:
		if len(r) < headLen {
			return bad(errors.New("not an entry"))
		}
		s := &j.segments[len(j.segments)-1]
		s.entries, s.end = s.entries+1, max(s.end, decode(r).End)
	default:
		return bad(errors.New("unknown kind (was it written by a newer build?)"))
	}
	return nil
}

// begin begins a segment.
func (j *Journal) begin() error {
	owner, err := encode(kindOwner, j.owner)
	if err != nil {
		return err
	}
	stored, err := encode(kindStored, j.stored)
	if err != nil {
		return err
	}
	if err := j.log.Begin(owner, stored, position(j.trimmed)); err != nil {
		return err
	}
	j.segments = append(j.segments, segment{number: j.log.Segment()})
	return nil
}

func encode(kind byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append([]byte{kind}, b...), err
}

func position(p uint64) []byte { return binary.LittleEndian.AppendUint64([]byte{kindTrimmed}, p) }

func decode(r []byte) mu.Logged {
	v, le := r[1:], binary.LittleEndian
	return mu.Logged{Term: mu.Term(le.Uint64(v)), Position: le.Uint64(v[8:]), End: le.Uint64(v[16:]), Commit: le.Uint64(v[24:]), Bytes: r[headLen:]}
}

// Stored is what the last life has promised.
func (j *Journal) Stored() mu.Stored {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stored
}

// Promise stores what must not be forgotten.
func (j *Journal) Promise(s mu.Stored) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	b, err := encode(kindStored, s)
	if err == nil {
		err = j.log.Append(b)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.stored = s
	return nil
}

// Append writes entries, in order.
func (j *Journal) Append(entries []mu.Logged) error {
	if len(entries) == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log.Size() >= segmentSize {
		if err := j.begin(); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	s := &j.segments[len(j.segments)-1]
	size := 0
	for i := range entries {
		size += headLen + len(entries[i].Bytes)
	}
	if cap(j.buf) < size {
		j.buf = make([]byte, 0, size) // what records point to stays where it is
	}
	b, end := j.buf[:0], s.end
	j.records = j.records[:0]
	for i := range entries {
		e := &entries[i]
		at := len(b)
		b = append(b, kindEntry)
		for _, v := range [...]uint64{uint64(e.Term), e.Position, e.End, e.Commit} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		b = append(b, e.Bytes...)
		j.records = append(j.records, b[at:])
		end = max(end, e.End)
	}
	if err := j.log.Append(j.records...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	s.entries, s.end = s.entries+len(entries), end
	return nil
}

// Entries calls f for every entry, in the order in which they were written. Their bytes
// are valid during the call.
func (j *Journal) Entries(f func(e mu.Logged) error) error {
	err := j.log.Records(func(_ uint64, r []byte) error {
		if len(r) < headLen || r[0] != kindEntry {
			return nil
		}
		return f(decode(r))
	})
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Trim says that entries that end at a position or before are not needed any more: the
// state machine's state has them, on disk. They are dropped by segments.
func (j *Journal) Trim(at uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if at <= j.trimmed {
		return nil
	}
	// Also when all are kept: after a snapshot the journal is not whole before that.
	if err := j.log.Append(position(at)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.trimmed = at
	n := 0
	for n < len(j.segments)-1 && j.segments[n].end <= at {
		n++
	}
	if err := j.drop(n); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// drop removes the first n segments.
func (j *Journal) drop(n int) error {
	if n == 0 {
		return nil
	}
	if err := j.log.Drop(j.segments[n].number); err != nil {
		return err
	}
	j.segments = append(j.segments[:0], j.segments[n:]...)
	return nil
}

// Trimmed is the position of the last Trim: whose state ends before it lacks something.
func (j *Journal) Trimmed() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trimmed
}

// End is where the last entry ends that is kept.
func (j *Journal) End() (end uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.segments {
		end = max(end, s.end)
	}
	return end
}

// Len is the number of entries that are kept.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, s := range j.segments {
		n += s.entries
	}
	return n
}

// Close closes the journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.log.Close()
}
