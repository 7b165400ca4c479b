package p4info

import (
	"fmt"
	"slices"
	"strings"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
)

// A symbol is an object that has an id.
type symbol struct {
	kind   p4config.P4Ids_Prefix
	name   string // as the public compiler hashes it
	wanted uint32 // of @id, 0 when absent
}

// symbols assigns ids and aliases.
type symbols struct {
	list []symbol
	ids  map[symbolKey]uint32
}

type symbolKey struct {
	kind p4config.P4Ids_Prefix
	name string
}

func (s *symbols) add(kind p4config.P4Ids_Prefix, name string, id uint32) {
	for _, o := range s.list {
		if o.kind == kind && o.name == name {
			return // reported when the objects are built
		}
	}
	s.list = append(s.list, symbol{kind, name, id})
}

// assign gives every symbol its id: first those with @id, then the others by
// hash, kind by kind and in order of names, as linear probing depends on it.
func (s *symbols) assign() error {
	s.ids = map[symbolKey]uint32{}
	taken := map[uint32]string{}
	for _, o := range s.list {
		if o.wanted == 0 {
			continue
		}
		if o.wanted>>24 != uint32(o.kind) {
			return fmt.Errorf("%s: @id(%#08x) has the prefix byte of another kind of object, not %#02x", o.name, o.wanted, uint32(o.kind))
		}
		if other, dup := taken[o.wanted]; dup {
			return fmt.Errorf("%s: @id(%#08x) is the id of %s as well", o.name, o.wanted, other)
		}
		taken[o.wanted] = o.name
		s.ids[symbolKey{o.kind, o.name}] = o.wanted
	}
	rest := slices.Clone(s.list)
	slices.SortStableFunc(rest, func(a, b symbol) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return strings.Compare(a.name, b.name)
	})
	for _, o := range rest {
		if o.wanted != 0 {
			continue
		}
		h := hash(o.name)
		for {
			id := uint32(o.kind)<<24 | h&0xffffff
			if _, used := taken[id]; !used {
				taken[id] = o.name
				s.ids[symbolKey{o.kind, o.name}] = id
				break
			}
			h++
		}
	}
	return nil
}

// hash is Jenkins's one-at-a-time hash.
func hash(name string) uint32 {
	var h uint32
	for i := 0; i < len(name); i++ {
		h += uint32(name[i])
		h += h << 10
		h ^= h >> 6
	}
	h += h << 3
	h ^= h >> 11
	h += h << 15
	return h
}

// alias is the shortest suffix of name, in whole components, that no other
// symbol's name ends with.
func (s *symbols) alias(name string) string {
	parts := strings.Split(name, ".")
	for n := 1; n < len(parts); n++ {
		suffix := strings.Join(parts[len(parts)-n:], ".")
		if !s.sharedSuffix(name, suffix) {
			return suffix
		}
	}
	return name
}

func (s *symbols) sharedSuffix(name, suffix string) bool {
	for _, o := range s.list {
		if o.name != name && (o.name == suffix || strings.HasSuffix(o.name, "."+suffix)) {
			return true
		}
	}
	return false
}
