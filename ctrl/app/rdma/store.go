package rdma

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/p4ce/p4ce/ctrl/app/rdma/group"
	"github.com/p4ce/p4ce/link/files"
)

// Store keeps the records of running groups and the groups made beforehand, by switch.
// Methods may be called from any goroutine. A made group is on disk when SaveMade returns.
type Store interface {
	SaveMade(sw string, m group.Made) error
	ForgetMade(sw, name string) error
	LoadMade(sw string) ([]group.Made, error)
	Save(sw string, r group.Record) error
	Forget(sw string, index uint16) error
	Load(sw string) ([]group.Record, error)
}

// memoryStore forgets everything with the process.
type memoryStore struct {
	mu sync.Mutex
	m  map[string]map[uint16]group.Record
	// made are by switch and name.
	made map[string]map[string]group.Made
}

// NewMemoryStore makes a store that lives as long as the process.
func NewMemoryStore() Store {
	return &memoryStore{m: map[string]map[uint16]group.Record{}, made: map[string]map[string]group.Made{}}
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

// fileStore keeps one JSON file per group: DIR/SWITCH/INDEX.json, written to a
// temporary name first, so that a file is either the old or the new one.
type fileStore struct{ dir string }

// NewFileStore makes a store in a directory, which is made when it does not
// exist.
func NewFileStore(dir string) (Store, error) {
	if err := files.Private(dir); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &fileStore{dir}, nil
}

func (s *fileStore) path(sw string, index uint16) string {
	return filepath.Join(s.dir, url.PathEscape(sw), strconv.Itoa(int(index))+".json")
}

func (s *fileStore) Save(sw string, r group.Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("store: group %d: %w", r.Index, err)
	}
	name := s.path(sw, r.Index)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func (s *fileStore) Forget(sw string, index uint16) error {
	if err := os.Remove(s.path(sw, index)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func (s *fileStore) Load(sw string) ([]group.Record, error) {
	dir := filepath.Join(s.dir, url.PathEscape(sw))
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var out []group.Record
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		var r group.Record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("store: %s: %w", filepath.Join(dir, e.Name()), err)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, byIndex)
	return out, nil
}
