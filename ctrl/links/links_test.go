package links

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
)

// A ring of three switches, a and b, c and p, which only routes, with a host at each of the first two.
func ring(t *testing.T) *topology.Network {
	place := func(s string) topology.Place {
		p, err := topology.ParsePlace(s)
		require.NoError(t, err)
		return p
	}
	var list []topology.Link
	for _, l := range []string{"a:1 b:1", "b:2 c:1", "c:2 a:2", "a:3 p:1"} {
		x, y, _ := strings.Cut(l, " ")
		list = append(list, topology.Link{A: place(x), B: place(y)})
	}
	net, err := topology.New([]string{"a", "b", "c", "p"}, list, []topology.Host{{Name: "ha", At: place("a:9")}, {Name: "hb", At: place("b:9")}})
	require.NoError(t, err)
	require.NoError(t, net.SetPlain("p"))
	return net
}

const hold = time.Second

// world is ends whose probes arrive at once, but for those that leave ports in lost.
type world struct {
	*Map
	ends map[string]*End
	seen map[string]bool
	lost map[topology.Place]bool
	sent map[topology.Place]int
	said []string
	now  time.Duration
}

func newWorld(t *testing.T, seen ...string) *world {
	net := ring(t)
	w := &world{Map: NewMap(net), ends: map[string]*End{}, seen: map[string]bool{}, lost: map[topology.Place]bool{}, sent: map[topology.Place]int{}}
	for _, name := range []string{"a", "b", "c"} {
		w.ends[name] = NewEnd(Config{
			Net: net, Switch: name, MAC: wire.MAC{2, 0, 0, 0, 0, name[0]}, Hold: hold, Set: w.Set,
			Send: func(port uint16, frame []byte) { w.send(topology.Place{Switch: name, Port: port}, frame) },
			Seen: func(s string) bool { return w.seen[s] }, Ask: func(p topology.Place) { w.ends[p.Switch].Say(p.Port) },
			Log: func(level slog.Level, text string, args ...any) {
				w.said = append(w.said, fmt.Sprintf("%s: %v %s %v", name, level, text, args))
			},
		})
	}
	for _, name := range seen {
		w.seen[name] = true
	}
	return w
}

func (w *world) send(from topology.Place, frame []byte) {
	w.sent[from]++
	if to, ok := w.net.Peer(from); ok && !w.lost[from] && w.ends[to.Switch] != nil {
		w.ends[to.Switch].Packet(w.now, to.Port, frame)
	}
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	for end := w.now + d; w.now < end; w.now += Probe {
		for _, name := range []string{"a", "b", "c"} {
			w.ends[name].Probe(w.now)
		}
	}
}

func (w *world) port(from, to string) uint16 { p, _ := w.Routes().Port(from, to); return p }

// TestProbes: a link over which probes are lost in one direction is down, and traffic has another way; with the first
// probe it is up.
func TestProbes(t *testing.T) {
	w := newWorld(t, "a", "b", "c", "p")
	w.pass(10 * hold)
	require.Equal(t, []topology.Place{{Switch: "a", Port: 3}}, w.Down(), "p is silent")
	require.EqualValues(t, 1, w.port("a", "hb"))
	from, at := topology.Place{Switch: "b", Port: 1}, topology.Place{Switch: "a", Port: 1}
	require.True(t, w.Works(at))
	w.lost[from] = true
	w.pass(hold / 2)
	require.True(t, w.Works(at), "not yet")
	w.pass(2 * hold)
	require.Contains(t, w.Down(), at)
	require.False(t, w.Works(at))
	require.False(t, w.Works(from), "its other end is down")
	require.False(t, w.Works(topology.Place{Switch: "a", Port: 9}), "no link")
	require.EqualValues(t, 2, w.port("a", "hb"))
	require.EqualValues(t, 2, w.port("b", "a"))
	delete(w.lost, from)
	w.pass(2 * Probe)
	require.NotContains(t, w.Down(), at)
	require.EqualValues(t, 1, w.port("a", "hb"))
	require.Equal(t, []string{"a: WARN link is down [port a:3]", "a: WARN link is down [port a:1]", "a: INFO link is up again [port a:1]"}, w.said)
}

