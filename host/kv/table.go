package kv

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"

	"github.com/p4ce/p4ce/host/disk"
)

// item is a key in memory: its contents after the records applied so far, and its contents in the
// database once the save under way is done.
type item struct {
	key  string
	hash uint64 // its place in the order of the database
	entry
	dirty  bool  // in table.dirty
	stored bool  // exists in the database
	until  int64 // its expiry there
}

// itemSize is about how many bytes an item takes in addition to its key and value.
const itemSize = 168

func (i *item) size() int { return itemSize + len(i.key) + len(i.value) }

// table holds the keys whose contents in the database are out of date, and the others that were used
// last.
//
// Invariant: the contents of a key that is not in the table are those in the database.
type table struct {
	// Keys are in young. When it is full it becomes old, and the previous old is forgotten. A key that
	// is written moves back to young.
	young, old map[string]*item
	size       int // of young, in bytes
	limit      int // on size

	dirty      []*item // items that differ from the database
	dirtyBytes int
	underWay   []*item // were dirty when the save under way began
	begun      uint64  // saves
	turned     uint64  // begun when young became old
	turns      uint64

	// All keys of the database are out of date: cleared until the next save begins, clearing until it is done.
	cleared, clearing bool
}

// empty reports whether keys of the database count as missing.
func (t *table) empty() bool { return t.cleared || t.clearing }

// clear forgets all keys, in the database too.
func (t *table) clear() {
	t.young, t.old = map[string]*item{}, map[string]*item{}
	t.size, t.dirtyBytes = 0, 0
	clear(t.dirty)
	t.dirty = t.dirty[:0]
	t.cleared = true
	t.turns++
}

func newTable(limit int) table {
	return table{young: map[string]*item{}, old: map[string]*item{}, limit: limit}
}

// find returns the item of a key, or nil.
func (t *table) find(key []byte) *item {
	if i := t.young[string(key)]; i != nil {
		return i
	}
	return t.old[string(key)]
}

// add puts an item into young.
func (t *table) add(i *item) {
	t.young[i.key] = i
	t.size += i.size()
}

// mark records that an item in young was changed by about n bytes.
func (t *table) mark(i *item, n int) {
	t.dirtyBytes += itemSize + n
	if !i.dirty {
		i.dirty = true
		t.dirty = append(t.dirty, i)
	}
}

// turn makes room. An item that is only in old was not written since it came there, so it is in the
// database once a save that began later is done.
func (t *table) turn() {
	if t.size < t.limit || len(t.underWay) > 0 || t.begun == t.turned {
		return
	}
	t.old, t.young = t.young, map[string]*item{}
	t.size, t.turned = 0, t.begun
	t.turns++
}

// item returns the item of a key that is to be written, whether or not the key exists. m.mem is held.
func (m *Machine) item(s *disk.Store, key []byte) (*item, error) {
	t := &m.table
	if i := t.young[string(key)]; i != nil {
		return i, nil
	}
	i := t.old[string(key)]
	switch {
	case i == nil && t.empty():
		i = &item{key: string(key), hash: xxhash.Sum64(key)}
	case i == nil:
		var err error
		if i, err = readItem(s, s.DB, key); err != nil {
			return nil, err
		}
	}
	t.add(i)
	return i, nil
}

