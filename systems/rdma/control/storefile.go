package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/link/files"
)

// folder keeps each record in a file of its own, DIR/KEY.json: a line of package durable, and JSON.
type folder struct {
	fs  durable.FS
	dir string
}

// NewFileStore makes a store in a directory, which is made when it does not
// exist: DIR/SWITCH/INDEX.json and DIR/SWITCH/made/NAME.json.
func NewFileStore(dir string) (Store, error) {
	if err := durable.MakeDir(durable.Disk, dir); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := files.Private(dir); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return openFileStore(durable.Disk, dir)
}

func openFileStore(f durable.FS, dir string) (Store, error) {
	if err := durable.MakeDir(f, dir); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return recordStore{kept: folder{f, dir}}, nil
}

func (d folder) file(key string) string { return filepath.Join(d.dir, key) + ".json" }

// Put implements records.
func (d folder) Put(key string, value []byte) error {
	var text bytes.Buffer
	err := json.Indent(&text, value, "", "  ")
	if err == nil {
		err = durable.MakeDir(d.fs, filepath.Dir(d.file(key)))
	}
	if err == nil {
		err = durable.Put(d.fs, d.file(key), text.Bytes())
	}
	return d.failed(key, err)
}

// Delete implements records.
func (d folder) Delete(key string) error { return d.failed(key, durable.Remove(d.fs, d.file(key))) }

func (d folder) failed(key string, err error) error {
	if err != nil {
		return fmt.Errorf("store: %s: %w", key, err)
	}
	return nil
}

// List implements records, for the files of one folder. The keys are the names of the files.
func (d folder) List(prefix string) (out []store.Record, err error) {
	dir := filepath.Join(d.dir, prefix)
	names, err := durable.Names(d.fs, dir, ".json")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var damaged error
	for _, n := range names {
		name := filepath.Join(dir, n)
		data, err := durable.Get(d.fs, name)
		switch {
		case err == nil:
			out = append(out, store.Record{Key: name, Value: data})
		case errors.Is(err, durable.ErrDamaged):
			damaged = errors.Join(damaged, fmt.Errorf("store: %w", err))
		default:
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	return out, damaged
}
