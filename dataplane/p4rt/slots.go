package p4rt

import (
	"cmp"
	"slices"
)

// share is a member that takes part in a group, and its weight (at least 1).
type share struct {
	member uint32
	weight int
}

func weights(list []share) (sum int) {
	for _, m := range list {
		sum += m.weight
	}
	return sum
}

// fairSlots gives each member as many slots as its weight says, in the order of the members.
func fairSlots(list []share) []uint32 {
	out := make([]uint32, 0, weights(list))
	for _, m := range list {
		for range m.weight {
			out = append(out, m.member)
		}
	}
	return out
}

// resilientSlots gives n slots to members by their weights, of which the sum is at most n; nil when there are none. A slot keeps
// the member that it has in was, as long as that one takes part. Only with rebalance do members give slots to those that have too
// few: so long as members leave and none comes, no slot of another changes.
func resilientSlots(was []uint32, n int, list []share, rebalance bool) []uint32 {
	if len(list) == 0 {
		return nil
	}
	sum, has, at := weights(list), make([]int, len(list)), map[uint32]int{}
	for i, m := range list {
		at[m.member] = i
	}
	out, owner := make([]uint32, n), make([]int, n)
	var free []int
	for i := range out {
		owner[i] = -1
		if i < len(was) {
			if k, there := at[was[i]]; there {
				owner[i] = k
				has[k]++
				continue
			}
		}
		free = append(free, i)
	}
	indices := make([]int, len(list))
	for i := range indices {
		indices[i] = i
	}
	// fuller compares how full members are, in slots for their weight.
	fuller := func(a, b int) int { return cmp.Compare(has[a]*list[b].weight, has[b]*list[a].weight) }
	for _, i := range free {
		k := slices.MinFunc(indices, fuller)
		owner[i] = k
		has[k]++
	}
	for rebalance {
		poor, rich := -1, slices.MaxFunc(indices, fuller)
		for k, m := range list {
			if has[k] < n*m.weight/sum {
				poor = k
				break
			}
		}
		if poor < 0 || poor == rich {
			break
		}
		i := len(owner) - 1
		for owner[i] != rich {
			i--
		}
		owner[i] = poor
		has[poor]++
		has[rich]--
	}
	for i, k := range owner {
		out[i] = list[k].member
	}
	return out
}
