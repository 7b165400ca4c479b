package disk

import (
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardedFS ends its store when a write fails, before pebble hears of it: pebble panics when it
// cannot make its next log, without the lock that its own deferred functions release then, and
// that ends the process. Whoever has asked for the write waits for ever.
type guardedFS struct {
	vfs.FS
	store *Store
	armed atomic.Bool // pebble is open: what fails before is an error of Open
	// release makes room on a disk that is full, if it can; nil: it cannot.
	release func() bool
}

// again reports whether something that failed is worth another try: the disk was full, and there is more room now.
func (g *guardedFS) again(err error) bool {
	return errors.Is(err, syscall.ENOSPC) && g.release != nil && g.release()
}

func (g *guardedFS) check(err error) {
	if err != nil && g.armed.Load() {
		g.store.Fail(err)
		select {}
	}
}

func (g *guardedFS) file(f vfs.File, err error) (vfs.File, error) {
	g.check(err)
	if err != nil {
		return nil, err
	}
	return &guardedFile{f, g}, nil
}

// Create implements vfs.FS.
func (g *guardedFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.Create(name, c)
	if g.again(err) {
		f, err = g.FS.Create(name, c)
	}
	return g.file(f, err)
}

// ReuseForWrite implements vfs.FS.
func (g *guardedFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.file(g.FS.ReuseForWrite(old, name, c))
}

// guardedFile is a file that is written.
type guardedFile struct {
	vfs.File
	fs *guardedFS
}

// Write implements vfs.File.
func (f *guardedFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	if f.fs.again(err) {
		var more int
		more, err = f.File.Write(b[n:])
		n += more
	}
	f.fs.check(err)
	return n, err
}

// Sync implements vfs.File.
func (f *guardedFile) Sync() error {
	err := f.File.Sync()
	f.fs.check(err)
	return err
}

// SyncData implements vfs.File.
func (f *guardedFile) SyncData() error {
	err := f.File.SyncData()
	f.fs.check(err)
	return err
}

// SyncTo implements vfs.File.
func (f *guardedFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	f.fs.check(err)
	return full, err
}
