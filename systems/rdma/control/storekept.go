package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// keptStore keeps records where several controllers do: rdma/SWITCH/groups/INDEX and
// rdma/SWITCH/made/NAME, as JSON.
type keptStore struct{ kept store.Records }

// NewKeptStore makes a store of the records of a primary's term.
func NewKeptStore(kept store.Records) Store { return keptStore{kept} }

func (keptStore) groups(sw string) string { return "rdma/" + url.PathEscape(sw) + "/groups/" }
func (keptStore) static(sw string) string { return "rdma/" + url.PathEscape(sw) + "/made/" }

func (s keptStore) put(key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("store: %s: %w", key, err)
	}
	return s.kept.Put(key, data)
}

func (s keptStore) Save(sw string, r group.Record) error {
	return s.put(s.groups(sw)+strconv.Itoa(int(r.Index)), r)
}

func (s keptStore) Forget(sw string, index uint16) error {
	return s.kept.Delete(s.groups(sw) + strconv.Itoa(int(index)))
}

func (s keptStore) SaveStatic(sw string, m group.Static) error {
	return s.put(s.static(sw)+url.PathEscape(m.Name), m)
}

func (s keptStore) ForgetStatic(sw, name string) error {
	return s.kept.Delete(s.static(sw) + url.PathEscape(name))
}

func (s keptStore) Load(sw string) ([]group.Record, error) {
	out, err := loadKept[group.Record](s.kept, s.groups(sw))
	slices.SortFunc(out, byIndex)
	return out, err
}

func (s keptStore) LoadStatic(sw string) ([]group.Static, error) {
	return loadKept[group.Static](s.kept, s.static(sw))
}

func loadKept[T any](kept store.Records, prefix string) (out []T, err error) {
	list, err := kept.List(prefix)
	if err != nil {
		return nil, err
	}
	var damaged error
	for _, r := range list {
		var v T
		if err := parse("record "+r.Key, r.Value, &v); err != nil {
			damaged = errors.Join(damaged, fmt.Errorf("store: %w", err))
			continue
		}
		out = append(out, v)
	}
	return out, damaged
}
