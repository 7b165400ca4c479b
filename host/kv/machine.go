package kv

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/link/files"
)

// Keys of the database:
//
//	k HASH KEY     EXPIRY VALUE   a key; HASH: xxHash64 of KEY, in big-endian order,
//	                              EXPIRY: ms since 1970, little-endian, 0 for never.
//	                              In the order of hashes a cursor of SCAN is a hash.
//	e EXPIRY KEY   (nothing)      a key that expires; EXPIRY in big-endian order
//	m meta         meta           what the machine knows besides
//	m state        bytes          the protocol's
//	m synced       8 B            how often the database was flushed, little-endian
const (
	dataPrefix   = 'k'
	expiryPrefix = 'e'
	dataHeader   = 1 + 8 // before KEY, both
	valueHeader  = 8     // before VALUE
)

var (
	metaKey  = []byte("m meta")
	stateKey = []byte("m state")
)

// Options configure a Machine.
type Options struct {
	// Dir is the folder, which is created if it does not exist. Only one Machine at a time uses it.
	Dir string
	// FS is the file system; nil is the operating system's.
	FS vfs.FS
	// Reserve is how many bytes of the disk should stay free. With less, commands that need room are
	// refused. It is at most a quarter of the disk. 0: none.
	Reserve uint64
	// Log receives what an operator should know; nil discards it.
	Log *slog.Logger
}

// Machine is a key-value store that executes records; see the package's documentation. It implements
// replicated.StateMachine, and follows its rules about concurrency. Any goroutine may call Read, View
// and Digest at any time.
type Machine struct {
	fs     vfs.FS
	files  durable.FS // the same
	dir    string
	log    *slog.Logger
	space  space
	lock   io.Closer
	marker *atomicfs.Marker
	last   uint64 // the highest number that a database folder ever had

	mu  sync.RWMutex // guards cur; Restore and Close hold it to change cur
	cur *disk.Store  // nil when closed

	syncing sync.Mutex // guards synced
	synced  uint64     // how often the database was flushed

	saving sync.Mutex   // held to save, and to change cur; locked before mem
	mem    sync.RWMutex // guards the fields below
	table  table
	meta   meta
	state  []byte // the protocol's
	// next is not after the first expiry of any key outside due; math.MaxInt64 if there is none. due
	// has keys that have expired, in the order of their expiry.
	next    int64
	due     []due
	unsaved bool    // the database does not have everything
	giving  *giving // the server that is being given the state, or was when the transfer broke; nil: none
	partial string  // an incomplete database that was to replace this one; "": none

	kick chan struct{} // holds a token when there is something to save
	stop chan struct{}
	wg   sync.WaitGroup
}

// Memory is bounded: by twice tableBytes for keys, plus what waits to be saved.
const (
	tableBytes = 64 << 20
	// saveAfter is how long applied records may be in memory only. saveBytes is how many bytes of them
	// there may be, in addition to those of the save under way. A process that is killed loses them.
	saveAfter = 50 * time.Millisecond
	saveBytes = 4 << 20
)

var _ replicated.StateMachine = (*Machine)(nil)

// meta is stored with every Apply.
type meta struct {
	time int64  // ms since 1970: the time when the last record took effect
	keys uint64 // number of keys, including expired ones until they are removed
}

const metaVersion = 1

func (m meta) bytes() []byte {
	b := []byte{metaVersion}
	b = binary.LittleEndian.AppendUint64(b, uint64(m.time))
	return binary.LittleEndian.AppendUint64(b, m.keys)
}

func parseMeta(b []byte) (meta, error) {
	if len(b) == 0 {
		return meta{}, nil
	}
	if b[0] != metaVersion {
		return meta{}, fmt.Errorf("unknown format %d (was it written by a newer version?)", b[0])
	}
	if len(b) != 17 {
		return meta{}, errors.New("its description is damaged")
	}
	return meta{time: int64(binary.LittleEndian.Uint64(b[1:])), keys: binary.LittleEndian.Uint64(b[9:])}, nil
}

