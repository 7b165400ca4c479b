package fault

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store/storetest"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// Ways to stop something.
var (
	etcdStops    = func(w *world) func() { return pause(w.t, w.etcd.proc) }
	etcdIsFull   = func(w *world) func() { return storetest.Fill(w.t, w.etcd.endpoint) }
	holderStops  = func(w *world) func() { return pause(w.t, w.first.proc) }
	standbyStops = func(w *world) func() { return pause(w.t, w.second.proc) }
	switchStops  = func(name string) func(*world) func() {
		return func(w *world) func() { return pause(w.t, w.agent(name)) }
	}
	diskFreezes = func(name string) func(*world) func() {
		return func(w *world) func() { return w.disks[name].freeze(w.t) }
	}
	switchUnread = func(name string) func(*world) func() {
		return func(w *world) func() { return unread(w.t, w.agent(name)) }
	}
	holderUnread  = func(w *world) func() { return unread(w.t, w.first.proc) }
	serversUnread = func(w *world) func() {
		goOn := func() {}
		for _, s := range w.servers() {
			before, f := goOn, unread(w.t, s.Proc)
			goOn = func() { before(); f() }
		}
		return goOn
	}
)

// What is seen.
var (
	holderAnswers  = sight{"the primary answers status queries", func(w *world) { w.status(w.first) }}
	bothAnswer     = sight{"both controllers answer status queries", func(w *world) { w.status(w.first); w.status(w.second) }}
	arpIsAnswered  = sight{"ARP is answered", func(w *world) { w.answersARP() }}
	clientsServed  = sight{"the store serves its clients", func(w *world) { w.serves() }}
	holderIsWell   = sight{"the primary's `/healthz` answers ok", func(w *world) { w.isWell(w.first.at) }}
	anotherHasIt   = sight{"the other controller takes over", func(w *world) { w.takesOver() }}
	switchesAnswer = sight{"`/healthz` of the switch answers ok", func(w *world) {
		for _, at := range w.agents {
			w.isWell(at)
		}
	}}
)

// holderSays is that the primary's /healthz says 503, and why.
func holderSays(says, why string) sight {
	return sight{"the primary's `/healthz` answers 503: " + says, func(w *world) { w.isUnwell(w.first.at, why) }}
}

const (
	ofSwitch = "`p4ce switch`"
	ofRDMA   = "`p4ce controller`, rdma"
	ofPaxos  = "`p4ce controller`, paxos"
	ofKV     = "`p4ce kv`"
	ofKVLog  = "`p4ce kv --log paxos`"

	onEtcd   = "etcd"
	onDisk   = "disk"
	onSwitch = "switch"
	onPeer   = "peer"
	onPipe   = "log pipe"
)

// outOfLine: without etcd no controller is the primary, and both say so.
var outOfLine = sight{"`/healthz` of both answers 503: they cannot take over", func(w *world) {
	w.isUnwell(w.first.at, "not been a candidate for")
	w.isUnwell(w.second.at, "not been a candidate for")
}}

