package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
)

// A database mistakes damage in its log for the end of what was written, and opens with less than it
// had. So it counts how often it was flushed, and a moment later a file beside it records the same
// count. A database that has counted less is refused when it is opened.
const syncedName = "synced"

var syncedKey = []byte("m synced")

// syncs reads a database's count.
func syncs(r pebble.Reader) (uint64, error) {
	b, err := get(r, syncedKey)
	if err != nil || len(b) != 8 {
		return 0, err // written by a build that did not count
	}
	return binary.LittleEndian.Uint64(b), nil
}

// checkSynced refuses a database that has lost flushed data.
func (m *Machine) checkSynced(s *disk.Store) error {
	n, err := syncs(s.DB)
	if err != nil {
		return err
	}
	b, err := durable.Get(m.files, m.path(syncedName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b = make([]byte, 8)
	case err != nil:
		return err
	case len(b) != 8:
		return fmt.Errorf("%s: %w", m.path(syncedName), durable.ErrDamaged)
	}
	if want := binary.LittleEndian.Uint64(b); n < want {
		return fmt.Errorf("the database has lost its end: it was flushed %d times, and contains %d flushes: %w (to have the other servers bring this one up to date, as a server that has forgotten, empty the folder)", want, n, durable.ErrDamaged)
	}
	m.synced = n
	// From now on the file is replaced lazily: after a loss of power it has this content.
	return m.space.again(func() error { return durable.Put(m.files, m.path(syncedName), b) })
}

// countSync flushes a database with the next count, and updates the file if the database is the
// current one.
func (m *Machine) countSync(s *disk.Store, current bool) error {
	m.syncing.Lock()
	defer m.syncing.Unlock()
	n := m.synced + 1
	if err := s.Run(func() error { return s.DB.Set(syncedKey, binary.LittleEndian.AppendUint64(nil, n), pebble.Sync) }); err != nil {
		return err
	}
	if m.synced = n; !current {
		return nil
	}
	// It says nothing that is not already on disk, and need not be on disk itself.
	if err := m.space.again(func() error {
		return durable.PutLazily(m.files, m.path(syncedName), binary.LittleEndian.AppendUint64(nil, n))
	}); err != nil {
		s.Fail(err)
	}
	return s.Failure()
}
