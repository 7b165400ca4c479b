package stf

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/p4/entries"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// keyOf finds a key of a table by name: as it is, without its slice, with or
// without the last $ of $valid$, without leading components. used marks keys
// that have a value already: of two slices of one field, given without their
// slices, the first free one is meant.
func keyOf(t *ir.Table, name string, used []bool) (int, error) {
	norm := func(s string) string {
		s = strings.TrimSuffix(s, "$")
		return strings.ReplaceAll(s, " ", "")
	}
	base := func(s string) string {
		s, _, _ = strings.Cut(s, "[")
		return s
	}
	tests := []func(k string) bool{
		func(k string) bool { return k == name },
		func(k string) bool { return norm(k) == norm(name) },
		func(k string) bool { return norm(base(k)) == norm(name) },
		func(k string) bool { return strings.ReplaceAll(norm(k), "&", "") == norm(name) },
		func(k string) bool { return strings.HasSuffix(norm(k), "."+norm(name)) },
		func(k string) bool { return strings.HasSuffix(norm(base(k)), "."+norm(name)) },
	}
	for _, test := range tests {
		for i, k := range t.Keys {
			if test(k.Name) && !used[i] {
				return i, nil
			}
		}
	}
	var names []string
	for _, k := range t.Keys {
		names = append(names, k.Name)
	}
	return 0, fmt.Errorf("table %s has no key %q left (its keys are %s)", t.Name, name, strings.Join(names, ", "))
}

// actionOf finds an action of a table.
func actionOf(t *ir.Table, name string) (*ir.Action, error) {
	var list []*ir.Action
	for _, r := range t.Actions {
		list = append(list, r.Action)
	}
	a, err := entries.Resolve("action", name, list, func(a *ir.Action) string { return a.Name })
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return a, nil
}
