package explore

import "hash/maphash"

// key is the hash of a state.
type key [2]uint64

// hasher makes keys.
type hasher [2]maphash.Seed

func newHasher() hasher { return hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

func (h hasher) key(b []byte) key {
	k := key{maphash.Bytes(h[0], b), maphash.Bytes(h[1], b)}
	if k == (key{}) {
		k[0] = 1 // the zero key marks a free place
	}
	return k
}

// set is a set of keys, by open addressing.
type set struct {
	slots []key
	n     int
}

func (s *set) has(k key) bool {
	if len(s.slots) == 0 {
		return false
	}
	mask := uint64(len(s.slots) - 1)
	for i := k[0] & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case k:
			return true
		case key{}:
			return false
		}
	}
}

// add reports whether the key is new.
func (s *set) add(k key) bool {
	if 4*(s.n+1) > 3*len(s.slots) {
		old := s.slots
		s.slots = make([]key, max(1024, 2*len(old)))
		for _, o := range old {
			if o != (key{}) {
				s.put(o)
			}
		}
	}
	if !s.put(k) {
		return false
	}
	s.n++
	return true
}

func (s *set) put(k key) bool {
	mask := uint64(len(s.slots) - 1)
	i := k[0] & mask
	for s.slots[i] != (key{}) {
		if s.slots[i] == k {
			return false
		}
		i = (i + 1) & mask
	}
	s.slots[i] = k
	return true
}
