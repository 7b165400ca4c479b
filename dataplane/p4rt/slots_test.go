package p4rt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFairSlots(t *testing.T) {
	require.Empty(t, fairSlots(nil))
	require.Equal(t, []uint32{7, 7, 3, 9}, fairSlots([]share{{7, 2}, {3, 1}, {9, 1}}))
}

func slotsOf(list []uint32) map[uint32]int {
	out := map[uint32]int{}
	for _, m := range list {
		out[m]++
	}
	return out
}

// TestResilientSlots: members come, leave and get other weights. After members have left, no slot of another has changed. After one
// has come, slots have changed to those that had too few only, and each member has its part of the slots.
func TestResilientSlots(t *testing.T) {
	require.Nil(t, resilientSlots([]uint32{1, 1}, 2, nil, true))
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	left, came := 0, 0
	for range 300 {
		n := 1 + rnd.IntN(40)
		var list []share
		var was []uint32
		for range 20 {
			switch i := rnd.IntN(max(1, len(list))); {
			case len(list) > 1 && rnd.IntN(2) == 0:
				list = slices.Delete(slices.Clone(list), i, i+1)
				now := resilientSlots(was, n, list, false)
				require.Len(t, now, n)
				stay := slotsOf(fairSlots(list))
				for k, m := range was {
					if stay[m] > 0 {
						require.Equal(t, m, now[k], "slot %d of %v: was %v, is %v", k, list, was, now)
					}
				}
				for m := range slotsOf(now) {
					require.Positive(t, stay[m])
				}
				was = now
				left++
			case weights(list) < n:
				list = append(slices.Clone(list), share{uint32(100 + rnd.IntN(1000)), 1 + rnd.IntN(n-weights(list))})
				if len(slotsOf(fairSlots(list))) != len(list) {
					list = list[:len(list)-1]
					continue
				}
				now := resilientSlots(was, n, list, true)
				require.Len(t, now, n)
				has := slotsOf(now)
				for _, m := range list {
					require.GreaterOrEqual(t, has[m.member], n*m.weight/weights(list), "%v: %v", list, now)
				}
				before := slotsOf(was)
				for k, m := range was {
					if now[k] != m {
						require.Greater(t, has[now[k]], before[now[k]], "a slot moves to a member that gets more")
					}
				}
				require.Equal(t, now, resilientSlots(now, n, list, true), "it is at rest")
				was = now
				came++
			}
		}
	}
	require.Greater(t, left, 100)
	require.Greater(t, came, 100)
}