// ErrClosed is returned by calls on a closed Machine or Server.
var ErrClosed = errors.New("kv: closed")

// Open opens a Machine. The caller closes it.
func Open(o Options) (*Machine, error) {
	m := &Machine{fs: o.FS, dir: o.Dir, log: o.Log, kick: make(chan struct{}, 1), stop: make(chan struct{})}
	if m.fs == nil {
		m.fs = vfs.Default
	}
	m.files = disk.Files(m.fs)
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.space = space{fs: m.fs, dir: o.Dir, reserve: o.Reserve, note: func(text string, free uint64) {
		m.log.Warn(text, "folder", o.Dir, "free", free, "reserve", o.Reserve)
	}}
	if err := m.open(); err != nil {
		if m.cur != nil {
			_ = m.cur.Release()
		}
		if m.marker != nil {
			_ = m.marker.Close()
		}
		if m.lock != nil {
			_ = m.lock.Close()
		}
		return nil, fmt.Errorf("data directory %s: %w", o.Dir, err)
	}
	m.wg.Add(1)
	go m.saver()
	return m, nil
}

func (m *Machine) open() error {
	if m.dir == "" {
		return errors.New("no name")
	}
	if m.fs == vfs.Default {
		if err := files.Private(m.dir); err != nil {
			return err
		}
	} else if err := m.fs.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	if err := m.space.open(); err != nil {
		return err
	}
	if err := durable.SyncDir(m.files, m.fs.PathDir(m.dir)); err != nil {
		return err
	}
	var err error
	if m.lock, err = m.fs.Lock(m.path("LOCK")); err != nil {
		return fmt.Errorf("%w (does another server use it?)", err)
	}
	var name string
	if m.marker, name, err = atomicfs.LocateMarker(m.fs, m.dir, "current"); err != nil {
		return err
	}
	if err := m.tidy(name); err != nil {
		return err
	}
	if name != "" {
		if m.cur, err = disk.Open(m.fs, m.path(name), false, m.space.forStore(), m.log); err != nil {
			return err
		}
	} else {
		if m.cur, name, err = m.create(); err != nil {
			return err
		}
		if err := m.point(m.cur, name); err != nil {
			return err
		}
	}
	if err := m.cur.Run(func() error { return m.checkSynced(m.cur) }); err != nil {
		return err
	}
	return m.cur.Run(func() error { return m.read(m.cur) })
}

func (m *Machine) path(name string) string { return m.fs.PathJoin(m.dir, name) }

// databaseName is the name of database n's folder.
func databaseName(n uint64) string { return "db-" + strconv.FormatUint(n, 10) }

// tidy removes the databases that a crash has left behind, except current, and records which numbers
// were used.
func (m *Machine) tidy(current string) error {
	names, err := m.fs.List(m.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimPrefix(name, "db-"), 10, 64)
		if err != nil || name != databaseName(n) {
			continue
		}
		m.last = max(m.last, n)
	}
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimPrefix(name, "db-"), 10, 64)
		if err != nil || name != databaseName(n) || name == current {
			continue
		}
		// The last one may be a part of another server's state (Take). On a full disk it needs too
		// much room.
		if current != "" && n == m.last && !m.space.isLow() {
			m.partial = name
			continue
		}
		// Without a pointer there never was a complete database, unless somebody has removed the
		// pointer.
		if current == "" && m.inUse(name) {
			return fmt.Errorf("%s has data, but no file marker.current.* marks the current database (was it removed?)", name)
		}
		if err := m.fs.RemoveAll(m.path(name)); err != nil {
			return err
		}
	}
	if current != "" && !slices.Contains(names, current) {
		return fmt.Errorf("the current database %s is missing (was it removed?)", current)
	}
	return m.marker.RemoveObsolete()
}

// inUse reports whether a database has ever executed anything.
func (m *Machine) inUse(name string) bool {
	s, err := disk.Open(m.fs, m.path(name), false, m.space.forStore(), m.log)
	if err != nil {
		return false
	}
	defer s.Release()
	used := false
	return s.Run(func() error {
		b, err := get(s.DB, metaKey)
		used = b != nil
		return err
	}) == nil && used
}

