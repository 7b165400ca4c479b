package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/replicated"
)

var (
	// takingKey has the progress of a transfer into this database, which is incomplete as long as the
	// key exists.
	takingKey = []byte("m taking")
	// takenKey has the progress of the transfer from which this database was installed. Records were
	// applied since.
	takenKey = []byte("m taken")
)

// taking is a database into which another server's state is received. It survives the end of the
// connection and of the process, and is removed when the machine continues without it.
//
// A machine whose state came from a transfer begins with a checkpoint of it. The giver knows what has
// changed since, which includes everything that was applied here. Such a database does not survive:
// received keys over records applied here make a state that never existed, until it is installed at a
// later position than was applied.
type taking struct {
	m         *Machine
	s         *disk.Store
	name      string
	at        progress
	meta      meta // of the last complete round
	whole     bool
	installed bool
	fresh     bool // nothing was there when this round began
	own       bool // it began with the machine's own state
	// What was there when this round began, which is replaced from the front, and how far that has
	// come.
	old  *pebble.Iterator
	upto []byte
}

// Take implements replicated.Gradual.
func (m *Machine) Take() (replicated.Taking, error) {
	if m.space.isLow() {
		return nil, errNoRoomToTake
	}
	m.mem.Lock()
	name := m.partial
	m.partial = ""
	m.mem.Unlock()
	t := &taking{m: m}
	if name != "" {
		if t.open(name) {
			return t, nil
		}
		if err := m.fs.RemoveAll(m.path(name)); err != nil {
			return nil, fmt.Errorf("the part of a state received before: %w", err)
		}
	}
	if ok, err := t.checkpoint(); ok || err != nil {
		return t, err
	}
	if err := t.create(); err != nil {
		return nil, err
	}
	return t, nil
}

var errNoRoomToTake = errors.New("the disk is nearly full: there is no room for another server's state (enlarge it, or delete something)")

// open opens what there is of another transfer. It returns false if that is useless.
func (t *taking) open(name string) bool {
	s, err := disk.Open(t.m.fs, t.m.path(name), false, t.m.space.forStore(), t.m.log)
	if err != nil {
		t.m.log.Warn("the part of a state received before cannot be used", "err", err)
		return false
	}
	ok := false
	err = s.Run(func() error {
		b, err := get(s.DB, takingKey)
		t.at, ok = parseProgress(b)
		return err
	})
	if err != nil || !ok {
		_ = s.Release()
		return false
	}
	t.s, t.name = s, name
	return true
}

// checkpoint begins with the machine's own state. It returns false if that is not from a transfer.
func (t *taking) checkpoint() (bool, error) {
	m := t.m
	cur, err := m.acquireWorking()
	if err != nil {
		return false, err
	}
	defer cur.Release()
	var known []byte
	err = cur.Run(func() error {
		known, err = get(cur.DB, takenKey)
		return err
	})
	at, ok := parseProgress(known)
	if err != nil || !ok {
		return false, err
	}
	m.last++
	name := databaseName(m.last)
	if err := cur.Run(func() error { return cur.DB.Checkpoint(m.path(name), pebble.WithFlushedWAL()) }); err != nil {
		return false, errors.Join(fmt.Errorf("restore: %w", err), m.fs.RemoveAll(m.path(name)))
	}
	s, err := disk.Open(m.fs, m.path(name), false, m.space.forStore(), m.log)
	if err != nil {
		return false, errors.Join(fmt.Errorf("restore: %w", err), m.fs.RemoveAll(m.path(name)))
	}
	t.s, t.name, t.own = s, name, true
	err = s.Run(func() error {
		b, err := get(s.DB, metaKey)
		if err != nil {
			return err
		}
		has, err := parseMeta(b)
		at.keys = has.keys
		return err
	})
	if err != nil {
		return false, errors.Join(err, t.Close())
	}
	t.at = at
	return true, nil
}

func (t *taking) create() error {
	s, name, err := t.m.create()
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	t.s, t.name, t.at, t.fresh, t.own = s, name, progress{}, true, false
	return nil
}

