package rig

import (
	"math/rand/v2"
	"slices"

	"github.com/p4ce/p4ce/internal/quorum"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// Memory is a region; in a simulation nothing happens at once.
type Memory []byte

// Bytes implements mu.Memory.
func (m Memory) Bytes() []byte { return m }

// Access implements mu.Memory.
func (m Memory) Access(f func(b []byte)) { f(m) }

// Has reports whether a server is a member.
func Has(members []mu.Member, id int) bool {
	return slices.ContainsFunc(members, func(m mu.Member) bool { return int(m.ID) == id })
}

// IDs are the members' ids.
func IDs(members []mu.Member) (all []int) {
	for _, m := range members {
		all = append(all, int(m.ID))
	}
	return all
}

// Memberships are those in a log, from a position on.
func Memberships(log []byte, pos uint64) (all [][]mu.Member) {
	for first := pos; pos-first < uint64(len(log)); {
		e, ok := mu.Inspect(log, pos)
		if !ok {
			break
		}
		if e.Members != nil {
			all = append(all, e.Members)
		}
		pos = e.End
	}
	return all
}

// Suffice reports whether servers are a majority of each membership.
func Suffice(servers []int, all [][]mu.Member) bool {
	return !slices.ContainsFunc(all, func(members []mu.Member) bool {
		has := 0
		for _, m := range members {
			if slices.Contains(servers, int(m.ID)) {
				has++
			}
		}
		return has < quorum.Majority(len(members))
	})
}

// Core draws servers of those that are able that suffice for each membership, and no more than it must; nil if
// there are none.
func Core(rng *rand.Rand, able []int, all [][]mu.Member) []int {
	rng.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	for n := range len(able) + 1 {
		if core := able[:n]; Suffice(core, all) {
			slices.Sort(core)
			return core
		}
	}
	return nil
}

// End is where the last of entries ends that are on a disk.
func End(entries []mu.Logged) (end uint64) {
	for _, e := range entries {
		end = max(end, e.End)
	}
	return end
}

// Written reports whether an entry is among those on a disk, of a log of so many bytes.
func Written(entries []mu.Logged, size int, d mu.Decided) bool {
	return slices.ContainsFunc(entries, func(e mu.Logged) bool {
		if e.End != d.Position {
			return false
		}
		region := make([]byte, size)
		r := mu.Replay{Region: region}
		return r.Add(mu.Logged{Position: e.Position, Bytes: e.Bytes}) == nil && mu.Holds(region, d.Position, d)
	})
}
