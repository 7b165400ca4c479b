package control

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
)

// What depends on p4/paxos/paxos.p4 is in this file: which entries there are, and what their
// values mean. Names and numbers are the program's (p4/paxos/names.go).

// registers are those that the controller reads back, and writes.
var registers = []string{names.RegisterLife, names.RegisterFirst, names.RegisterLast, names.RegisterNext, names.RegisterAcceptorFloor}

// Image is what a switch holds.
type Image struct {
	mirror.Image
	Registers map[string][]uint32 // by application
	Room      uint32              // instances of each application that its program has room for
}

// tables are those that the controller writes, in the order in which entries are made: what
// handles a message is there before what lets it in. They are taken away in the reverse
// order.
var tables = []string{
	names.TableCopies, "", // "": the groups
	names.TableMaySend, names.TableOwnMAC, names.TableOwnIP, names.TableSwitchIP,
	names.TableMembers, names.TableVoters, names.TableRounds, names.TableAcceptor,
	names.TableProposers, names.TablePortGroup, names.TableLeader, names.TableService, names.TableL2,
}

func (im *Image) register(name string, app int) uint32 {
	if r := im.Registers[name]; app < len(r) {
		return r[app]
	}
	return 0
}

type field = p4rtclient.Field

func num[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int](name string, v T) field {
	return field{Name: name, Value: p4rtclient.Uint(uint64(v))}
}

func mac(name string, m wire.MAC) field { return field{Name: name, Value: m[:]} }

func ip(name string, a wire.Addr) field {
	return num(name, binary.BigEndian.Uint32(a[:]))
}

// Multicast groups of a switch, and replication ids, which are also the keys of copies: each
// application has those of its own.
func groupOf(app int, at names.At) uint16 { return uint16(app*4) + uint16(at) }

const (
	ridsPerApp   = 256
	ridAccept    = 1  // and following, by the acceptor's index
	ridVote      = 16 // by the learner's
	ridDeliver   = 80 // by the replica's
	maxLearners  = ridDeliver - ridVote
	maxReplicas  = ridsPerApp - ridDeliver
	controllerAt = uint16(names.PortCPU)
)

// plan collects what a switch shall have.
type plan struct {
	c    *Core
	sw   *Switch
	list []mirror.Thing
}

func (p *plan) add(e p4rtclient.Entry) { p.list = append(p.list, mirror.EntryThing(e)) }

func (p *plan) l2(m wire.MAC, port uint16) {
	p.add(p4rtclient.Entry{
		Table: names.TableL2, Match: []field{mac(names.TableL2KeyHdrEthernetDst, m)},
		Action: names.ActionForward, Args: []field{num(names.ActionForwardParamPort, port)},
	})
}

// network are the entries that forward, and those that say who the switch is.
func (p *plan) network() {
	conf := p.c.conf
	for _, other := range conf.Net.Switches() {
		if port, ok := p.c.port(p.sw.Name, other); ok {
			p.l2(conf.Switches[other].MAC, port)
		}
	}
	for _, h := range conf.Net.Hosts() {
		port, _ := p.c.port(p.sw.Name, h.Name)
		p.l2(conf.Hosts[h.Name].MAC, port)
	}
	p.l2(conf.Controller.MAC, controllerAt)
	p.sources()
	p.add(p4rtclient.Entry{Table: names.TableOwnMAC, Match: []field{mac(names.TableOwnMACKeyHdrEthernetSrc, p.sw.MAC)}, Action: names.ActionPretended})
	own := []wire.Addr{p.sw.Acceptor, p.sw.Learner}
	for _, place := range conf.places(p.sw.Name) {
		own = append(own, place.Acceptor)
	}
	for _, a := range own {
		if a != (wire.Addr{}) {
			p.add(p4rtclient.Entry{Table: names.TableOwnIP, Match: []field{ip(names.TableOwnIPKeySender, a)}, Action: names.ActionPretended})
			p.add(p4rtclient.Entry{Table: names.TableSwitchIP, Match: []field{ip(names.TableSwitchIPKeyHdrIPv4Dst, a)}, Action: names.ActionToSwitch})
		}
	}
}

func (p *plan) service(a wire.Addr, port uint16, app int, at names.At, life uint32) {
	p.add(p4rtclient.Entry{
		Table:  names.TableService,
		Match:  []field{ip(names.TableServiceKeyHdrIPv4Dst, a), num(names.TableServiceKeyHdrUDPDstPort, port)},
		Action: names.ActionRole, Args: []field{num(names.ActionRoleParamAt, at), num(names.ActionRoleParamApp, app), num(names.ActionRoleParamLife, life)},
	})
}