// watchdog is the table.
var watchdog = []watchedCell{
	{program: ofSwitch, dependency: onEtcd, none: "a switch does not use etcd"},
	{
		program: ofSwitch, dependency: onDisk, how: "that of `--capture` stands still", world: inAlone, stop: diskFreezes("capture"),
		while: []sight{
			{"packets go to the controller and back, and are no longer recorded", func(w *world) {
				for range 50 {
					w.answersARP()
				}
			}},
			{"P4Runtime answers", func(w *world) { w.readsTable() }},
			switchesAnswer,
			{"the switch closes its data plane at SIGTERM", func(w *world) {
				p := w.alone.Switch()
				require.NoError(w.t, p.Signal(syscall.SIGTERM))
				w.soon("the switch ends", p.Dying)
				w.pending = func() {
					<-p.Done()
					require.NoError(w.t, w.alone.StartSwitch(w.ctx))
				}
			}},
		},
	},
	{program: ofSwitch, dependency: onSwitch, none: "for its ports see [hardware.md](hardware.md)"},
	{
		program: ofSwitch, dependency: onPeer, how: "the controller that serves it stops", world: inRDMA, stop: holderStops,
		while: []sight{clientsServed, switchesAnswer, {"P4Runtime answers other clients", func(w *world) { w.readsTable() }}, anotherHasIt, arpIsAnswered},
	},
	{
		program: ofSwitch, dependency: onPipe, how: "it has no reader", world: inRDMA, stop: switchUnread("switch"),
		while: []sight{clientsServed, switchesAnswer, {"P4Runtime answers", func(w *world) { w.readsTable() }}, arpIsAnswered},
	},

	{
		program: ofRDMA, dependency: onEtcd, how: "it stops", world: inRDMA, stop: etcdStops,
		while: []sight{bothAnswer, clientsServed, outOfLine, bothAnswer.silently(), clientsServed.silently()},
	},
	{
		program: ofRDMA, dependency: onEtcd, how: "it has no space", world: inRDMA, stop: etcdIsFull,
		while: []sight{
			holderAnswers, arpIsAnswered, clientsServed,
			{"a static group is refused", func(w *world) { require.ErrorContains(w.t, w.makeGroup("refused"), "etcd has no space") }},
			holderSays("etcd has no space", "etcd has no space"),
			{"the other controller takes over when the primary is killed", func(w *world) {
				w.first.proc.Kill()
				w.takesOver()
			}},
			holderAnswers.silently(), arpIsAnswered.silently(),
			// There is no room in the line before there is space: well waits for it.
			{"", func(w *world) { w.restartLater(w.second) }},
		},
	},
	{
		program: ofRDMA, dependency: onDisk, how: "that of `--store FOLDER` stands still", world: inAlone, stop: diskFreezes("store"),
		while: []sight{
			holderAnswers, arpIsAnswered,
			{"a static group is refused, and is created late", func(w *world) { require.ErrorContains(w.t, w.makeGroup("late"), "the store does not answer") }},
			holderSays("records are not stored", "records of groups are not stored"),
			holderAnswers.silently(), arpIsAnswered.silently(), switchesAnswer.silently(),
		},
	},
	{
		program: ofRDMA, dependency: onSwitch, how: "its agent stops", world: inRDMA, stop: switchStops("switch"),
		while: []sight{bothAnswer, clientsServed, holderSays("the switch does not answer", "switch .* does not answer")},
	},
	{
		program: ofRDMA, dependency: onPeer, how: "the standby stops", world: inRDMA, stop: standbyStops,
		while: []sight{holderAnswers, arpIsAnswered, clientsServed, holderIsWell},
	},
	{
		program: ofRDMA, dependency: onPipe, how: "that of the primary has no reader", world: inRDMA, stop: holderUnread,
		while: []sight{holderAnswers, arpIsAnswered, clientsServed, holderIsWell},
	},

	{
		program: ofPaxos, dependency: onEtcd, how: "it stops", world: inPaxos, stop: etcdStops,
		while: []sight{bothAnswer, clientsServed, outOfLine, bothAnswer.silently(), clientsServed.silently()},
	},
	{
		program: ofPaxos, dependency: onEtcd, how: "it has no space", world: inPaxos, stop: etcdIsFull,
		while: []sight{
			holderAnswers, arpIsAnswered, clientsServed,
			{"a take-over waits, and continues by itself", func(w *world) { w.orders("t") }},
			holderSays("a record is not stored", "a record is not stored"),
			holderAnswers.silently(), arpIsAnswered.silently(),
		},
	},
	{
		program: ofPaxos, dependency: onDisk, how: "that of `--journal` stands still", world: inJournal, stop: diskFreezes("journal"),
		while: []sight{
			holderAnswers, arpIsAnswered,
			{"a take-over waits, and continues by itself", func(w *world) { w.orders("t") }},
			holderSays("a record is not stored", "a record is not stored"),
			holderAnswers.silently(), arpIsAnswered.silently(), switchesAnswer.silently(),
		},
	},
	{
		program: ofPaxos, dependency: onSwitch, how: "the agent of an acceptor stops", world: inPaxos, stop: switchStops("a1"),
		while: []sight{holderAnswers, arpIsAnswered, clientsServed, holderSays("this switch does not answer", "switch a1: does not answer")},
	},
	{
		program: ofPaxos, dependency: onPeer, how: "the primary stops", world: inPaxos, stop: holderStops,
		while: []sight{clientsServed, anotherHasIt, arpIsAnswered, clientsServed.silently()},
	},
	{
		program: ofPaxos, dependency: onPipe, how: "that of the primary has no reader", world: inPaxos, stop: holderUnread,
		while: []sight{holderAnswers, arpIsAnswered, clientsServed, holderIsWell},
	},

	{program: ofKV, dependency: onEtcd, none: "a server does not use etcd"},
	{
		program: ofKV, dependency: onDisk, how: "that of the leader stands still (`--fsync`)", world: inRDMA,
		stop: func(w *world) func() {
			w.stuck = w.rdma.Leader()
			return w.disks[fmt.Sprint("data", w.stuck)].freeze(w.t)
		},
		while: []sight{
			{"another server leads", func(w *world) { w.leadsAnother() }}, clientsServed,
			{"that server answers INFO", func(w *world) { w.infoOfStuck() }},
			{"that server's `/healthz` answers 503: the disk does not answer", func(w *world) {
				w.isUnwell(w.rdma.Server(w.stuck).Metrics(), "the disk has not answered")
			}},
		},
	},
	{
		program: ofKV, dependency: onDisk, how: "that of a follower stands still", world: inRDMA,
		stop: func(w *world) func() {
			w.stuck = (w.rdma.Leader() + 1) % w.rdma.Servers()
			return w.disks[fmt.Sprint("data", w.stuck)].freeze(w.t)
		},
		while: []sight{
			clientsServed,
			{"that server answers INFO", func(w *world) { w.infoOfStuck() }},
			{"that server's `/healthz` answers 503: the disk does not answer", func(w *world) {
				w.isUnwell(w.rdma.Server(w.stuck).Metrics(), "the disk has not answered")
			}},
			clientsServed.silently(),
		},
	},
	{
		program: ofKV, dependency: onSwitch, how: "its agent stops", world: inRDMA, stop: switchStops("switch"),
		while: []sight{clientsServed, {"`/healthz` of all servers answers ok", func(w *world) { w.serversAreWell() }}},
	},
	{
		program: ofKV, dependency: onPeer, how: "the leader stops", world: inRDMA,
		stop: func(w *world) func() {
			w.stuck = w.rdma.Leader()
			return pause(w.t, w.rdma.Server(w.stuck).Proc)
		},
		while: []sight{{"another server leads", func(w *world) { w.leadsAnother() }}, clientsServed},
	},
	{
		program: ofKV, dependency: onPipe, how: "those of all servers have no reader, and the leader changes", world: inRDMA, stop: serversUnread,
		while: []sight{
			clientsServed,
			{"another server leads when one is paused", func(w *world) {
				w.stuck = w.rdma.Leader()
				goOn := pause(w.t, w.rdma.Server(w.stuck).Proc)
				w.leadsAnother()
				goOn()
			}},
			clientsServed.silently(),
			{"`/healthz` of all servers answers ok", func(w *world) { w.serversAreWell() }},
		},
	},

	{program: ofKVLog, dependency: onEtcd, none: "a server does not use etcd"},
	{
		program: ofKVLog, dependency: onDisk, how: "that of a server stands still", world: inPaxos, stop: diskFreezes("data-h1"),
		while: []sight{
			clientsServed,
			{"that server's `/healthz` answers 503: the disk does not answer", func(w *world) {
				w.isUnwell(w.servers()[0].Metrics(), "the disk has not answered")
			}},
			{"that server answers INFO", func(w *world) {
				_, err := w.servers()[0].Info("replication")
				require.NoError(w.t, err)
			}},
			clientsServed.silently(),
		},
	},
	{
		program: ofKVLog, dependency: onSwitch, how: "the agent of an acceptor stops", world: inPaxos, stop: switchStops("a2"),
		while: []sight{clientsServed, {"`/healthz` of all servers answers ok", func(w *world) { w.serversAreWell() }}},
	},
	{
		program: ofKVLog, dependency: onPeer, how: "another server stops", world: inPaxos,
		stop:  func(w *world) func() { return pause(w.t, w.servers()[1].Proc) },
		while: []sight{clientsServed, {"`/healthz` of a server that runs answers ok", func(w *world) { w.isWell(w.servers()[0].Metrics()) }}},
	},
	{
		program: ofKVLog, dependency: onPipe, how: "those of all servers have no reader", world: inPaxos, stop: serversUnread,
		while: []sight{clientsServed, {"`/healthz` of all servers answers ok", func(w *world) { w.serversAreWell() }}},
	},
}

