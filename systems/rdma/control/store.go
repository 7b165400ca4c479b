package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// Store keeps the records of running groups and the static groups, by switch.
// Methods may be called from any goroutine. What was saved is on disk when the call
// returns. What is damaged is left out of what Load and LoadStatic return, with an error that
// wraps durable.ErrDamaged.
type Store interface {
	SaveStatic(sw string, m group.Static) error
	ForgetStatic(sw, name string) error
	LoadStatic(sw string) ([]group.Static, error)
	Save(sw string, r group.Record) error
	Forget(sw string, index uint16) error
	Load(sw string) ([]group.Record, error)
}

// memoryStore forgets everything with the process.
type memoryStore struct {
	mu sync.Mutex
	m  map[string]map[uint16]group.Record
	// made are by switch and name.
	static map[string]map[string]group.Static
}

// NewMemoryStore makes a store that lives as long as the process.
func NewMemoryStore() Store {
	return &memoryStore{m: map[string]map[uint16]group.Record{}, static: map[string]map[string]group.Static{}}
}

func (s *memoryStore) Save(sw string, r group.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m[sw] == nil {
		s.m[sw] = map[uint16]group.Record{}
	}
	s.m[sw][r.Index] = r
	return nil
}

func (s *memoryStore) Forget(sw string, index uint16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m[sw], index)
	return nil
}

func (s *memoryStore) Load(sw string) ([]group.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]group.Record, 0, len(s.m[sw]))
	for _, r := range s.m[sw] {
		out = append(out, r)
	}
	slices.SortFunc(out, byIndex)
	return out, nil
}

func byIndex(a, b group.Record) int { return int(a.Index) - int(b.Index) }

// fileStore keeps one file per group, DIR/SWITCH/INDEX.json, and per group that was made
// beforehand, DIR/SWITCH/made/NAME.json: a line of package durable, and JSON.
type fileStore struct {
	fs  durable.FS
	dir string
}

// NewFileStore makes a store in a directory, which is made when it does not
// exist.
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
	return &fileStore{f, dir}, nil
}

// groups is the folder of a switch's records.
func (s *fileStore) groups(sw string) string { return filepath.Join(s.dir, url.PathEscape(sw)) }

func (s *fileStore) put(dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = durable.MakeDir(s.fs, dir)
	}
	if err == nil {
		err = durable.Put(s.fs, filepath.Join(dir, name+".json"), data)
	}
	if err != nil {
		return fmt.Errorf("store: group %s: %w", name, err)
	}
	return nil
}

func (s *fileStore) remove(dir, name string) error {
	if err := durable.Remove(s.fs, filepath.Join(dir, name+".json")); err != nil {
		return fmt.Errorf("store: group %s: %w", name, err)
	}
	return nil
}

// load reads what is in a folder. What is damaged is left out, and said.
func load[T any](s *fileStore, dir string) (out []T, err error) {
	names, err := durable.Names(s.fs, dir, ".json")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var damaged error
	for _, n := range names {
		data, err := durable.Get(s.fs, filepath.Join(dir, n))
		if err != nil && !errors.Is(err, durable.ErrDamaged) {
			return nil, fmt.Errorf("store: %w", err)
		}
		var v T
		if err == nil {
			err = parse(filepath.Join(dir, n), data, &v)
		}
		if err != nil {
			damaged = errors.Join(damaged, fmt.Errorf("store: %w", err))
			continue
		}
		out = append(out, v)
	}
	return out, damaged
}

// parse reads a record, which is damaged if it cannot.
func parse(name string, data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w: %w", name, durable.ErrDamaged, err)
	}
	return nil
}

func (s *fileStore) Save(sw string, r group.Record) error {
	return s.put(s.groups(sw), strconv.Itoa(int(r.Index)), r)
}

func (s *fileStore) Forget(sw string, index uint16) error {
	return s.remove(s.groups(sw), strconv.Itoa(int(index)))
}

func (s *fileStore) Load(sw string) ([]group.Record, error) {
	out, err := load[group.Record](s, s.groups(sw))
	slices.SortFunc(out, byIndex)
	return out, err
}
