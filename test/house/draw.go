package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// arrows counts, for each pair of top folders, the imports from one to the other.
func arrows(all []pkg) map[[2]string]int {
	n := map[[2]string]int{}
	for _, p := range all {
		from := roomOf(strings.TrimPrefix(p.ImportPath, module)).top
		for _, i := range p.Imports {
			to, ours := strings.CutPrefix(i, module)
			if top := roomOf(to).top; ours && top != from {
				n[[2]string{from, top}]++
			}
		}
	}
	return n
}

// maxArrows is how many arrows there may be between top folders: a new one shows two folders that
// know more of each other than they did. Lower it when one goes.
const maxArrows = 40

// apart reports whether an arrow is counted apart: examples stand for programs of importers, and
// internal has helpers that are nobody's API.
func apart(arrow [2]string) bool {
	return arrow[0] == importers || arrow[0] == "internal" || arrow[1] == "internal"
}

// count returns how many arrows there are, and how many of them are counted apart.
func count(n map[[2]string]int) (counted, others int) {
	for a := range n {
		if apart(a) {
			others++
		} else {
			counted++
		}
	}
	return counted, others
}

// draw draws floors from the top, with the packages (rooms) and the arrows of each, and then
// systems with their facets.
func draw(w io.Writer, all []pkg) error {
	rooms := map[string]int{}
	systems := map[string]map[string]int{}
	for _, p := range all {
		path := strings.TrimPrefix(p.ImportPath, module)
		r := roomOf(path)
		rooms[r.top]++
		if r.system == "" {
			continue
		}
		if systems[r.system] == nil {
			systems[r.system] = map[string]int{}
		}
		systems[r.system][r.facet]++
	}
	n := arrows(all)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "floor\trooms\timports (how often)")
	for _, from := range floors {
		if strings.Contains(from, "/") { // a floor within a top folder
			continue
		}
		var to []string
		for _, f := range floors {
			if k := n[[2]string{from, f}]; k > 0 {
				to = append(to, fmt.Sprintf("%s %d", f, k))
			}
		}
		fmt.Fprintf(tab, "%s\t%d\t%s\n", from, rooms[from], strings.Join(to, ", "))
	}
	counted, others := count(n)
	fmt.Fprintf(tab, "\t%d\t%d arrows of at most %d, and apart from them %d from examples and from or to internal\n\nsystem\trooms\tfacets\n", len(all), counted, maxArrows, others)
	for _, s := range slices.Sorted(maps.Keys(systems)) {
		total := 0
		var list []string
		for _, f := range slices.Sorted(maps.Keys(systems[s])) {
			total += systems[s][f]
			list = append(list, fmt.Sprintf("%s %d", f, systems[s][f]))
		}
		fmt.Fprintf(tab, "%s\t%d\t%s\n", s, total, strings.Join(list, ", "))
	}
	return tab.Flush()
}
