package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/sim/explore"
)

//go:generate go run ../../internal/systems explore

// makeModel makes what "mu entries=2 batch" names, and says how many workers may search it; 0: any number.
func makeModel(world string) (m explore.Model, workers int, err error) {
	kind, bounds, _ := strings.Cut(strings.TrimSpace(world), " ")
	var names []string
	for _, k := range slices.Concat(kinds...) {
		if names = append(names, k.Name); k.Name != kind {
			continue
		}
		if m, err = k.Model(bounds); err != nil {
			return nil, 0, fmt.Errorf("world %s: %w", world, err)
		}
		if k.Shared {
			workers = 1
		}
		return m, workers, nil
	}
	return nil, 0, fmt.Errorf("world %q: there is no kind %q (there are %s)", world, kind, strings.Join(names, ", "))
}

// kept is a world that is explored when no other is asked for.
type kept struct {
	explore.Kept
	world string
}

func keptWorlds() (all []kept) {
	for _, kind := range slices.Concat(kinds...) {
		for _, k := range kind.Kept {
			k.Name = kind.Prefix + k.Name
			all = append(all, kept{k, kind.Name + " " + k.Bounds})
		}
	}
	return all
}
