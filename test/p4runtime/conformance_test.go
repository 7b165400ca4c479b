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

// interpreterOnly are the requirements that need what XDP does not have here: direct counters, and a port to the controller, which is an
// interface (dataplane/xdp tests it).
func interpreterOnly(id string) bool {
	switch id {
	case "packet.in", "packet.only-primary-receives", "packet.out-not-primary", "packet.out-any-order", "packet.of-every-role":
		return true
	}
	return slices.ContainsFunc(counters, func(r requirement) bool { return r.id == id })
}

// TestConformance checks each requirement on a switch of its own: on one without a program, or on one that runs the program
// of testdata.
func TestConformance(t *testing.T) {
	running := slices.Concat(writes, entries, counters, cells, reads, groups, profiles, sets, limits, packets, digests, timeouts)
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
				if kind == kernel && interpreterOnly(r.id) {
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
