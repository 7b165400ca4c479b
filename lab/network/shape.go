package network

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/p4ce/p4ce/ctrl/topology"
)

// LeafSpine is a network of leaves, each with hosts, and spines, each joined to every leaf. Without
// spines the leaves are in a row: l0-l1-l2.
//
//	  s0      s1
//	 /  \    /  \
//	l0 .. l1 ..  l2
//	|     |       |
//	h1.. h3..    h5..
type LeafSpine struct {
	Leaves, Spines int
	Hosts          int  // of each leaf
	Plain          bool // spines only route
}

// Uplink is the first port of a leaf that leads to a spine; in a row to the leaf before, the next one
// to the leaf behind. Hosts are at ports from 1 on.
const Uplink = 31

// Numbers of addresses: hosts have those from 1 on.
const leafNumber, spineNumber = 240, 250

// limits: addresses and ports end there.
const maxLeaves, maxSpines = 10, 4

// Build returns who is wired to whom, and the address of each: h1, l0 and s0 are the first host, leaf
// and spine.
func (s LeafSpine) Build() (*topology.Network, map[string]Address, error) {
	if s.Leaves < 1 || s.Leaves > maxLeaves || s.Spines < 0 || s.Spines > maxSpines || s.Hosts < 1 || s.Leaves*s.Hosts >= leafNumber || s.Hosts >= Uplink {
		return nil, nil, fmt.Errorf("%d leaves, %d spines, %d hosts on a leaf: at most %d, %d, %d", s.Leaves, s.Spines, s.Hosts, maxLeaves, maxSpines, min(Uplink-1, (leafNumber-1)/max(1, s.Leaves)))
	}
	var switches, plain []string
	var links []topology.Link
	var hosts []topology.Host
	levels, at := map[string]int{}, map[string]Address{}
	add := func(name string, number int) {
		at[name] = Address{netip.AddrFrom4([4]byte{10, 0, 0, byte(number)}), net.HardwareAddr{2, 0x66, 0, 0, 0, byte(number)}}
	}
	join := func(a string, port int, b string, far int) {
		links = append(links, topology.Link{A: topology.Place{Switch: a, Port: uint16(port)}, B: topology.Place{Switch: b, Port: uint16(far)}})
	}
	spine, leaf := func(i int) string { return fmt.Sprintf("s%d", i) }, func(i int) string { return fmt.Sprintf("l%d", i) }
	for i := range s.Spines {
		switches, levels[spine(i)] = append(switches, spine(i)), 1
		add(spine(i), spineNumber+i)
		if s.Plain {
			plain = append(plain, spine(i))
			at[spine(i)] = Address{MAC: at[spine(i)].MAC}
		}
	}
	for i := range s.Leaves {
		switches, levels[leaf(i)] = append(switches, leaf(i)), 0
		add(leaf(i), leafNumber+i)
		for j := range s.Spines {
			join(leaf(i), Uplink+j, spine(j), 1+i)
		}
		if s.Spines == 0 && i > 0 {
			join(leaf(i-1), Uplink+1, leaf(i), Uplink)
		}
		for j := range s.Hosts {
			n := 1 + i*s.Hosts + j
			name := fmt.Sprintf("h%d", n)
			add(name, n)
			hosts = append(hosts, topology.Host{Name: name, At: topology.Place{Switch: leaf(i), Port: uint16(1 + j)}})
		}
	}
	wired, err := topology.New(switches, links, hosts)
	if err == nil && s.Spines > 0 {
		err = wired.SetLevels(levels)
	}
	if err == nil {
		err = wired.SetPlain(plain...)
	}
	return wired, at, err
}
