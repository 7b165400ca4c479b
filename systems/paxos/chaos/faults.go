package chaos

import (
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
)

// faults are what may go wrong. Each begins, and ends later.
var faults = []struct {
	name  string
	begin func(w *World)
}{
	{"leader", (*World).killLeader}, {"two", (*World).twoLeaders}, {"acceptor", (*World).stopAcceptor}, {"amnesia", (*World).forgetAcceptor},
	{"learner", (*World).forgetLearner}, {"controller", (*World).killController}, {"host", (*World).killHost}, {"sleep", (*World).sleepHost},
	{"cut", (*World).cutPath}, {"move", (*World).moveLeader}, {"link", (*World).failLink}, {"stray", (*World).stray}, {"guest", (*World).killGuest},
}

func (w *World) beginFaults() {
	if w.o.Faults == 0 {
		return
	}
	w.after(time.Duration(w.rand.ExpFloat64()*float64(w.o.Faults)), func() {
		if w.healed {
			return
		}
		f := faults[w.rand.IntN(len(faults))]
		w.log("fault: %s", f.name)
		f.begin(w)
		w.beginFaults()
	})
}

// while is how long a fault lasts.
func (w *World) while(do func()) {
	w.after(time.Duration(w.rand.ExpFloat64()*float64(8*time.Millisecond)), do)
}

func (w *World) killLeader() {
	n := w.leaders[w.rand.IntN(2)]
	if n.down {
		return
	}
	w.Stats.LeaderDown++
	n.down, n.forgot = true, true
	n.Forget()
	w.while(func() { n.down = false })
}

func (w *World) twoLeaders() {
	if w.astray > 0 {
		return
	}
	w.Stats.TwoLeaders++
	w.astray = 0.5 * w.rand.Float64()
	w.while(func() { w.astray = 0 })
	if w.ctl.up {
		w.ctl.next = 1 - w.ctl.next
		w.ctl.takeOver("it believes that the leader is dead")
	}
}

func (w *World) stopAcceptor() {
	n := w.acceptor[w.rand.IntN(len(w.acceptor))]
	if n.down {
		return
	}
	w.Stats.AcceptorDown++
	n.down = true
	w.while(func() { n.down = false })
}

// forgetAcceptor has an acceptor start again without its registers: unless so many have that
// those which remember might be too few.
func (w *World) forgetAcceptor() {
	n := w.acceptor[w.rand.IntN(len(w.acceptor))]
	if n.down || w.forgets() || w.o.Acceptors < 3 {
		return
	}
	w.Stats.AcceptorForgot++
	n.forgot = true
	n.Forget()
	if w.rand.IntN(2) == 0 {
		n.down = true
		w.while(func() { n.down = false })
	}
}

// forgets says whether something was forgotten that is not replaced yet: an acceptor has, or a
// configuration with one that has is still asked.
func (w *World) forgets() bool {
	if len(w.ctl.disk.configs) != 1 || w.ctl.coord != nil || w.ctl.disk.configs[0] != w.ctl.members() {
		return true
	}
	for _, n := range w.ctl.disk.voters {
		if n.forgot {
			return true
		}
	}
	return false
}

func (w *World) forgetLearner() {
	n := w.learner
	if n.forgot || n.down {
		return
	}
	w.Stats.LearnerForgot++
	n.forgot, n.down = true, true
	n.Forget()
	w.while(func() { n.down = false })
}

func (w *World) killController() {
	if !w.ctl.up {
		return
	}
	w.Stats.ControllerDown++
	w.ctl.die()
	w.while(w.startController)
}

func (w *World) startController() {
	if !w.ctl.up {
		w.ctl.start()
	}
}

func (w *World) killHost() {
	h := w.hosts[w.rand.IntN(len(w.hosts))]
	if !h.up {
		return
	}
	w.Stats.HostDown++
	loses := w.rand.IntN(3) == 0 && w.spare(h)
	if loses {
		w.Stats.DiskLost++
	}
	h.stop(loses)
	w.while(func() {
		if !h.up {
			h.start()
		}
	})
}

