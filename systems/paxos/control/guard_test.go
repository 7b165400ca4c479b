package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestSources: by no address of the configuration does a frame pass but at the port of its host, or at links behind which
// it is: hosts, switches and their roles, applications and the controller alike.
func TestSources(t *testing.T) {
	w, err := newWorld(testConfig, 1)
	require.NoError(t, err)
	w.settle(time.Second)
	require.NoError(t, w.broken)
	conf := w.conf
	nobody := Address{wire.MAC{2, 0x66, 0, 0, 0, 0x66}, wire.Addr{10, 0, 9, 9}}
	// owners are the addresses, and the switch that each is at; "" is every switch but for the one that has the role.
	type owner struct {
		what string
		Address
		at topology.Place // of a host; else only the switch, or nothing
	}
	list := []owner{{"the controller", conf.Controller, topology.Place{}}, {"the leader", conf.Apps[0].Leader, topology.Place{}}}
	for _, name := range conf.Net.Switches() {
		sw := conf.Switches[name]
		list = append(list, owner{name, Address{MAC: sw.MAC}, topology.Place{Switch: name}})
		if sw.Acceptor != (wire.Addr{}) {
			list = append(list, owner{name + "'s acceptor", Address{IP: sw.Acceptor}, topology.Place{Switch: name}})
		}
		if sw.Learner != (wire.Addr{}) {
			list = append(list, owner{name + "'s learner", Address{IP: sw.Learner}, topology.Place{Switch: name}})
		}
	}
	for _, h := range conf.Net.Hosts() {
		list = append(list, owner{h.Name, conf.Hosts[h.Name], h.At})
	}

	const free = 14
	for name, d := range w.devices {
		foreign := func() uint64 {
			v, err := d.target.ReadCounter(dataplane.CounterOf(w.program, names.CounterDrops), int(names.DropForeignSource))
			require.NoError(t, err)
			return v.Packets
		}
		// passes sends a frame of plain UDP by a port, and reports whether its source is believed.
		passes := func(port uint16, from Address) bool {
			h := wire.Header{Opcode: wire.WriteOnly, SrcMAC: from.MAC, DstMAC: wire.MAC{2, 0x66, 0, 0, 0, 1}, Src: from.IP, Dst: wire.Addr{10, 0, 9, 1}, SrcPort: 0xc000, Length: 8}
			before := foreign()
			_, err := d.target.Inject(dataplane.Port(port), wire.AppendFrame(nil, &h, make([]byte, 8)))
			require.NoError(t, err)
			return foreign() == before
		}
		hosts := map[uint16]string{}
		for _, h := range conf.Net.Hosts() {
			if h.At.Switch == name {
				hosts[h.At.Port] = h.Name
			}
		}
		links := conf.Net.LinkPorts(name)
		require.NotEmpty(t, links)
		require.True(t, passes(free, nobody), "%s: the frame itself is fine", name)
		for _, o := range list {
			if o.at.Switch == name && o.at.Port == 0 {
				continue // its own: the switch has other rules for them (TestOwn of the program)
			}
			for part, from := range map[string]Address{"MAC": {o.MAC, nobody.IP}, "IP": {nobody.MAC, o.IP}} {
				if part == "MAC" && o.MAC == (wire.MAC{}) || part == "IP" && o.IP == (wire.Addr{}) {
					continue
				}
				says := fmt.Sprintf("%s: the %s of %s", name, part, o.what)
				require.False(t, passes(free, from), "%s at a port that is nobody's", says)
				for port, host := range hosts {
					require.Equal(t, host == o.what, passes(port, from), "%s at the port of %s", says, host)
				}
				for _, port := range links {
					require.Equal(t, o.at.Switch != name, passes(port, from), "%s at a link", says)
				}
			}
		}
	}
}
