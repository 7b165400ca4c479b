package p4runtime

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// requirement is one of docs/p4runtime.md, and what shows that the switch meets it.
type requirement struct {
	id   string
	test func(d *device)
}

// direct are the requirements that need a direct counter, which XDP does not have.
var direct []string

func needsCounter(list []requirement) []requirement {
	for _, r := range list {
		direct = append(direct, r.id)
	}
	return list
}

// TestConformance checks each requirement on a switch of its own: on one without a program, or on one that runs the program
// of testdata.
func TestConformance(t *testing.T) {
	running := slices.Concat(writes, entries, needsCounter(counters), cells, reads, groups, packets, digests, timeouts)
	seen := map[string]bool{}
	for _, r := range slices.Concat(sessions, pipelines, running) {
		require.False(t, seen[r.id], "two requirements are called %s", r.id)
		seen[r.id] = true
	}
	for _, kind := range []string{interpreter, kernel} {
		t.Run(kind, func(t *testing.T) {
			if kind == kernel {
				newDevice(t, kind) // or the whole is left out
			}
			for _, r := range slices.Concat(sessions, pipelines) {
				t.Run(r.id, func(t *testing.T) { r.test(newDevice(t, kind)) })
			}
			for _, r := range running {
				if kind == kernel && slices.Contains(direct, r.id) {
					continue
				}
				t.Run(r.id, func(t *testing.T) {
					d := newDevice(t, kind)
					d.run()
					r.test(d)
				})
			}
		})
	}
}