// copy is one copy of a message for somebody: an entry, and where it goes out. app is whose registers it is about, to the UDP port
// that it goes to.
func (p *plan) copy(app int, rid uint16, want names.Became, kind names.Message, from wire.Addr, to Address, udp uint16, name string) p4rtclient.Replica {
	port, ok := p.c.port(p.sw.Name, p.c.conf.at(name))
	if !ok {
		port = p.c.around(p.sw.Name)
	}
	r := p4rtclient.Replica{Port: port, Instance: uint16(app*ridsPerApp) + rid}
	p.add(p4rtclient.Entry{
		Table: names.TableCopies, Match: []field{num(names.TableCopiesKeyRID, r.Instance)},
		Action: names.ActionTo, Args: []field{
			num(names.ActionToParamWant, want), num(names.ActionToParamKind, kind), mac(names.ActionToParamSrcMAC, p.sw.MAC), mac(names.ActionToParamDstMAC, to.MAC),
			ip(names.ActionToParamSrc, from), ip(names.ActionToParamDst, to.IP), num(names.ActionToParamDstPort, udp),
		},
	})
	return r
}

func (p *plan) group(app int, at names.At, copies []p4rtclient.Replica) {
	if len(copies) > 0 {
		p.list = append(p.list, mirror.GroupThing(groupOf(app, at), copies))
	}
}

// roles are the entries of an application's roles on the switch.
func (p *plan) roles(a *app) {
	conf, name, udp := p.c.conf, p.sw.Name, Port(a.index)
	for _, place := range conf.places(name) {
		p.place(a, place)
	}
	part := a.parts[name]
	if part == nil || !part.alive {
		return // it is not known what its registers say
	}
	learns := slices.Contains(a.conf.Learners, name)
	index, votes := a.voteIndex(name)
	leads := a.leads != nil && a.leads.on == name

	// Copies and their groups.
	var accepts, votesTo, delivers []p4rtclient.Replica
	if leads {
		for i, m := range a.leads.term.Members {
			if m.Switch != name {
				sw := conf.Switches[m.Switch]
				accepts = append(accepts, p.copy(a.index, ridAccept+uint16(i), names.BecameAccept, names.MsgAccept, a.conf.Leader.IP, Address{sw.MAC, sw.Acceptor}, udp, m.Switch))
			}
		}
	}
	if votes {
		for i, l := range a.conf.Learners {
			if l != name {
				sw := conf.Switches[l]
				votesTo = append(votesTo, p.copy(a.index, ridVote+uint16(i), names.BecameVote, names.MsgVote, p.sw.Acceptor, Address{sw.MAC, sw.Learner}, udp, l))
			}
		}
	}
	if learns {
		for i, r := range a.conf.Replicas {
			delivers = append(delivers, p.copy(a.index, ridDeliver+uint16(i), names.BecameDeliver, names.MsgDeliver, p.sw.Learner, conf.Hosts[r], udp, r))
		}
	}
	// A message that meets several roles gets the copies of all of them.
	if leads {
		p.group(a.index, names.AtLeader, slices.Concat(accepts, votesTo, delivers))
	}
	if votes {
		p.group(a.index, names.AtAcceptor, slices.Concat(votesTo, delivers))
	}
	if learns {
		p.group(a.index, names.AtLearner, delivers)
	}

	counted := 0
	if learns {
		counted = 1
	}
	app := a.index
	for _, r := range a.rounds {
		if votes {
			p.owned(app, r.Round, conf.Controller.IP, linkGroup) // it asks from beside
			if group, ok := p.arrives(r.leader); ok {
				p.owned(app, r.Round, a.conf.Leader.IP, group)
			}
		}
		if learns {
			p.add(p4rtclient.Entry{
				Table: names.TableMembers, Match: []field{num(names.TableMembersKeyMdApp, app), num(names.TableMembersKeyHdrPaxosRnd, r.Round)},
				Action: names.ActionLearnFor, Args: []field{num(names.ActionLearnForParamMembers, len(r.Members)), num(names.ActionLearnForParamGroup, groupOf(app, names.AtLearner))},
			})
			for i, m := range r.Members {
				group, ok := p.arrives(m.Switch)
				if !ok {
					continue // this switch: what it votes for itself is counted without a message
				}
				p.add(p4rtclient.Entry{
					Table: names.TableVoters, Match: []field{
						num(names.TableVotersKeyMdAt, names.AtLearner), num(names.TableVotersKeyMdApp, app),
						num(names.TableVotersKeyHdrPaxosRnd, r.Round), ip(names.TableVotersKeyHdrIPv4Src, conf.Switches[m.Switch].Acceptor),
						num(names.TableVotersKeyHdrPaxosAcceptor, i), num(names.TableVotersKeyPortGroup, group),
					},
					Action: names.ActionVoter, Args: []field{num(names.ActionVoterParamBit, 1<<i)},
				})
			}
		}
	}
	if votes {
		p.vote(app, names.AtAcceptor, index, counted)
		p.service(p.sw.Acceptor, udp, app, names.AtAcceptor, part.life)
	}
	if learns {
		p.service(p.sw.Learner, udp, app, names.AtLearner, part.life)
	}
	if leads {
		if votes {
			p.vote(app, names.AtLeader, index, counted)
		}
		if !a.leads.stopped {
			p.leader(a)
		}
		p.service(a.conf.Leader.IP, udp, app, names.AtLeader, part.life)
	}
}

