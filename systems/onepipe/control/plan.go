package control

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
)

// What depends on p4/onepipe/onepipe.p4 is in this file.

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
	// CPU are the switches whose data planes leave beacons to their CPUs. They hear of barriers by beacons alone, so hosts
	// send beacons at every interval.
	CPU map[string]bool
	// State is where servers of a store give their state to others, by host: HOST:PORT or unix:PATH. The controller does
	// not use it.
	State map[string]string
	// Poll is the pause between two looks at the registers of a switch with links on their way: 1 ms.
	Poll time.Duration
	// Silence is how long an input's barrier may stand still until it counts as failed: 500 ms; negative: for ever.
	Silence time.Duration
	// Patience is how long hosts may take to answer that others have failed, until they have failed, too: 2 s.
	Patience time.Duration
	// Answer is how long a switch that is connected may answer nothing until it counts as gone: 2 s; negative: for ever.
	Answer time.Duration
	// Clock is the hosts' time, in ns, at a time of the Core's owner. It need not be exact: a switch that
	// holds nothing promises what was a second ago.
	Clock func(now time.Duration) uint64
}

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
	ends := [2]int{names.Inputs, names.Inputs} // of places for what is below, and above
	for _, n := range c.Net.Neighbours(sw) {
		if c.Net.Level(n) > c.Net.Level(sw) {
			ends[0] = half
		}
	}
	next := [2]int{0, half}
	add := func(in input) error {
		side, from := 0, "below"
		if in.above {
			side, from = 1, "above"
		}
		if next[side] == ends[side] {
			return fmt.Errorf("switch %s: has more links from %s than there are places in its tree (%d)", sw, from, next[side]-side*half)
		}
		in.place = next[side]
		next[side]++
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

// Check says what is wrong with a configuration, and fills in defaults.
func (c *Config) Check() error {
	if c.Poll < 0 || c.Poll > time.Second {
		return fmt.Errorf("poll: %v: want at most 1s", c.Poll)
	}
	c.Poll = cmp.Or(c.Poll, time.Millisecond)
	c.Silence, c.Patience = cmp.Or(c.Silence, 500*time.Millisecond), cmp.Or(c.Patience, 2*time.Second)
	c.Answer = cmp.Or(c.Answer, 2*time.Second)
	if c.Answer > MaxAnswer || c.Answer > 0 && c.Answer < c.Poll {
		return fmt.Errorf("answer: %v: want at least the pause between two looks at a switch, %v, and at most %v", c.Answer, c.Poll, MaxAnswer)
	}
	for _, sw := range c.Net.Switches() {
		if _, ok := c.Switches[sw]; !ok {
			return fmt.Errorf("switch %s: has no address", sw)
		}
		if _, err := c.inputs(sw); err != nil {
			return err
		}
		for _, n := range c.Net.Neighbours(sw) {
			if c.Net.Level(n) == c.Net.Level(sw) {
				return fmt.Errorf("switches %s and %s: one must be above the other [give switches levels]", sw, n)
			}
		}
	}
	for _, h := range c.Net.Hosts() {
		if _, ok := c.Hosts[h.Name]; !ok {
			return fmt.Errorf("host %s: has no address", h.Name)
		}
	}
	return nil
}

// The registers of a kind of barrier: of places in their groups, of groups, of what was promised.
type kind struct {
	links, branches [radix]string
	roots           [2]string
	promised        string
}

var kinds = [2]kind{
	{
		links:    [radix]string{names.RegisterBestEffortLink0, names.RegisterBestEffortLink1, names.RegisterBestEffortLink2, names.RegisterBestEffortLink3},
		branches: [radix]string{names.RegisterBestEffortBranch0, names.RegisterBestEffortBranch1, names.RegisterBestEffortBranch2, names.RegisterBestEffortBranch3},
		roots:    [2]string{names.RegisterBestEffortPromiseBelow, names.RegisterBestEffortPromiseAll},
		promised: names.RegisterBestEffortPromised,
	},
	{
		links:    [radix]string{names.RegisterCommitLink0, names.RegisterCommitLink1, names.RegisterCommitLink2, names.RegisterCommitLink3},
		branches: [radix]string{names.RegisterCommitBranch0, names.RegisterCommitBranch1, names.RegisterCommitBranch2, names.RegisterCommitBranch3},
		roots:    [2]string{names.RegisterCommitPromiseBelow, names.RegisterCommitPromiseAll},
		promised: names.RegisterCommitPromised,
	},
}

// registers are those that the core reads.
var registers = func() (list []string) {
	// In this order: a link that has reached what was promised has reached all that was promised when the link was read, since
	// no promise rises above a link that counts.
	for _, k := range kinds {
		list = append(list, k.promised)
	}
	for _, k := range kinds {
		list = append(list, k.links[:]...)
	}
	return list
}()

// tables are those that the core writes, in the order in which entries are made.
var tables = []string{
	names.TableOutputs, "", names.TableMaySend, names.TableOwnMAC, names.TableOwnIP, names.TableSwitchIP,
	names.TableMembers, names.TableSenders, names.TableInputs, names.TableL2,
}

// outputsGroup is the multicast group of all outputs.
const outputsGroup = uint16(names.OutputsGroup)

// initial are the registers of a switch that holds nothing: what it promises in the beginning.
func (c *Core) initial(s *swtch) (list []mirror.Update) {
	if !s.fresh {
		return nil
	}
	start := uint32((c.conf.Clock(c.now) - uint64(time.Second)) >> names.BarrierShift)
	for _, k := range kinds {
		for _, r := range append(append([]string{k.promised}, k.branches[:]...), k.roots[:]...) {
			list = append(list, set(r, -1, start))
		}
		for _, r := range k.links { // below what is promised: see learn
			list = append(list, set(r, -1, start-behind))
		}
	}
	return list
}

// begun reports whether a switch holds what it has in the beginning: what comes first is there if what comes last is. So a
// controller that dies while it writes that leaves a switch that has begun, or one that has not.
func begun(im *mirror.Image) bool {
	groups := 0
	for _, e := range im.Entries {
		if e.Table == names.TableMembers {
			groups++
		}
	}
	return groups == radix
}

func set(register string, index int, v uint32) mirror.Update {
	return mirror.Update{Op: mirror.Set, Register: &mirror.Register{Name: register, Index: index, Value: uint64(v)}}
}

// behind is how far below what was promised a link begins that joins, and near how close it must come
// before others wait for it: in units of barriers.
const (
	behind = 1 << 24 // 1.07 s
	near   = 1 << 14 // 1 ms at first; what is read of a busy switch is never as close
)

// floor is the highest barrier that a switch has promised by one of the outputs that wait for a link:
// what leaves upward does not wait for what is above.
func (s *swtch) floor(k *kind, of *link) uint32 {
	v := s.values[k.promised]
	var most uint32
	first := true
	for _, l := range s.inputs {
		if of.above && l.above {
			continue
		}
		if p := uint32(v[l.port]); first || int32(p-most) > 0 {
			most, first = p, false
		}
	}
	return most
}

// begin are the registers of a link that joins. What the link has said before counts no more: until it
// has said itself that it is that far, it is behind.
func (c *Core) begin(s *swtch, l *link) (list []mirror.Update) {
	commit, barrier := s.back(l)
	return append(list, set(kinds[1].links[l.place%radix], l.place/radix, commit), set(kinds[0].links[l.place%radix], l.place/radix, barrier))
}

// back is what the registers of a link, or of its group, are set back to, the commit barrier first: it must never be above the other
// one, which the next switch would take for a lie. What was promised of it may have been read later.
func (s *swtch) back(l *link) (commit, barrier uint32) {
	commit, barrier = s.floor(&kinds[1], l), s.floor(&kinds[0], l)
	if int32(commit-barrier) > 0 {
		commit = barrier
	}
	return commit - behind, barrier - behind
}

// branch are the registers of the group of a link that counts from now on: what the group has said without
// it counts no more. The link itself holds the commit barrier down, and nothing comes by it, until both registers are set back: a packet
// in between would raise one of them again.
func (c *Core) branch(s *swtch, l *link) []mirror.Update {
	p := &plan{}
	c.input(p, s, l)
	input := p.things[len(p.things)-1]
	commit, barrier := s.back(l)
	group, place := l.place/radix, l.place%radix
	return []mirror.Update{
		input.Update(mirror.Delete),
		set(kinds[1].links[place], group, commit), set(kinds[1].branches[group], 0, commit), set(kinds[0].branches[group], 0, barrier),
		input.Update(mirror.Insert),
	}
}

// near is how close a link must come before others wait for it: the longer it has been joining, the less.
func (c *Core) near(l *link) uint32 {
	return near << min(6, (c.now-l.since)/(64*c.conf.Poll))
}

// reached reports whether a link has come to what the switch has promised, but for a distance.
func (c *Core) reached(s *swtch, l *link, distance uint32) bool {
	for i := range kinds {
		k := &kinds[i]
		if held := uint32(s.values[k.links[l.place%radix]][l.place/radix]); int32(held+distance-s.floor(k, l)) < 0 {
			return false
		}
	}
	return true
}

// plan collects what a switch shall have.
type plan struct{ things []mirror.Thing }

// want is what a switch shall have.
func (c *Core) want(s *swtch) []mirror.Thing {
	p := &plan{}
	own := c.conf.Switches[s.name]
	p.add(names.TableOwnMAC, names.ActionPretended, match(names.TableOwnMACKeyHdrEthernetSrc, mac(own.MAC)), nil)
	p.add(names.TableOwnIP, names.ActionPretended, match(names.TableOwnIPKeySender, addr(own.IP)), nil)
	p.add(names.TableSwitchIP, names.ActionToSwitch, match(names.TableSwitchIPKeyHdrIPv4Dst, addr(own.IP)), nil)
	var places, commit [radix]uint64
	var branches, commitBranches uint64
	var outputs []p4rtclient.Replica
	for _, l := range s.inputs {
		c.input(p, s, l)
		place, branch := uint64(1)<<(l.place%radix), uint64(1)<<(l.place/radix)
		if l.state >= counting {
			places[l.place/radix] |= place
			branches |= branch
		}
		if l.state >= counting || l.held {
			commit[l.place/radix] |= place
			commitBranches |= branch
		}
		if l.host != "" && l.state == off || l.mute {
			continue // a host that is not part of the order gets no barriers: it would deliver what others do not
		}
		act := names.ActionDown
		if l.above {
			act = names.ActionUp
		}
		p.add(names.TableOutputs, act, match(names.TableOutputsKeyEgIntrMdEgressPort, l.port), match(
			names.ActionDownParamMAC, mac(own.MAC), names.ActionDownParamIP, addr(own.IP),
			names.ActionDownParamLanes, 0, names.ActionDownParamCommitLanes, 0))
		outputs = append(outputs, p4rtclient.Replica{Port: l.port, Instance: 1})
	}
	p.things = append(p.things, mirror.GroupThing(outputsGroup, outputs))
	for g := range places {
		p.add(names.TableMembers, names.ActionCounts, match(names.TableMembersKeyMdGroup, g), match(
			names.ActionCountsParamPlaces, places[g], names.ActionCountsParamCommitPlaces, commit[g],
			names.ActionCountsParamBranches, branches, names.ActionCountsParamCommitBranches, commitBranches))
	}
	routes := c.routes()
	for _, h := range c.conf.Net.Hosts() {
		a := c.conf.Hosts[h.Name]
		port, ok := h.At.Port, h.At.Switch == s.name
		if !ok {
			port, ok = routes.Port(s.name, h.Name)
			p.add(names.TableOwnMAC, names.ActionMACBeyond, match(names.TableOwnMACKeyHdrEthernetSrc, mac(a.MAC)), nil)
			p.add(names.TableOwnIP, names.ActionIPBeyond, match(names.TableOwnIPKeySender, addr(a.IP)), nil)
		}
		if ok {
			p.add(names.TableL2, names.ActionForward, match(names.TableL2KeyHdrEthernetDst, mac(a.MAC)), match(names.ActionForwardParamPort, port))
		}
	}
	return p.things
}

// input is what is said of a link.
func (c *Core) input(p *plan, s *swtch, l *link) {
	kind := names.LinkSwitch
	if l.host != "" {
		h := c.hosts[l.host]
		kind = names.LinkHost
		p.add(names.TableOwnMAC, names.ActionMACAt, match(names.TableOwnMACKeyHdrEthernetSrc, mac(h.addr.MAC)), match(names.ActionMACAtParamPortGroup, l.port))
		p.add(names.TableOwnIP, names.ActionIPAt, match(names.TableOwnIPKeySender, addr(h.addr.IP)), match(names.ActionIPAtParamPortGroup, l.port))
		if l.state == open {
			for n := range h.have {
				p.add(names.TableSenders, names.ActionKnown, match(
					names.TableSendersKeyIgIntrMdIngressPort, l.port, names.TableSendersKeyHdrIPv4Src, addr(h.addr.IP),
					names.TableSendersKeyHdrOnepipeSrc, h.first+n), nil)
			}
		}
	} else {
		p.add(names.TableMaySend, names.ActionSends, match(names.TableMaySendKeyIgIntrMdIngressPort, l.port),
			match(names.ActionSendsParamRefused, 0, names.ActionSendsParamHost, 0))
	}
	switch l.state {
	case off:
		return
	case joining, counting:
		kind = names.LinkJoining
	}
	p.add(names.TableInputs, names.ActionInput, match(names.TableInputsKeyIgIntrMdIngressPort, l.port), match(
		names.ActionInputParamLink, kind, names.ActionInputParamGroup, l.place/radix, names.ActionInputParamPlace, l.place%radix))
}

// adopt takes over what a switch holds: the state of its inputs.
func (c *Core) adopt(s *swtch, im *mirror.Image) {
	linkOf, outputs := map[uint16]names.Link{}, map[uint16]bool{}
	counted, commit := map[int]uint64{}, map[int]uint64{}
	for _, e := range im.Entries {
		switch e.Table {
		case names.TableInputs:
			linkOf[uint16(p4rtclient.ToUint(e.Get(names.TableInputsKeyIgIntrMdIngressPort)))] = names.Link(p4rtclient.ToUint(e.Arg(names.ActionInputParamLink)))
		case names.TableOutputs:
			outputs[uint16(p4rtclient.ToUint(e.Get(names.TableOutputsKeyEgIntrMdEgressPort)))] = true
		case names.TableMembers:
			group := int(p4rtclient.ToUint(e.Get(names.TableMembersKeyMdGroup)))
			counted[group] = p4rtclient.ToUint(e.Arg(names.ActionCountsParamPlaces))
			commit[group] = p4rtclient.ToUint(e.Arg(names.ActionCountsParamCommitPlaces))
		}
	}
	for _, l := range s.inputs {
		there := linkOf[l.port]
		l.ready, l.mute = true, l.target != "" && !outputs[l.port]
		switch {
		case there == names.LinkNone:
			l.state = off
			l.held = (commit[l.place/radix]&^counted[l.place/radix])>>(l.place%radix)&1 == 1 // it was being taken out
			l.failed, l.known = l.held, false
		case there != names.LinkJoining:
			l.state = open
		case counted[l.place/radix]>>(l.place%radix)&1 == 1:
			l.state = counting
		default:
			l.state = joining
		}
	}
}

func (p *plan) add(table, action string, key, args []p4rtclient.Field) {
	p.things = append(p.things, mirror.EntryThing(p4rtclient.Entry{Table: table, Match: key, Action: action, Args: args}))
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