// Known implements replicated.Taking.
func (t *taking) Known() []byte {
	if t.at.id == (transferID{}) {
		return nil
	}
	return t.at.bytes()
}

// Close implements replicated.Taking.
func (t *taking) Close() error {
	switch {
	case t.s == nil || t.installed:
		return nil
	case t.own || t.at.id == (transferID{}) || t.s.Failure() != nil:
		t.s.Drop.Store(true)
		return t.s.Release()
	}
	err := t.s.Release()
	t.m.mem.Lock()
	t.m.partial = t.name
	t.m.mem.Unlock()
	return err
}

// forget removes parts of a state that is no longer needed.
func (m *Machine) forget() error {
	m.mem.Lock()
	name := m.partial
	m.partial = ""
	m.mem.Unlock()
	if name == "" {
		return nil
	}
	m.log.Info("the received part of another server's state is no longer needed", "folder", name)
	return m.fs.RemoveAll(m.path(name))
}

// Round implements replicated.Taking.
func (t *taking) Round(r io.Reader) error {
	t.whole = false
	err := t.round(r)
	if t.old != nil {
		err = errors.Join(err, t.old.Close())
		t.old = nil
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	t.whole = true
	return nil
}

func (t *taking) round(r io.Reader) error {
	f := frameReader{r: r, sum: crc32.New(castagnoli)}
	magic := make([]byte, len(roundMagic))
	if err := f.read(magic); err != nil {
		return err
	}
	if string(magic) != roundMagic {
		return errors.New("not a part of a key-value store's state, or one of another version")
	}
	kind, payload, err := f.frame()
	if err != nil {
		return err
	}
	d := decoder{b: payload}
	var id transferID
	if kind != frameMeta || copy(id[:], payload) != len(id) {
		return errImage
	}
	d.b = payload[len(id):]
	number := d.uvarint()
	desc, state := bytes.Clone(d.bytes()), bytes.Clone(d.bytes())
	if d.err != nil || len(d.b) > 0 {
		return errImage
	}
	if t.meta, err = parseMeta(desc); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	if err := t.begin(id, number); err != nil {
		return err
	}
	for frames := uint64(0); ; frames++ {
		if kind, payload, err = f.frame(); err != nil {
			return err
		}
		if kind == frameEnd {
			d := decoder{b: payload}
			if d.uvarint() != frames || d.err != nil || len(d.b) > 0 || t.at.keys != t.meta.keys {
				// The contents are not what they should be: nothing may continue from them.
				t.at = progress{}
				return errImage
			}
			break
		}
		if kind != frameData {
			return errImage
		}
		if err := t.s.Run(func() error { return t.data(payload) }); err != nil {
			return err
		}
	}
	t.at.next = buckets
	return t.s.Run(func() error {
		b := t.s.DB.NewBatch()
		defer b.Close()
		err := errors.Join(b.Set(metaKey, desc, nil), b.Set(stateKey, state, nil), t.note(b, t.at))
		return errors.Join(err, b.Commit(pebble.Sync))
	})
}

// begin begins a round of a transfer. If the transfer is another one than before, the database is
// empty.
func (t *taking) begin(id transferID, round uint64) error {
	switch {
	case t.at.id == (transferID{}):
	case t.at.id != id:
		t.s.Drop.Store(true)
		if err := t.s.Release(); err != nil {
			return err
		}
		if err := t.create(); err != nil {
			return err
		}
	default:
		t.fresh = false
	}
	if round == 0 || round < t.at.round {
		return errImage
	}
	t.at.id, t.at.round, t.at.next, t.upto = id, round, 0, nil
	return t.s.Run(func() error {
		b := t.s.DB.NewBatch()
		defer b.Close()
		return errors.Join(t.note(b, t.at), b.Commit(pebble.NoSync))
	})
}

// note adds the progress to the batch, if the database survives.
func (t *taking) note(b *pebble.Batch, at progress) error {
	if t.own {
		return nil
	}
	return b.Set(takingKey, at.bytes(), nil)
}

// data processes a D frame.
func (t *taking) data(payload []byte) error {
	b := t.s.DB.NewBatch()
	defer b.Close()
	at := t.at
	d := decoder{b: payload}
	var keys [][2][]byte // keys to be set, and their values
	var expires [][]byte
	err := func() error {
		for len(d.b) > 0 {
			tag := d.b[0]
			d.b = d.b[1:]
			switch tag {
			case itemKey:
				expiry := d.uvarint()
				key, value := d.bytes(), d.bytes()
				if d.err != nil || expiry > 2*maxTime || len(key) > MaxKey || len(value) > MaxValue {
					return errImage
				}
				v := binary.LittleEndian.AppendUint64(make([]byte, 0, valueHeader+len(value)), expiry)
				keys = append(keys, [2][]byte{appendDataKey(nil, key), append(v, value...)})
				if expiry != 0 {
					expires = append(expires, appendExpiryKey(nil, int64(expiry), key))
				}
			case itemRange:
				lower, upper := d.bytes(), d.bytes()
				if d.err != nil || len(lower) < dataHeader || bytes.Compare(lower, t.upto) < 0 || lower[0] != dataPrefix || bytes.Compare(lower, upper) >= 0 || bytes.Compare(upper, bucketKey(buckets)) > 0 {
					return errImage
				}
				if !t.fresh {
					if t.old == nil {
						var err error
						if t.old, err = t.s.DB.NewIter(dataRange()); err != nil {
							return err
						}
					}
					n, err := clearRange(b, t.old, lower, upper)
					if err != nil {
						return err
					}
					at.keys -= n
				}
				for _, k := range keys {
					if bytes.Compare(k[0], lower) < 0 || bytes.Compare(k[0], upper) >= 0 {
						return errImage
					}
					if err := b.Set(k[0], k[1], nil); err != nil {
						return err
					}
				}
				for _, k := range expires {
					if err := b.Set(k, nil, nil); err != nil {
						return err
					}
				}
				at.keys += uint64(len(keys))
				keys, expires = keys[:0], expires[:0]
				t.upto = append(t.upto[:0], upper...)
				next := buckets
				if upper[0] == dataPrefix {
					next = bucketOf(binary.BigEndian.Uint64(upper[1:]))
				}
				if next < at.next {
					return errImage
				}
				at.next = next
			default:
				return errImage
			}
		}
		if len(keys) > 0 {
			return errImage
		}
		if err := t.note(b, at); err != nil {
			return err
		}
		return b.Commit(pebble.NoSync)
	}()
	if err == nil {
		t.at = at
	}
	return err
}

// clearRange deletes everything in a range, and returns how many keys that were.
func clearRange(b *pebble.Batch, it *pebble.Iterator, lower, upper []byte) (n uint64, err error) {
	for ok := forward(it, lower); ok && bytes.Compare(it.Key(), upper) < 0; ok = it.Next() {
		e, err := parseEntry(it.Value())
		if err != nil {
			return n, err
		}
		if e.expiry != 0 {
			if err := b.Delete(appendExpiryKey(nil, e.expiry, it.Key()[dataHeader:]), nil); err != nil {
				return n, err
			}
		}
		if err := b.Delete(it.Key(), nil); err != nil {
			return n, err
		}
		n++
	}
	return n, it.Error()
}

// Install implements replicated.Taking.
func (t *taking) Install() error {
	if !t.whole {
		return errors.New("restore: a round is missing")
	}
	err := t.s.Run(func() error {
		b := t.s.DB.NewBatch()
		defer b.Close()
		return errors.Join(b.Delete(takingKey, nil), b.Set(takenKey, t.at.bytes(), nil), b.Commit(pebble.Sync))
	})
	if err == nil {
		err = t.m.countSync(t.s, false)
	}
	if err != nil {
		t.at = progress{} // it no longer says what it is
		return fmt.Errorf("restore: %w", err)
	}
	t.installed = true
	return t.m.replace(t.s, t.name)
}
