package control

import (
	"cmp"
	"slices"

	names "github.com/p4ce/p4ce/p4/amcast"
)

// Cell is what a member remembers of a message: the registers of a cell.
type Cell struct {
	Number uint32 `json:"number"` // 0 with Epoch 0: nothing
	Epoch  uint32 `json:"epoch"`
	LTS    uint32 `json:"lts"`
	Seq    uint32 `json:"seq"`
	Groups uint32 `json:"groups"` // destinations, as in packets
	Digest uint32 `json:"digest"`
}

// Place is a place of a ring: what a seq is (names.Ring*).
type Place struct{ Seq, What uint32 }

// State is what a member remembers: the registers of its role.
type State struct {
	Clock uint32
	Mark  uint32
	Cells []Cell  // as many as a role has
	Ring  []Place // the same number
}

// Merge makes the state of a new epoch from those of a quorum of members of the last complete one. What they have of
// another epoch is void. Of each cell the client's newest message stays: an older one is finished. Timestamps stay as they are.
// Seqs begin anew: what nobody of the quorum has is not numbered, so that replicas do not wait for it.
func Merge(complete, epoch uint32, quorum []State) State {
	cells := len(quorum[0].Cells)
	out := State{Cells: make([]Cell, cells), Ring: make([]Place, cells)}
	for _, s := range quorum {
		out.Clock = max(out.Clock, s.Clock)
		for i, c := range s.Cells {
			if c.Epoch == 0 || c.Epoch != complete {
				continue
			}
			if o := out.Cells[i]; o.Epoch == 0 || int32(c.Number-o.Number) > 0 {
				out.Cells[i] = c
			}
		}
	}
	var order []int
	for i, c := range out.Cells {
		if c.Epoch > 0 {
			order = append(order, i)
			out.Clock = max(out.Clock, c.LTS)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(out.Cells[a].LTS, out.Cells[b].LTS) })
	for _, i := range order {
		out.Mark++
		c := &out.Cells[i]
		c.Epoch, c.Seq = epoch, out.Mark
		out.Ring[out.Mark%uint32(cells)] = Place{out.Mark, names.RingHere + uint32(i)}
	}
	return out
}
