package rdma

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/ctrl/app/rdma/group"
)

func (s *memoryStore) SaveMade(sw string, m group.Made) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made[sw] == nil {
		s.made[sw] = map[string]group.Made{}
	}
	s.made[sw][m.Name] = m
	return nil
}

func (s *memoryStore) ForgetMade(sw, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.made[sw], name)
	return nil
}

func (s *memoryStore) LoadMade(sw string) ([]group.Made, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.made[sw])), nil
}

// made is the folder of a switch's made groups: DIR/SWITCH/made/NAME.json.
func (s *fileStore) made(sw string) string { return filepath.Join(s.dir, url.PathEscape(sw), "made") }

func (s *fileStore) SaveMade(sw string, m group.Made) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("store: group %q: %w", m.Name, err)
	}
	dir := s.made(sw)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	name := filepath.Join(dir, m.Name+".json")
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return syncDir(dir)
}

func (s *fileStore) ForgetMade(sw, name string) error {
	if err := os.Remove(filepath.Join(s.made(sw), name+".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	return syncDir(s.made(sw))
}

// syncDir makes the names in a folder durable; one that does not exist has none.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func (s *fileStore) LoadMade(sw string) (out []group.Made, err error) {
	dir := s.made(sw)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue // what a controller was writing when it died
		}
		name := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		var m group.Made
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("store: %s: %w", name, err)
		}
		out = append(out, m)
	}
	return out, nil
}
