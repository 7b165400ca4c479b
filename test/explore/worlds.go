package main

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/sim/explore"
	paxosexplore "github.com/p4ce/p4ce/systems/paxos/explore"
	"github.com/p4ce/p4ce/systems/rdma/explore/consensus"
	"github.com/p4ce/p4ce/systems/rdma/explore/gather"
	"github.com/p4ce/p4ce/systems/rdma/explore/tree"
)

// kinds makes a model of a world from its bounds.
var kinds = map[string]func(bounds string) (explore.Model, error){
	"mu": func(bounds string) (explore.Model, error) {
		b, err := consensus.ParseBounds(bounds)
		if err != nil {
			return nil, err
		}
		return consensus.NewModel(b)
	},
	"rdma": func(bounds string) (explore.Model, error) {
		b, err := gather.ParseBounds(bounds)
		if err != nil {
			return nil, err
		}
		return gather.NewModel(b)
	},
	"tree": func(bounds string) (explore.Model, error) {
		b, err := tree.ParseBounds(bounds)
		if err != nil {
			return nil, err
		}
		return tree.NewModel(b)
	},
	"paxos": func(bounds string) (explore.Model, error) {
		b, err := paxosexplore.ParseBounds(bounds)
		if err != nil {
			return nil, err
		}
		return paxosexplore.NewModel(b)
	},
}

// makeModel makes what "mu entries=2 batch" names.
func makeModel(world string) (explore.Model, error) {
	kind, bounds, _ := strings.Cut(strings.TrimSpace(world), " ")
	f := kinds[kind]
	if f == nil {
		return nil, fmt.Errorf("world %q: no such kind", kind)
	}
	m, err := f(bounds)
	if err != nil {
		return nil, fmt.Errorf("world %s: %w", world, err)
	}
	return m, nil
}

// kept is a world that is explored when no other is asked for.
type kept struct {
	explore.Kept
	world string
}

func keptWorlds() []kept {
	var all []kept
	for _, k := range consensus.Kept {
		all = append(all, kept{k, "mu " + k.Bounds})
	}
	for _, k := range gather.Kept {
		k.Name = "rdma-" + k.Name
		all = append(all, kept{k, "rdma " + k.Bounds})
	}
	for _, k := range tree.Kept {
		all = append(all, kept{k, "tree " + k.Bounds})
	}
	for _, k := range paxosexplore.Kept {
		k.Name = "paxos-" + k.Name
		all = append(all, kept{k, "paxos " + k.Bounds})
	}
	return all
}
