package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// Who has no part in a message is found when a packet of it is from him, or comes to him.
func TestGenuine(t *testing.T) {
	const text = `name: x
system: amcast
topology: {kind: leaf-spine, core: amcast, leaves: 2, spines: 2, hosts: 2}
groups:
  - {number: 1, members: [spine1], replicas: [h1]}
  - {number: 2, members: [spine1], replicas: [h3]}
loads:
  - {name: a, from: h2, groups: [1], size: 64, count: 1}
`
	one, err := amcast.NewGroups(1)
	require.NoError(t, err)
	both, err := amcast.NewGroups(1, 2)
	require.NoError(t, err)
	id := amcast.ID{Client: 7, Number: 20}
	prop := amcast.Packet{Kind: amcast.MsgProp, ID: id, Groups: one, From: 1, By: 1}
	with := func(p amcast.Packet, change func(*amcast.Packet)) amcast.Packet { change(&p); return p }
	for _, c := range []struct {
		name, link string
		back       bool // the link's other direction
		from, to   string
		port       uint16 // of the receiver, above the first
		p          amcast.Packet
		want       string
	}{
		{"a proposal for a replica", "h1-leaf1", true, "spine1", "h1", 0, prop, ""},
		{"a proposal for a deliverer", "leaf1-spine1", true, "spine1", "leaf1", 0, with(prop, func(p *amcast.Packet) { p.Kind = amcast.MsgACK }), ""},
		{"the sender's", "h2-leaf1", false, "h2", "spine1", 0, amcast.Packet{Kind: amcast.MsgStart, ID: id, Groups: one}, ""},
		{"on its way", "leaf1-spine2", false, "h3", "h4", 0, prop, ""},
		{"for another host", "h3-leaf2", true, "spine1", "h3", 0, prop, "leaf2>h3: PROP, of group 1, comes to it"},
		{"of another host", "h4-leaf2", false, "h4", "spine1", 0, amcast.Packet{Kind: amcast.MsgStart, ID: id, Groups: one}, "h4>leaf2: h4 has a part in 7/20 (START), which is for groups [1]"},
		{"for a host of another group", "h3-leaf2", true, "h1", "h3", 0, amcast.Packet{Kind: 33, ID: id, By: 1}, "leaf2>h3: h3 has a part in 7/20"},
		{"for a switch without a role", "leaf1-spine2", false, "leaf1", "spine2", 0, prop, "leaf1>spine2: spine2 has a part in 7/20 (PROP), which is for groups [1]"},
		{"for a switch with a role for another group", "leaf2-spine2", true, "spine1", "leaf2", 0, prop, "spine2>leaf2: leaf2 has a part in 7/20"},
		{"for a role for another group", "leaf1-spine1", false, "leaf1", "spine1", 1, prop, "comes to role 1 of spine1"},
		{"for a role that there is not", "leaf1-spine1", false, "leaf1", "spine1", 9, prop, "comes to role 9 of spine1"},
		{"of another group", "leaf1-spine1", true, "spine1", "leaf1", 0, with(prop, func(p *amcast.Packet) { p.From = 2 }), "group 2 has a part in 7/20 (PROP)"},
		{"by another group", "leaf1-spine1", true, "spine1", "leaf1", 0, with(prop, func(p *amcast.Packet) { p.By = 2 }), "group 2 has a part in 7/20 (PROP)"},
		{"a watermark of another group", "h1-leaf1", true, "spine1", "h1", 0, amcast.Packet{Kind: amcast.MsgTold, From: 2, By: 2}, "comes to it, which has no replica of it"},
		{"to other groups", "h2-leaf1", false, "h2", "spine1", 0, with(prop, func(p *amcast.Packet) { p.Groups = both }), "of 7/20 to [1 2], which nobody has sent"},
		{"that nobody has sent", "h2-leaf1", false, "h2", "spine1", 0, with(prop, func(p *amcast.Packet) { p.ID.Number++ }), "of 7/21 to [1], which nobody has sent"},
	} {
		run, err := scenario(t, text).Begin()
		require.NoError(t, err)
		n := run.Fabric.System().(*Network)
		node := func(name string) (host *fabric.Host, e amcast.Ends) {
			x, ok := n.Node(name)
			require.True(t, ok)
			if h, ok := x.(*fabric.Host); ok {
				return h, amcast.Ends{Src: h.Addr(), SrcMAC: h.MAC()}
			}
			s := x.(*fabric.P4Switch)
			return nil, amcast.Ends{Src: s.Addr(), SrcMAC: s.MAC()}
		}
		sender, _ := node("h2")
		n.log.sent(sender, id, one, []byte("x"))
		l, ok := n.Link(c.link)
		require.True(t, ok, c.link)
		half := l.Half[0]
		if c.back {
			half = l.Half[1]
		}
		_, e := node(c.from)
		_, to := node(c.to)
		e.Dst, e.DstMAC, e.DstPort = to.Src, to.SrcMAC, amcast.PortFirst+c.port
		n.log.Frame(0, half, c.p.Append(nil, e))
		if c.want == "" {
			require.NoError(t, n.Verify(), c.name)
		} else {
			require.ErrorContains(t, n.Verify(), c.want, c.name)
		}
	}
}
