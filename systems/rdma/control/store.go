package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/host/durable"
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

// records are where a Store keeps values by key. A list may come with an error, which says what is missing in it.
type records interface {
	Put(key string, value []byte) error
	Delete(key string) error
	List(prefix string) ([]store.Record, error)
}

// recordStore keeps records of groups as JSON: FIRST/SWITCH/GROUPS/INDEX and FIRST/SWITCH/made/NAME.
type recordStore struct {
	kept          records
	first, groups string // "" or with a slash at the end
}

// NewMemoryStore makes a store that lives as long as the process.
func NewMemoryStore() Store { return NewKeptStore(store.NewMemory()) }

// NewKeptStore makes a store of the records of a term as primary, where several controllers keep them.
func NewKeptStore(kept store.Records) Store { return recordStore{kept, "rdma/", "groups/"} }

func (s recordStore) at(sw string) string       { return s.first + url.PathEscape(sw) + "/" + s.groups }
func (s recordStore) staticAt(sw string) string { return s.first + url.PathEscape(sw) + "/made/" }

func (s recordStore) put(key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("store: %s: %w", key, err)
	}
	return s.kept.Put(key, data)
}

// Save implements Store.
func (s recordStore) Save(sw string, r group.Record) error {
	return s.put(s.at(sw)+strconv.Itoa(int(r.Index)), r)
}

// Forget implements Store.
func (s recordStore) Forget(sw string, index uint16) error {
	return s.kept.Delete(s.at(sw) + strconv.Itoa(int(index)))
}

// Load implements Store.
func (s recordStore) Load(sw string) ([]group.Record, error) {
	out, err := load[group.Record](s.kept, s.at(sw))
	slices.SortFunc(out, byIndex)
	return out, err
}

func byIndex(a, b group.Record) int { return int(a.Index) - int(b.Index) }

// SaveStatic implements Store.
func (s recordStore) SaveStatic(sw string, m group.Static) error {
	return s.put(s.staticAt(sw)+url.PathEscape(m.Name), m)
}

// ForgetStatic implements Store.
func (s recordStore) ForgetStatic(sw, name string) error {
	return s.kept.Delete(s.staticAt(sw) + url.PathEscape(name))
}

// LoadStatic implements Store.
func (s recordStore) LoadStatic(sw string) ([]group.Static, error) {
	return load[group.Static](s.kept, s.staticAt(sw))
}

// load reads the records under a prefix. What is damaged is left out, and said.
func load[T any](kept records, prefix string) (out []T, err error) {
	list, damaged := kept.List(prefix)
	if damaged != nil && !errors.Is(damaged, durable.ErrDamaged) {
		return nil, damaged
	}
	for _, r := range list {
		var v T
		if err := json.Unmarshal(r.Value, &v); err != nil {
			damaged = errors.Join(damaged, fmt.Errorf("store: record %s: %w: %w", r.Key, durable.ErrDamaged, err))
			continue
		}
		out = append(out, v)
	}
	return out, damaged
}
