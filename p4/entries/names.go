package entries

import (
	"fmt"
	"slices"
	"strings"
)

// Resolve finds the object with a control-plane name: the whole name, or the only one that ends with it, in whole components. kind
// is for the error, which says what is close to the name, or what it may mean.
func Resolve[T any](kind, name string, list []T, nameOf func(T) string) (T, error) {
	var found []T
	var zero T
	var names []string
	for _, o := range list {
		n := nameOf(o)
		if n == name {
			return o, nil
		}
		if strings.HasSuffix(n, "."+name) && !slices.Contains(names, n) {
			found, names = append(found, o), append(names, n)
		}
	}
	switch len(found) {
	case 0:
		return zero, fmt.Errorf("%s %q: the program has none of this name%s", kind, name, closest(name, list, nameOf))
	case 1:
		return found[0], nil
	}
	slices.Sort(names)
	return zero, fmt.Errorf("%s %q could be any of %s", kind, name, strings.Join(names, ", "))
}

// few is how many names an error lists.
const few = 8

// closest names objects that a wrong name may mean: those with the same last component, those that differ by a typing error, or
// all, if they are few.
func closest[T any](name string, list []T, nameOf func(T) string) string {
	last := func(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
	near := func(is func(full string) bool) string {
		for _, o := range list {
			if n := nameOf(o); is(n) {
				return fmt.Sprintf(" (did you mean %s?)", n)
			}
		}
		return ""
	}
	if s := near(func(n string) bool { return last(n) == last(name) }); s != "" {
		return s
	}
	if s := near(func(n string) bool { return distance(last(n), last(name)) <= 1+len(last(name))/4 }); s != "" {
		return s
	}
	if len(list) == 0 || len(list) > few {
		return ""
	}
	var all []string
	for _, o := range list {
		all = append(all, nameOf(o))
	}
	slices.Sort(all)
	return " (there are " + strings.Join(slices.Compact(all), ", ") + ")"
}

// distance is how many letters must be added, taken out or changed to make one word of another, at most 64 of each.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
