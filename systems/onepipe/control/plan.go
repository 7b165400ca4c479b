package control

import (
	"encoding/binary"
	"fmt"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
)

// Program is the name of the program that this application is for.
const Program = "onepipe"

// Address is whose.
type Address struct {
	MAC wire.MAC
	IP  wire.Addr
}

// Config is a network.
type Config struct {
	Net      *topology.Network  // with levels: 0 where hosts are
	Switches map[string]Address // by name
	Hosts    map[string]Address
	// Processes are the numbers of a host's processes.
	Processes map[string][]uint16
	// Start is a time, ns of the hosts' clocks, that they all have passed: what switches promise from the
	// beginning. Barriers are compared with it, and wrap: it may not be long ago (names.BarrierShift).
	Start uint64
}

// OutputsGroup is the multicast group of all outputs, as onepipe.p4 has it.
const OutputsGroup = uint16(names.OutputsGroup)

// Places of the tree.
const (
	radix = names.Radix
	half  = names.Inputs / 2
)

// input is a link that comes in.
type input struct {
	port   uint16
	place  int // of all
	above  bool
	host   string // that is behind it, or empty
	target string // the switch that is, or empty
}

// inputs are those of a switch: ports in the order of the topology, first those from below.
func (c *Config) inputs(sw string) (list []input, err error) {
	top := true
	for _, n := range c.Net.Neighbours(sw) {
		if c.Net.Level(n) > c.Net.Level(sw) {
			top = false
		}
	}
	below, above := 0, half
	add := func(in input) error {
		next, end := &below, half
		switch {
		case in.above:
			next, end = &above, names.Inputs
		case top:
			end = names.Inputs
		}
		if *next == end {
			return fmt.Errorf("switch %s: more than %d links from one side", sw, end-(end-half)*b2i(in.above))
		}
		in.place = *next
		*next++
		list = append(list, in)
		return nil
	}
	for _, h := range c.Net.Hosts() {
		if h.At.Switch == sw {
			if err := add(input{port: h.At.Port, host: h.Name}); err != nil {
				return nil, err
			}
		}
	}
	for _, port := range c.Net.LinkPorts(sw) {
		peer, _ := c.Net.Peer(topology.Place{Switch: sw, Port: port})
		if err := add(input{port: port, target: peer.Switch, above: c.Net.Level(peer.Switch) > c.Net.Level(sw)}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Check says what is wrong with a configuration.
func (c *Config) Check() error {
	for _, sw := range c.Net.Switches() {
		if _, ok := c.Switches[sw]; !ok {
			return fmt.Errorf("switch %s: has no address", sw)
		}
		if _, err := c.inputs(sw); err != nil {
			return err
		}
	}
	for _, h := range c.Net.Hosts() {
		if _, ok := c.Hosts[h.Name]; !ok {
			return fmt.Errorf("host %s: has no address", h.Name)
		}
	}
	return nil
}

// registers are those of the tree, and of what was promised.
var registers = []string{
	names.RegisterBestEffortLink0, names.RegisterBestEffortLink1, names.RegisterBestEffortLink2, names.RegisterBestEffortLink3,
	names.RegisterBestEffortBranch0, names.RegisterBestEffortBranch1, names.RegisterBestEffortBranch2, names.RegisterBestEffortBranch3,
	names.RegisterBestEffortPromiseBelow, names.RegisterBestEffortPromiseAll, names.RegisterBestEffortPromised,
	names.RegisterCommitLink0, names.RegisterCommitLink1, names.RegisterCommitLink2, names.RegisterCommitLink3,
	names.RegisterCommitBranch0, names.RegisterCommitBranch1, names.RegisterCommitBranch2, names.RegisterCommitBranch3,
	names.RegisterCommitPromiseBelow, names.RegisterCommitPromiseAll, names.RegisterCommitPromised,
}

// plan is what a switch holds.
type plan struct {
	start   uint32 // what all registers hold in the beginning
	entries []p4rtclient.Entry
	outputs []p4rtclient.Replica
}

// plan is that of a switch, whose links are all admitted.
func (c *Config) plan(sw string) (*plan, error) {
	ins, err := c.inputs(sw)
	if err != nil {
		return nil, err
	}
	p := &plan{start: uint32(c.Start >> names.BarrierShift)}
	var places [radix]uint64
	var branches uint64
	for _, in := range ins {
		places[in.place/radix] |= 1 << (in.place % radix)
		branches |= 1 << (in.place / radix)
		link := names.LinkSwitch
		if in.host != "" {
			link = names.LinkHost
			for _, n := range c.Processes[in.host] {
				p.add(names.TableSenders, names.ActionKnown, match(
					names.TableSendersKeyIgIntrMdIngressPort, in.port,
					names.TableSendersKeyHdrIPv4Src, addr(c.Hosts[in.host].IP),
					names.TableSendersKeyHdrOnepipeSrc, n), nil)
			}
			p.source(c.Hosts[in.host], in.port)
		} else {
			p.add(names.TableMaySend, names.ActionSends, match(names.TableMaySendKeyIgIntrMdIngressPort, in.port),
				match(names.ActionSendsParamRefused, 0, names.ActionSendsParamHost, 0))
		}
		p.add(names.TableInputs, names.ActionInput, match(names.TableInputsKeyIgIntrMdIngressPort, in.port), match(
			names.ActionInputParamLink, link, names.ActionInputParamGroup, in.place/radix, names.ActionInputParamPlace, in.place%radix))
		act := names.ActionDown
		if in.above {
			act = names.ActionUp
		}
		own := c.Switches[sw]
		p.add(names.TableOutputs, act, match(names.TableOutputsKeyEgIntrMdEgressPort, in.port), match(
			names.ActionDownParamMAC, mac(own.MAC), names.ActionDownParamIP, addr(own.IP),
			names.ActionDownParamLanes, 0, names.ActionDownParamCommitLanes, 0))
		p.outputs = append(p.outputs, p4rtclient.Replica{Port: in.port, Instance: 1})
	}
	for g := range places {
		p.add(names.TableMembers, names.ActionCounts, match(names.TableMembersKeyMdGroup, g), match(
			names.ActionCountsParamPlaces, places[g], names.ActionCountsParamCommitPlaces, places[g],
			names.ActionCountsParamBranches, branches, names.ActionCountsParamCommitBranches, branches))
	}
	routes := c.Net.Routes(topology.Down{})
	for _, h := range c.Net.Hosts() {
		port, ok := h.At.Port, h.At.Switch == sw
		if !ok {
			port, ok = routes.Port(sw, h.Name)
			p.beyond(c.Hosts[h.Name])
		}
		if ok {
			p.add(names.TableL2, names.ActionForward, match(names.TableL2KeyHdrEthernetDst, mac(c.Hosts[h.Name].MAC)),
				match(names.ActionForwardParamPort, port))
		}
	}
	return p, nil
}

// source says that a host's addresses are at a port, and nowhere else.
func (p *plan) source(a Address, port uint16) {
	p.add(names.TableOwnMAC, names.ActionMACAt, match(names.TableOwnMACKeyHdrEthernetSrc, mac(a.MAC)), match(names.ActionMACAtParamClass, port))
	p.add(names.TableOwnIP, names.ActionIPAt, match(names.TableOwnIPKeySender, addr(a.IP)), match(names.ActionIPAtParamClass, port))
}

// beyond says that they are behind another switch.
func (p *plan) beyond(a Address) {
	p.add(names.TableOwnMAC, names.ActionMACBeyond, match(names.TableOwnMACKeyHdrEthernetSrc, mac(a.MAC)), nil)
	p.add(names.TableOwnIP, names.ActionIPBeyond, match(names.TableOwnIPKeySender, addr(a.IP)), nil)
}

func (p *plan) add(table, action string, key, args []p4rtclient.Field) {
	p.entries = append(p.entries, p4rtclient.Entry{Table: table, Match: key, Action: action, Args: args})
}

// match makes fields of names and values.
func match(list ...any) (out []p4rtclient.Field) {
	for i := 0; i < len(list); i += 2 {
		var v []byte
		switch x := list[i+1].(type) {
		case int:
			v = p4rtclient.Uint(uint64(x))
		case uint16:
			v = p4rtclient.Uint(uint64(x))
		case uint64:
			v = p4rtclient.Uint(x)
		case names.Link:
			v = p4rtclient.Uint(uint64(x))
		case []byte:
			v = x
		default:
			panic(fmt.Sprintf("%T is no value of a field", x))
		}
		out = append(out, p4rtclient.Field{Name: list[i].(string), Value: v})
	}
	return out
}

func mac(m wire.MAC) []byte { return m[:] }

func addr(a wire.Addr) []byte { return p4rtclient.Uint(uint64(binary.BigEndian.Uint32(a[:]))) }