// silently is a sight once more, which the matrix has already.
func (s sight) silently() sight { return sight{"", s.see} }

// readsTable has a client of its own read the switch.
func (w *world) readsTable() {
	w.t.Helper()
	c := w.alone
	if w.rdma != nil {
		c = w.rdma.Cluster
	}
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	_, err := c.P4RT.ReadTable(ctx, c.Info, names.TableLeader)
	require.NoError(w.t, err)
}

// makeGroup has the controller make a group, which is recorded first.
func (w *world) makeGroup(name string) error {
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	to := w.asks.from.ip
	return control.NewAdminClient(w.first.at).CreateGroup(ctx, "-", group.Static{Name: name, Port: 4999, Policy: "all", Receivers: []group.Receiver{{Addr: to.Netip(), Port: 4999}}})
}

// orders has a switch lead, which must be recorded; it does when all is well again.
func (w *world) orders(name string) {
	w.network.Ask(w.first.name)
	done := make(chan error, 1)
	go func() { done <- w.network.Lead(w.ctx, "log", name) }()
	w.pending = func() { require.NoError(w.t, <-done) }
}

// restartLater starts a controller that was killed, when there is room for it.
func (w *world) restartLater(c *watched) {
	w.pending = func() { c.proc = w.again(c) }
}

func (w *world) leadsAnother() {
	w.t.Helper()
	w.soon("another server leads", func() bool {
		for i := range w.rdma.Servers() {
			if i == w.stuck {
				continue
			}
			if info, err := w.rdma.Info(i, "replication"); err == nil && info["server_role"] == "leader" {
				return true
			}
		}
		return false
	})
}

func (w *world) infoOfStuck() {
	w.t.Helper()
	_, err := w.rdma.Info(w.stuck, "replication")
	require.NoError(w.t, err)
}

func (w *world) serversAreWell() {
	w.t.Helper()
	for _, s := range w.servers() {
		w.isWell(s.Metrics())
	}
}
