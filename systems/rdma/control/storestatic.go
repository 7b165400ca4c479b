package control

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

func (s *memoryStore) SaveStatic(sw string, m group.Static) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.static[sw] == nil {
		s.static[sw] = map[string]group.Static{}
	}
	s.static[sw][m.Name] = m
	return nil
}

func (s *memoryStore) ForgetStatic(sw, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.static[sw], name)
	return nil
}

func (s *memoryStore) LoadStatic(sw string) ([]group.Static, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.static[sw])), nil
}

// static is the folder of a switch's static groups.
func (s *fileStore) static(sw string) string { return filepath.Join(s.groups(sw), "made") }

func (s *fileStore) SaveStatic(sw string, m group.Static) error {
	return s.put(s.static(sw), m.Name, m)
}

func (s *fileStore) ForgetStatic(sw, name string) error { return s.remove(s.static(sw), name) }

func (s *fileStore) LoadStatic(sw string) ([]group.Static, error) {
	return load[group.Static](s, s.static(sw))
}