func (w *World) killGuest() {
	if len(w.guests) == 0 {
		return
	}
	g := w.guests[w.rand.IntN(len(w.guests))]
	if !g.up {
		return
	}
	w.Stats.GuestDown++
	g.stop()
	w.while(func() {
		if !g.up {
			g.start()
		}
	})
}

// spare says whether a host may lose its disk: of three, if the others have not, or have all
// again that the switches have forgotten.
func (w *World) spare(h *host) bool {
	for _, o := range w.hosts {
		if o != h && o.lost && o.disk.position < uint64(w.ctl.disk.first) {
			return false
		}
	}
	return len(w.hosts) > 2
}

func (w *World) sleepHost() {
	h := w.hosts[w.rand.IntN(len(w.hosts))]
	if h.asleep {
		return
	}
	w.Stats.HostSlept++
	h.asleep = true
	w.after(time.Duration(w.rand.ExpFloat64()*float64(30*time.Millisecond)), func() { h.asleep = false })
}

// places are those that messages go between.
func (w *World) places() []Addr {
	places := []Addr{Leader, Learner, controller}
	for _, n := range w.acceptor {
		places = append(places, n.at)
	}
	for _, h := range w.hosts {
		places = append(places, h.at)
	}
	return places
}

// failLink has a link fail: what is between those on one side of it and those on the other is lost, until there is another path, or the
// link is back.
func (w *World) failLink() {
	places := w.places()
	here := map[Addr]bool{}
	for _, p := range places {
		here[p] = w.rand.IntN(2) == 0
	}
	var lost [][2]Addr
	for _, a := range places {
		for _, b := range places {
			if here[a] != here[b] {
				lost = append(lost, [2]Addr{a, b})
				w.cut[[2]Addr{a, b}] = true
			}
		}
	}
	w.Stats.LinkDown++
	w.while(func() {
		for _, path := range lost {
			delete(w.cut, path)
		}
	})
}

func (w *World) cutPath() {
	places := w.places()
	path := [2]Addr{places[w.rand.IntN(len(places))], places[w.rand.IntN(len(places))]}
	w.Stats.Cut++
	w.cut[path] = true
	w.while(func() { delete(w.cut, path) })
}

func (w *World) moveLeader() {
	if w.ctl.up && w.ctl.coord == nil {
		w.ctl.next = 1 - w.ctl.next
		w.ctl.takeOver("it is asked to")
	}
}

// stray has somebody send what is not his to say.
func (w *World) stray() {
	w.Stats.Strays++
	rounds := w.ctl.disk.round
	for range 20 {
		m := paxos.Message{
			Kind: paxos.Kind(1 + w.rand.IntN(11)), Acceptor: uint8(w.rand.IntN(5)), Flags: uint8(w.rand.IntN(2)),
			Instance: w.ctl.disk.first + uint32(w.rand.IntN(w.o.Ring)), Round: rounds + uint32(w.rand.IntN(3)) - 1,
			VoteRound: uint32(w.rand.IntN(10)), Client: 1 << 30, Sequence: 1, Value: []byte("forged"),
		}
		to := []Addr{Learner, controller, w.acceptor[w.rand.IntN(len(w.acceptor))].at, w.hosts[w.rand.IntN(len(w.hosts))].at}[w.rand.IntN(4)]
		if m.Kind == paxos.Request || m.Kind == paxos.Report || m.Kind == paxos.Deliver && to == controller {
			continue // anybody may
		}
		w.after(time.Duration(w.rand.IntN(1000))*time.Microsecond, func() { w.arrive(Packet{From: stranger, To: to, Message: m}) })
	}
}

// heal ends all faults.
func (w *World) heal() {
	w.log("faults end")
	w.healed, w.astray = true, 0
	clear(w.cut)
	for _, n := range w.nodes() {
		n.down = false
	}
	w.startController()
	for _, g := range w.guests {
		if !g.up {
			g.start()
		}
	}
	for _, h := range w.hosts {
		h.asleep = false
		if !h.up {
			h.start()
		}
	}
}