// place is one more acceptor of an application on the switch. What it says, and is told, on the switch itself goes around (Core.around):
// a message meets one acceptor.
func (p *plan) place(a *app, at *Switch) {
	conf, udp := p.c.conf, Port(a.index)
	part := a.parts[at.Name]
	if part == nil || !part.alive {
		return
	}
	index, votes := a.voteIndex(at.Name)
	if !votes {
		return
	}
	var votesTo []p4rtclient.Replica
	for i, l := range a.conf.Learners {
		sw := conf.Switches[l]
		votesTo = append(votesTo, p.copy(at.Number, ridVote+uint16(i), names.BecameVote, names.MsgVote, at.Acceptor, Address{sw.MAC, sw.Learner}, udp, l))
	}
	p.group(at.Number, names.AtAcceptor, votesTo)
	for _, r := range a.rounds {
		p.owned(at.Number, r.Round, conf.Controller.IP, linkGroup)
		if r.leader != "" {
			p.owned(at.Number, r.Round, a.conf.Leader.IP, linkGroup)
		}
	}
	p.vote(at.Number, names.AtAcceptor, index, 0)
	p.service(at.Acceptor, udp, at.Number, names.AtAcceptor, part.life)
}

// vote is the entry by which an acceptor votes. counted is 1 if the vote counts in the switch itself.
func (p *plan) vote(app int, at names.At, index, counted int) {
	p.add(p4rtclient.Entry{
		Table: names.TableAcceptor, Match: []field{num(names.TableAcceptorKeyMdApp, app), num(names.TableAcceptorKeyMdAt, at)},
		Action: names.ActionVoteAs, Args: []field{num(names.ActionVoteAsParamIndex, index), num(names.ActionVoteAsParamBit, 1<<index), num(names.ActionVoteAsParamGroup, groupOf(app, at)), num(names.ActionVoteAsParamCounted, counted)},
	})
}

// leader is the entry by which requests get instances.
func (p *plan) leader(a *app) {
	p.add(p4rtclient.Entry{
		Table: names.TableLeader, Match: []field{num(names.TableLeaderKeyMdApp, a.index), num(names.TableLeaderKeyMdAt, names.AtLeader), num(names.TableLeaderKeyHdrPaxosKind, names.MsgRequest)},
		Action: names.ActionLead, Args: []field{num(names.ActionLeadParamRnd, a.leads.term.Round), num(names.ActionLeadParamGroup, groupOf(a.index, names.AtLeader))},
	})
	for _, h := range a.conf.Proposers {
		if group, ok := p.arrives(h); ok {
			p.add(p4rtclient.Entry{
				Table:  names.TableProposers,
				Match:  []field{num(names.TableProposersKeyMdApp, a.index), ip(names.TableProposersKeyHdrIPv4Src, p.c.conf.Hosts[h].IP), num(names.TableProposersKeyPortGroup, group)},
				Action: names.ActionMayPropose,
			})
		}
	}
}

func (p *plan) owned(app int, round uint32, who wire.Addr, group uint16) {
	p.add(p4rtclient.Entry{
		Table:  names.TableRounds,
		Match:  []field{num(names.TableRoundsKeyMdApp, app), num(names.TableRoundsKeyHdrPaxosRnd, round), ip(names.TableRoundsKeyHdrIPv4Src, who), num(names.TableRoundsKeyPortGroup, group)},
		Action: names.ActionOwned,
	})
}

// want is everything that a switch shall have now.
func (c *Core) want(name string) []mirror.Thing {
	p := &plan{c: c, sw: c.conf.Switches[name]}
	p.network()
	for _, a := range c.apps {
		if a.route != "" && a.route != name {
			if port, ok := c.port(name, a.route); ok {
				p.l2(a.conf.Leader.MAC, port)
			}
		}
		p.roles(a)
	}
	return p.list
}

// entryKey is the key of an entry with these values.
func entryKey(table string, app int, values ...uint64) string {
	k := fmt.Sprintf("%s %x", table, p4rtclient.Uint(uint64(app)))
	for _, v := range values {
		k += fmt.Sprintf(" %x", p4rtclient.Uint(v))
	}
	return k
}
