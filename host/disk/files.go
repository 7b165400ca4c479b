package disk

import (
	"bytes"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/p4ce/p4ce/host/durable"
)

// Files is a file system of pebble's as package durable takes it.
func Files(f vfs.FS) durable.FS {
	if f == vfs.Default {
		return durable.Disk
	}
	return files{f}
}

type files struct{ vfs.FS }

func durableFile(f vfs.File, err error) (durable.File, error) {
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (f files) Open(path string) (durable.File, error)    { return durableFile(f.FS.Open(path)) }
func (f files) OpenDir(path string) (durable.File, error) { return durableFile(f.FS.OpenDir(path)) }
func (f files) Create(path string) (durable.File, error) {
	return durableFile(f.FS.Create(path, vfs.WriteCategoryUnspecified))
}

func (f files) OpenReadWrite(path string) (durable.File, error) {
	return durableFile(f.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified))
}

func (f files) Stat(path string) (fs.FileInfo, error) {
	i, err := f.FS.Stat(path)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// file keeps what is written: pebble's files may change it.
type file struct{ vfs.File }

func (f file) Write(b []byte) (int, error) { return f.File.Write(bytes.Clone(b)) }

func (f file) WriteAt(b []byte, at int64) (int, error) { return f.File.WriteAt(bytes.Clone(b), at) }
