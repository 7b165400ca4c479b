package control

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/p4ce/p4ce/systems/rdma/control/group"
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

// made is the folder of a switch's made groups.
func (s *fileStore) made(sw string) string { return filepath.Join(s.groups(sw), "made") }

func (s *fileStore) SaveMade(sw string, m group.Made) error { return s.put(s.made(sw), m.Name, m) }

func (s *fileStore) ForgetMade(sw, name string) error { return s.remove(s.made(sw), name) }

func (s *fileStore) LoadMade(sw string) ([]group.Made, error) {
	return load[group.Made](s, s.made(sw))
}
