package control

import (
	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// guard says what the ports of a switch may send: port security. Where hosts are is in the table
// of hosts, learned or given; what no entry speaks of may come by any port, unless strict.
type guard struct {
	strict     bool     // hosts are those that are known, and send IPv4 and ARP
	links      []uint16 // ports to other switches, which look at what comes from their hosts
	neighbours []hop    // these switches
	routers    []uint16 // ports where IPv6 routers are
	// unnamed: table own_ip has no room for the hosts behind other switches. Instead, no port of hosts may send from an
	// address that is not of one of its hosts.
	unnamed bool
}

// hop is another switch, and a port that leads to it.
type hop struct {
	mac  wire.MAC
	port uint16
}

// strictFamilies are what a host may not send where hosts are strict.
const strictFamilies = names.FamilyIPv6 | names.FamilyRouter | names.FamilyLlc | names.FamilyOther

// refused is what a port without an entry may not send.
func (g *guard) refused() names.Family {
	if g.strict {
		return strictFamilies
	}
	return names.FamilyRouter
}

func sends(refused names.Family, host bool) []field {
	return []field{num(names.ActionSendsParamRefused, refused), num(names.ActionSendsParamHost, bit(host))}
}

// ports are the entries of ports that are not as the others, and of addresses that nobody has.
func (g *guard) ports() (out []entry) {
	at := func(port uint16, refused names.Family, host bool) {
		out = append(out, entry{
			Table: names.TableMaySend, Match: []field{num(names.TableMaySendKeyIgIntrMdIngressPort, port)},
			Action: names.ActionSends, Args: sends(refused, host),
		})
	}
	for _, p := range g.links {
		at(p, 0, false)
	}
	for _, p := range g.routers {
		at(p, g.refused()&^names.FamilyRouter&^names.FamilyIPv6, true)
	}
	for _, h := range g.neighbours {
		out = append(out, entry{Table: names.TableOwnMAC, Match: []field{mac(names.TableOwnMACKeyHdrEthernetSrc, h.mac)}, Action: names.ActionMACBeyond})
	}
	return append(out, entry{Table: names.TableOwnIP, Match: []field{ip(names.TableOwnIPKeySender, wire.Addr{})}, Action: names.ActionIPAnyone})
}

// source are the entries that say where an attached host is, as a source: of its MAC address, and of its IP address.
func (t *tables) source(h hosts.Host) (byMAC, byIP entry) {
	portGroup := t.wiring.portGroup(h.Port)
	return entry{
			Table: names.TableOwnMAC, Match: []field{mac(names.TableOwnMACKeyHdrEthernetSrc, h.MAC)},
			Action: names.ActionMACAt, Args: []field{num(names.ActionMACAtParamPortGroup, portGroup)},
		}, entry{
			Table: names.TableOwnIP, Match: []field{ip(names.TableOwnIPKeySender, h.IP)},
			Action: names.ActionIPAt, Args: []field{num(names.ActionIPAtParamPortGroup, portGroup)},
		}
}

// beyond is the entry that says of an address that it is behind another switch. There is none where the default says so.
func (t *tables) beyond(h hosts.Host) []entry {
	if t.guard.unnamed {
		return nil
	}
	return []entry{{Table: names.TableOwnIP, Match: []field{ip(names.TableOwnIPKeySender, h.IP)}, Action: names.ActionIPBeyond}}
}

// others sets what is done with frames of ports, and from addresses, that no entry speaks of.
func (t *tables) others() (out []*p4.Update, err error) {
	list := []entry{
		{Table: names.TableMaySend, Action: names.ActionSends, Args: sends(t.guard.refused(), true)},
		{Table: names.TableOwnMAC, Action: noAction},
		{Table: names.TableOwnIP, Action: noAction},
	}
	if t.guard.strict {
		list[1].Action, list[2].Action = names.ActionMACStranger, names.ActionIPStranger
	}
	if t.guard.unnamed {
		list[2].Action = names.ActionIPBeyond
	}
	for _, e := range list {
		e.Default = true
		x, err := t.info.Entry(e)
		if err != nil {
			return nil, err
		}
		out = append(out, p4rtclient.Modify(x))
	}
	return out, nil
}

const noAction = "NoAction"
