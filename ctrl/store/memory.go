package store

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Memory are Records that are gone with the process.
type Memory struct {
	mu sync.Mutex
	m  map[string][]byte
}

// NewMemory makes empty ones.
func NewMemory() *Memory { return &Memory{m: map[string][]byte{}} }

// Put implements Records.
func (r *Memory) Put(key string, value []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[key] = slices.Clone(value)
	return nil
}

// Delete implements Records.
func (r *Memory) Delete(key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m, key)
	return nil
}

// List implements Records.
func (r *Memory) List(prefix string) (out []Record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(r.m)) {
		if strings.HasPrefix(k, prefix) {
			out = append(out, Record{k, slices.Clone(r.m[k])})
		}
	}
	return out, nil
}

// Replace implements Records.
func (r *Memory) Replace(prefix, key string, value []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.m, func(k string, _ []byte) bool { return strings.HasPrefix(k, prefix) })
	r.m[key] = slices.Clone(value)
	return nil
}