// create makes the next database.
func (m *Machine) create() (*disk.Store, string, error) {
	m.last++
	name := databaseName(m.last)
	s, err := disk.Open(m.fs, m.path(name), true, m.space.forStore(), m.log)
	return s, name, err
}

// point makes a database the current one. After an error it may or may not be the current one, and
// both s and the previous one are complete.
func (m *Machine) point(s *disk.Store, name string) error {
	return s.Run(func() error { return m.marker.Move(name) })
}

// read loads what is kept in memory. m.mem is held, or nobody else uses the machine.
func (m *Machine) read(s *disk.Store) error {
	b, err := get(s.DB, metaKey)
	if err != nil {
		return err
	}
	if m.meta, err = parseMeta(b); err != nil {
		return err
	}
	if m.state, err = get(s.DB, stateKey); err != nil {
		return err
	}
	m.table, m.due, m.unsaved = newTable(tableBytes), nil, false
	it, err := s.DB.NewIter(expiryRange(math.MaxInt64))
	if err != nil {
		return err
	}
	if m.next = math.MaxInt64; it.First() {
		m.next = expiryOf(it.Key())
	}
	return it.Close()
}

// get returns a copy of a value, nil if there is none.
func get(r pebble.Reader, key []byte) ([]byte, error) {
	v, c, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b := append([]byte{}, v...)
	return b, c.Close()
}

// appendDataKey appends the database's key of a key.
func appendDataKey(b, key []byte) []byte {
	b = append(b, dataPrefix)
	b = binary.BigEndian.AppendUint64(b, xxhash.Sum64(key))
	return append(b, key...)
}

func appendExpiryKey(b []byte, expiry int64, key []byte) []byte {
	b = append(b, expiryPrefix)
	b = binary.BigEndian.AppendUint64(b, uint64(expiry))
	return append(b, key...)
}

// dataRange is the range of all keys.
func dataRange() *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: []byte{dataPrefix}, UpperBound: []byte{dataPrefix + 1}}
}

// expiryRange is the range of what has expired at a time.
func expiryRange(now int64) *pebble.IterOptions {
	o := &pebble.IterOptions{LowerBound: []byte{expiryPrefix}, UpperBound: []byte{expiryPrefix + 1}}
	if now < math.MaxInt64 {
		o.UpperBound = appendExpiryKey(nil, now+1, nil)
	}
	return o
}

func expiryOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key[1:dataHeader])) }

// entry is what is stored for a key.
type entry struct {
	exists bool
	expiry int64 // ms since 1970, 0 for never
	value  []byte
}

// at returns the entry as seen at a time.
func (e entry) at(now int64) entry {
	if e.expiry != 0 && e.expiry <= now {
		return entry{}
	}
	return e
}

// sumLen is the length of a sum.
const sumLen = sha256.Size

// sum distinguishes the contents of a key that exists: it is the SHA-256 of what is stored.
func (e entry) sum() []byte {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, e.expiry)
	h.Write(e.value)
	return h.Sum(nil)
}

func parseEntry(v []byte) (entry, error) {
	if len(v) < valueHeader {
		return entry{}, errors.New("a value is damaged")
	}
	return entry{exists: true, expiry: int64(binary.LittleEndian.Uint64(v)), value: v[valueHeader:]}, nil
}

// appendEntry appends what is stored for a key that exists.
func appendEntry(b []byte, e entry) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(e.expiry)), e.value...)
}

// acquire returns the current store with one more user.
func (m *Machine) acquire() (*disk.Store, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.cur == nil {
		return nil, ErrClosed
	}
	return m.cur.Acquire(), nil
}

// acquireWorking is acquire for a store whose disk has not failed.
func (m *Machine) acquireWorking() (*disk.Store, error) {
	s, err := m.acquire()
	if err != nil {
		return nil, err
	}
	if err := s.Failure(); err != nil {
		_ = s.Release()
		return nil, err
	}
	return s, nil
}