// readItem reads a key from the database.
func readItem(s *disk.Store, r pebble.Reader, key []byte) (*item, error) {
	i := &item{key: string(key), hash: xxhash.Sum64(key)}
	err := s.Run(func() error {
		v, err := get(r, appendDataKey(nil, key))
		if v == nil || err != nil {
			return err
		}
		i.entry, err = parseEntry(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	i.stored, i.until = i.exists, i.expiry
	return i, nil
}

// Read appends the contents of keys, all at one point of the log and at one time, to out. now counts
// in ms since 1970. If it is behind the machine's own time, that counts. Nobody changes the returned
// values.
func (m *Machine) Read(now int64, keys [][]byte, out []entry) ([]entry, int64, error) {
	m.mem.RLock()
	s, err := m.acquireWorking() // the database that belongs to the table
	if err != nil {
		m.mem.RUnlock()
		return nil, 0, err
	}
	defer s.Release()
	from := len(out)
	misses := 0
	now = max(now, m.meta.time)
	for _, key := range keys {
		switch i := m.table.find(key); {
		case i != nil:
			out = append(out, i.entry)
		case m.table.empty():
			out = append(out, entry{})
		default:
			misses++
			out = append(out, entry{})
		}
	}
	if misses == 0 {
		m.mem.RUnlock()
		for i := range out[from:] {
			out[from+i] = out[from+i].at(now)
		}
		return out, now, nil
	}
	missing := make([]bool, len(keys))
	for i, key := range keys {
		missing[i] = m.table.find(key) == nil
	}
	snap, turns := s.DB.NewSnapshot(), m.table.turns
	m.mem.RUnlock()
	for i, key := range keys {
		if missing[i] {
			var read *item
			if read, err = readItem(s, snap, key); err != nil {
				break
			}
			out[from+i] = read.entry
			m.mem.Lock()
			// What was written since is in the table, unless the table has forgotten it again.
			if m.table.turns == turns && m.table.find(key) == nil {
				m.table.add(read)
				m.table.turn()
			}
			m.mem.Unlock()
		}
		out[from+i] = out[from+i].at(now)
	}
	return out, now, errors.Join(err, snap.Close())
}

// Keys returns the number of keys, including expired keys until they are removed.
func (m *Machine) Keys() uint64 {
	m.mem.RLock()
	defer m.mem.RUnlock()
	return m.meta.keys
}

// Expired reports whether there may be keys that have expired at a time, in ms since 1970, and are not
// removed yet.
func (m *Machine) Expired(now int64) bool {
	m.mem.RLock()
	defer m.mem.RUnlock()
	return len(m.due) > 0 || m.next <= max(now, m.meta.time)
}

// save writes what was applied so far to the database, in one batch.
func (m *Machine) save() error {
	m.saving.Lock()
	defer m.saving.Unlock()
	s, err := m.acquireWorking()
	if err != nil {
		return err
	}
	defer s.Release()
	m.mem.Lock()
	if !m.unsaved {
		m.mem.Unlock()
		return nil
	}
	b := s.DB.NewBatch()
	err = m.collect(b)
	m.mem.Unlock()
	if err == nil {
		err = s.Run(func() error {
			defer b.Close()
			return b.Commit(pebble.NoSync)
		})
	}
	if err != nil {
		s.Fail(err)
		return s.Failure()
	}
	m.mem.Lock()
	clear(m.table.underWay)
	m.table.underWay = m.table.underWay[:0]
	m.table.clearing = false
	m.table.turn()
	m.mem.Unlock()
	return nil
}

// collect moves the changes to a batch. m.mem is held.
func (m *Machine) collect(b *pebble.Batch) error {
	t := &m.table
	t.underWay, t.dirty = t.dirty, t.underWay
	t.dirtyBytes = 0
	t.begun++
	m.unsaved = false
	if t.cleared {
		t.cleared, t.clearing = false, true
		for _, o := range []*pebble.IterOptions{dataRange(), expiryRange(math.MaxInt64)} {
			if err := b.DeleteRange(o.LowerBound, o.UpperBound, nil); err != nil {
				return err
			}
		}
		if m.giving != nil {
			m.giving.lacks.all()
		}
	}
	// In order, the database finds their places faster.
	slices.SortFunc(t.underWay, func(a, b *item) int { return cmp.Compare(a.hash, b.hash) })
	var buf []byte
	for _, i := range t.underWay {
		if m.giving != nil {
			m.giving.lacks.add(bucketOf(i.hash))
		}
		key := []byte(i.key)
		if i.stored && i.until != 0 && (!i.exists || i.until != i.expiry) {
			buf = appendExpiryKey(buf[:0], i.until, key)
			if err := b.Delete(buf, nil); err != nil {
				return err
			}
		}
		if i.exists {
			if i.expiry != 0 && !(i.stored && i.until == i.expiry) {
				buf = appendExpiryKey(buf[:0], i.expiry, key)
				if err := b.Set(buf, nil, nil); err != nil {
					return err
				}
			}
			buf = appendDataKey(buf[:0], key)
			k := len(buf)
			buf = appendEntry(buf, i.entry)
			if err := b.Set(buf[:k], buf[k:], nil); err != nil {
				return err
			}
		} else if i.stored {
			buf = appendDataKey(buf[:0], key)
			if err := b.Delete(buf, nil); err != nil {
				return err
			}
		}
		i.dirty, i.stored, i.until = false, i.exists, i.expiry
	}
	if err := b.Set(metaKey, m.meta.bytes(), nil); err != nil {
		return err
	}
	return b.Set(stateKey, m.state, nil)
}

// saver is the goroutine that saves, a moment after records were applied.
func (m *Machine) saver() {
	defer m.wg.Done()
	for {
		select {
		case <-m.kick:
		case <-m.stop:
			return
		}
		select {
		case <-time.After(saveAfter):
		case <-m.stop:
			return
		}
		_ = m.save() // the next call by any user of the machine reports it
	}
}

// due is a key that has expired.
type due struct {
	expiry int64
	key    []byte
}

func (d due) compare(o due) int {
	if d.expiry != o.expiry {
		if d.expiry < o.expiry {
			return -1
		}
		return 1
	}
	return bytes.Compare(d.key, o.key)
}

// findDue finds the keys that expired first, and when the next one will. It reads the database and,
// for keys that are newer in memory, the table. m.mem is held.
func (m *Machine) findDue(s *disk.Store) error {
	t := &m.table
	var found []due
	next := int64(math.MaxInt64)
	for _, list := range [][]*item{t.dirty, t.underWay} {
		for _, i := range list {
			switch e := i.expiry; {
			case !i.exists || e == 0:
			case e <= m.meta.time:
				found = append(found, due{e, []byte(i.key)})
			default:
				next = min(next, e)
			}
		}
	}
	err := s.Run(func() error {
		if t.empty() {
			return nil
		}
		it, err := s.DB.NewIter(expiryRange(math.MaxInt64))
		if err != nil {
			return err
		}
		n := 0
		for it.First(); it.Valid(); it.Next() {
			d := due{expiryOf(it.Key()), it.Key()[dataHeader:]}
			if d.expiry > m.meta.time {
				next = min(next, d.expiry)
				break
			}
			if i := t.find(d.key); i != nil && (!i.exists || i.expiry != d.expiry) {
				continue // no longer
			}
			d.key = bytes.Clone(d.key)
			found = append(found, d)
			if n++; n == purgeMany {
				next = d.expiry
				// Keys in memory behind it are also behind what was not examined.
				found = slices.DeleteFunc(found, func(o due) bool { return o.compare(d) > 0 })
				break
			}
		}
		return errors.Join(it.Error(), it.Close())
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, due.compare)
	m.due = slices.CompactFunc(found, func(a, b due) bool { return a.compare(b) == 0 })
	m.next = next
	return nil
}
