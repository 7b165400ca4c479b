package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// FS is where files are: Disk in production. Tests have others, in memory, which forget what was not synced.
// Errors about a file that does not exist wrap fs.ErrNotExist.
type FS interface {
	Open(path string) (File, error)          // to read
	OpenDir(path string) (File, error)       // to sync the names in a folder
	Create(path string) (File, error)        // to write; an existing file is emptied; only its owner may read it
	OpenReadWrite(path string) (File, error) // to write at offsets; made if it does not exist
	Rename(from, to string) error
	Remove(path string) error
	RemoveAll(path string) error
	MkdirAll(path string, perm fs.FileMode) error
	List(dir string) ([]string, error) // the names in a folder, in no order
	Stat(path string) (fs.FileInfo, error)
}

// File is an open file or folder.
type File interface {
	io.Reader
	io.Writer
	io.WriterAt
	io.Closer
	Sync() error     // what was written, and the file's size, times and place, are on disk
	SyncData() error // what was written is, and what is needed to read it
}

// Disk is the file system of the machine.
var Disk FS = disk{}

type disk struct{}

// own is the mode of a file that only its owner reads and writes.
const own = 0o600

func open(path string, flag int) (File, error) {
	f, err := os.OpenFile(path, flag, own)
	if err != nil {
		return nil, err // no *os.File in the interface
	}
	return file{f}, nil
}

func (disk) Open(path string) (File, error)          { return open(path, os.O_RDONLY) }
func (disk) OpenDir(path string) (File, error)       { return open(path, os.O_RDONLY) }
func (disk) OpenReadWrite(path string) (File, error) { return open(path, os.O_RDWR|os.O_CREATE) }

func (disk) Create(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, own)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(own); err != nil { // it may be an older file
		return nil, errors.Join(err, f.Close())
	}
	return file{f}, nil
}

func (disk) Rename(from, to string) error                 { return os.Rename(from, to) }
func (disk) Remove(path string) error                     { return os.Remove(path) }
func (disk) RemoveAll(path string) error                  { return os.RemoveAll(path) }
func (disk) MkdirAll(path string, perm fs.FileMode) error { return os.MkdirAll(path, perm) }
func (disk) Stat(path string) (fs.FileInfo, error)        { return os.Stat(path) }

func (disk) List(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	return names, errors.Join(err, d.Close())
}

type file struct{ *os.File }

// SyncData implements File.
func (f file) SyncData() error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
