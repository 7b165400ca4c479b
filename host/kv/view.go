package kv

import (
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/p4ce/p4ce/host/disk"
)

// View is all keys at one point of the log and at one time: those of the database, which has
// everything that was applied before the View was made. One goroutine uses a View, and closes it.
type View struct {
	s    *disk.Store
	snap *pebble.Snapshot
	meta meta
	now  int64
}

// View returns the current state. now counts in ms since 1970. If it is behind the machine's own time,
// that counts.
func (m *Machine) View(now int64) (*View, error) {
	if err := m.save(); err != nil {
		return nil, err
	}
	s, err := m.acquireWorking()
	if err != nil {
		return nil, err
	}
	v := &View{s: s, snap: s.DB.NewSnapshot()}
	b, err := get(v.snap, metaKey)
	if err == nil {
		v.meta, err = parseMeta(b)
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	v.now = max(now, v.meta.time)
	return v, nil
}

// Close ends the view.
func (v *View) Close() error {
	err := v.snap.Close()
	return errors.Join(err, v.s.Release())
}

// Keys returns the number of keys. It takes time in proportion to the number of keys that have expired
// and are not removed yet.
func (v *View) Keys() (uint64, error) {
	it, err := v.snap.NewIter(expiryRange(v.now))
	if err != nil {
		return 0, err
	}
	n := v.meta.keys
	for it.First(); it.Valid(); it.Next() {
		n--
	}
	return n, errors.Join(it.Error(), it.Close())
}

// Scan calls f with keys from a cursor on, and returns the cursor to continue with, or 0 at the end.
// It examines count keys, and after them those with the same hash as the last one. If f returns false,
// it stops earlier, but not before the end of that hash. A key that exists from the first call with
// cursor 0 to the last call is found. f must not keep the key.
func (v *View) Scan(cursor uint64, count int, f func(key []byte) bool) (uint64, error) {
	o := dataRange()
	if cursor != 0 {
		o.LowerBound = binary.BigEndian.AppendUint64(o.LowerBound, cursor)
	}
	it, err := v.snap.NewIter(o)
	if err != nil {
		return 0, err
	}
	next, last := uint64(0), uint64(0)
	n := 0
	for it.First(); it.Valid(); it.Next() {
		k := it.Key()
		hash := binary.BigEndian.Uint64(k[1:dataHeader])
		if n >= count && hash != last {
			next = hash
			break
		}
		e, err := parseEntry(it.Value())
		if err != nil {
			return 0, errors.Join(err, it.Close())
		}
		if e.at(v.now).exists && !f(k[dataHeader:]) {
			count = 0
		}
		last = hash
		n++
	}
	return next, errors.Join(it.Error(), it.Close())
}