// Load implements replicated.StateMachine.
func (m *Machine) Load() ([]byte, error) {
	s, err := m.acquireWorking()
	if err != nil {
		return nil, err
	}
	defer s.Release()
	m.mem.RLock()
	defer m.mem.RUnlock()
	return bytes.Clone(m.state), nil
}

// Apply implements replicated.StateMachine. The result of a record is a []Reply, one for each write,
// or a *RecordError. The database gets the changes a moment later, with the state and everything that
// was applied before, in one batch. So after a crash it has all of the batch or nothing.
func (m *Machine) Apply(entries []replicated.Entry, state []byte) ([]any, error) {
	s, err := m.acquireWorking()
	if err != nil {
		return nil, err
	}
	defer s.Release()
	results := make([]any, len(entries))
	m.mem.Lock()
	t := &txn{m, s}
	for i, e := range entries {
		if results[i], err = t.record(e.Record); err != nil {
			m.mem.Unlock()
			s.Fail(err)
			return nil, s.Failure()
		}
	}
	m.state = append(m.state[:0], state...)
	over := m.partial != "" && len(entries) > 0 // the log continues
	first := !m.unsaved
	m.unsaved = true
	m.table.turn()
	full := m.table.dirtyBytes > saveBytes
	m.mem.Unlock()
	if over {
		if err := m.forget(); err != nil {
			m.log.Warn("the received part of another server's state is not removed", "err", err)
		}
	}
	switch {
	case full:
		return results, m.save()
	case first:
		select {
		case m.kick <- struct{}{}:
		default:
		}
	}
	return results, nil
}

// Sync implements replicated.StateMachine.
func (m *Machine) Sync() error {
	if err := m.save(); err != nil {
		return err
	}
	s, err := m.acquire()
	if err != nil {
		return err
	}
	defer s.Release()
	return m.countSync(s, true)
}

// Room implements replicated.Roomy.
func (m *Machine) Room() replicated.Room { return m.space.room() }

// Failure returns the error that ended the machine. It is nil while the machine works.
func (m *Machine) Failure() error {
	s, err := m.acquire()
	if err != nil {
		return err
	}
	defer s.Release()
	return s.Failure()
}

// Digest is the SHA-256 of all keys, values and expiries, and of the time. It is the same on machines
// that have executed the same records.
func (m *Machine) Digest() ([sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	if err := m.save(); err != nil {
		return sum, err
	}
	s, err := m.acquire()
	if err != nil {
		return sum, err
	}
	defer s.Release()
	err = s.Run(func() error {
		snap := s.DB.NewSnapshot()
		defer snap.Close()
		h := sha256.New()
		b, err := get(snap, metaKey)
		if err != nil {
			return err
		}
		d, err := parseMeta(b) // before the first record there is none
		if err != nil {
			return err
		}
		h.Write(d.bytes())
		it, err := snap.NewIter(&pebble.IterOptions{LowerBound: []byte{expiryPrefix}, UpperBound: []byte{dataPrefix + 1}})
		if err != nil {
			return err
		}
		for it.First(); it.Valid(); it.Next() {
			var n [8]byte
			binary.LittleEndian.PutUint32(n[:], uint32(len(it.Key())))
			binary.LittleEndian.PutUint32(n[4:], uint32(len(it.Value())))
			h.Write(n[:])
			h.Write(it.Key())
			h.Write(it.Value())
		}
		h.Sum(sum[:0])
		return errors.Join(it.Error(), it.Close())
	})
	return sum, err
}

// Close closes the machine. Its users have closed every View and Image before.
func (m *Machine) Close() error {
	_ = m.save() // Release reports what has failed
	m.saving.Lock()
	m.mu.Lock()
	s := m.cur
	m.cur = nil
	m.mu.Unlock()
	m.saving.Unlock()
	if s == nil {
		return nil
	}
	close(m.stop)
	m.wg.Wait()
	return errors.Join(s.Release(), m.marker.Close(), m.lock.Close())
}