// TestUnseen: a link to a switch that has not been there yet is not down because it is silent; nor is one for what was not
// heard while its own switch was out of reach.
func TestUnseen(t *testing.T) {
	w := newWorld(t, "a")
	w.lost[topology.Place{Switch: "b", Port: 1}] = true
	w.pass(10 * hold)
	require.Empty(t, w.Down())
	w.seen["b"] = true
	w.pass(hold - Probe)
	w.ends["a"].Unheard()
	w.pass(hold)
	require.Empty(t, w.Down())
	w.pass(2 * Probe)
	require.Equal(t, []topology.Place{{Switch: "a", Port: 1}}, w.Down())
}

// TestPorts: what a switch says of its ports counts at once; a probe that came before does not. When the port works again,
// both ends send one. A link to a switch that sends none is up then.
func TestPorts(t *testing.T) {
	w := newWorld(t, "a", "b", "c")
	a, at, far := w.ends["a"], topology.Place{Switch: "a", Port: 1}, topology.Place{Switch: "b", Port: 1}
	a.Ports(map[uint32]bool{1: false, 2: true, 9: false})
	require.Equal(t, []topology.Place{at}, w.Down(), "a host's port is nobody's link")
	a.Packet(w.now, 1, LLDP(wire.MAC{2}, far))
	require.Equal(t, []topology.Place{at}, w.Down())
	clear(w.sent)
	a.Ports(map[uint32]bool{1: true})
	require.Empty(t, w.Down())
	require.Equal(t, map[topology.Place]int{at: 1, far: 1}, w.sent)
	a.Ports(map[uint32]bool{1: true})
	require.Equal(t, map[topology.Place]int{at: 1, far: 1}, w.sent, "no news")

	a.Ports(map[uint32]bool{3: false})
	require.Len(t, w.Down(), 1)
	a.Ports(map[uint32]bool{3: true})
	require.Empty(t, w.Down())

	// Another session begins: what the last one said is not known to be so.
	a.Ports(map[uint32]bool{1: false})
	a.Ports(nil)
	require.Equal(t, []topology.Place{at}, w.Down())
	a.Packet(w.now, 1, LLDP(wire.MAC{2}, far))
	require.Empty(t, w.Down())
}

// TestForeign: nobody speaks for another port, or for a switch that sends no probes.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		port uint16
		from topology.Place
	}{
		{1, topology.Place{Switch: "b", Port: 2}}, {2, topology.Place{Switch: "b", Port: 1}}, {9, topology.Place{Switch: "b", Port: 1}},
		{1, topology.Place{Switch: "nobody", Port: 1}}, {3, topology.Place{Switch: "p", Port: 1}},
	} {
		w := newWorld(t, "a", "b", "c")
		w.Set(topology.Place{Switch: "a", Port: 1}, false)
		for range 2 {
			require.True(t, w.ends["a"].Packet(w.now, c.port, LLDP(wire.MAC{2}, c.from)))
		}
		require.EqualValues(t, 2, w.ends["a"].Foreign(), "%v by port %d", c.from, c.port)
		require.Len(t, w.Down(), 1)
		require.Len(t, w.said, 1, "it is said once")
	}
	w := newWorld(t)
	require.False(t, w.ends["a"].Packet(0, 1, make([]byte, 60)), "no probe")
	require.Zero(t, w.ends["a"].Foreign())
}

func FuzzLLDP(f *testing.F) {
	mac := wire.MAC{2, 0, 0, 0, 0, 1}
	f.Add(LLDP(mac, topology.Place{Switch: "s1", Port: 31}))
	f.Fuzz(func(t *testing.T, frame []byte) {
		if at, ok := ParseLLDP(frame); ok {
			again, ok := ParseLLDP(LLDP(mac, at))
			require.True(t, ok)
			require.Equal(t, at, again)
		}
	})
}
