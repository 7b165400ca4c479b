package topology

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parse reads "t:1-l:1" and "r1@t:8".
func parse(t require.TestingT, text string) (links []Link, hosts []Host) {
	for _, f := range strings.Fields(text) {
		if name, at, ok := strings.Cut(f, "@"); ok {
			p, err := ParsePlace(at)
			require.NoError(t, err)
			hosts = append(hosts, Host{name, p})
			continue
		}
		a, b, _ := strings.Cut(f, "-")
		var l Link
		var err error
		l.A, err = ParsePlace(a)
		require.NoError(t, err)
		l.B, err = ParsePlace(b)
		require.NoError(t, err)
		links = append(links, l)
	}
	return links, hosts
}

func TestStar(t *testing.T) {
	links, hosts := parse(t, "t:1-l:1 t:2-a:1 t:3-a:2 r1@t:8 r2@a:8")
	n, err := New([]string{"t", "l", "a"}, links, hosts)
	require.NoError(t, err)
	port := func(from, to string) int {
		p, ok := n.Port(from, to)
		if !ok {
			return -1
		}
		return int(p)
	}
	require.Equal(t, 1, port("t", "l"))
	require.Equal(t, 2, port("t", "a"), "the first of two links")
	require.Equal(t, 1, port("a", "t"))
	require.Equal(t, 1, port("a", "l"))
	require.Equal(t, 1, port("l", "a"))
	require.Equal(t, 8, port("t", "r1"))
	require.Equal(t, 2, port("t", "r2"))
	require.Equal(t, 8, port("a", "r2"))
	require.Equal(t, -1, port("t", "t"))
	require.Equal(t, -1, port("t", "nobody"))
	require.Equal(t, []string{"l", "a"}, n.Neighbours("t"))
}

func TestBadTopology(t *testing.T) {
	for _, tt := range []struct{ switches, text, want string }{
		{"", "", "topology: no switch"},
		{"t t", "", "switch t: a switch has that name"},
		{"t l", "t:1-x:1", `link t:1 - x:1: no switch "x"`},
		{"t l", "t:1-l:1 r@x:8", `host r: no switch "x"`},
		{"t l", "t:1-l:1 r@t:1", "host r: port t:1 already belongs to link t:1 - l:1"},
		{"t l", "t:1-l:1 t:1-l:2", "link t:1 - l:2: port t:1 already belongs to link t:1 - l:1"},
		{"t l", "t:1-t:2", "from a switch to itself"},
		{"t l", "t:1-l:1 l@t:8", "host l: a switch has that name"},
		{"t l a", "t:1-l:1", "switch a cannot be reached from t"},
	} {
		links, hosts := parse(t, tt.text)
		_, err := New(strings.Fields(tt.switches), links, hosts)
		require.ErrorContains(t, err, tt.want, tt.text)
	}
	for in, want := range map[string]string{
		"t": "want SWITCH:PORT", ":1": "want SWITCH:PORT", "t:x": `port "x" is not a number`, "t:511": "ports go from 0 to 510", "t:4000": "ports go from 0 to",
	} {
		_, err := ParsePlace(in)
		require.ErrorContains(t, err, want)
	}
}

// TestRoutes: in any connected network, who follows the ports arrives, and as soon as
// possible.
func TestRoutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "switches")
		name := func(i int) string { return string(rune('a' + i)) }
		var switches []string
		var links []Link
		free := make([]uint16, n)
		join := func(a, b int) {
			free[a]++
			free[b]++
			links = append(links, Link{Place{name(a), free[a]}, Place{name(b), free[b]}})
		}
		for i := range n {
			switches = append(switches, name(i))
			if i > 0 {
				join(rapid.IntRange(0, i-1).Draw(t, "parent"), i)
			}
		}
		for range rapid.IntRange(0, 6).Draw(t, "more links") {
			a := rapid.IntRange(0, n-1).Draw(t, "from")
			join(a, (a+rapid.IntRange(1, n-1).Draw(t, "to"))%n)
		}
		net, err := New(switches, links, nil)
		require.NoError(t, err)
		at := map[Place]string{}
		for _, l := range links {
			at[l.A], at[l.B] = l.B.Switch, l.A.Switch
		}
		for i := range n {
			// Bellman-Ford, for the distances.
			dist := map[string]int{name(i): 0}
			for range n {
				for p, to := range at {
					if d, ok := dist[to]; ok {
						if old, ok := dist[p.Switch]; !ok || d+1 < old {
							dist[p.Switch] = d + 1
						}
					}
				}
			}
			for j := range n {
				hops := 0
				for here := name(j); here != name(i); hops++ {
					port, ok := net.Port(here, name(i))
					require.True(t, ok)
					here = at[Place{here, port}]
					require.LessOrEqual(t, hops, n)
				}
				require.Equal(t, dist[name(j)], hops)
			}
		}
	})
}
