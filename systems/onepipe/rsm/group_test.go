package rsm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// order is a network that keeps what 1Pipe promises of reliable scatterings, and nothing more: one order for all, all
// receivers or none, a sender that is told what nobody receives.
type order struct {
	t       *testing.T
	rnd     *rand.Rand
	servers []*server
	sent    []*sent // in order of time
	time    uint64
	reached int // behind the last that anybody has received
	next    uint16
}

// sent is a scattering.
type sent struct {
	onepipe.Message
	to    []onepipe.Process
	taken bool // taken back
}

// server is a server of the test: a core, and a machine that is the list of its records.
type server struct {
	*group
	name    string
	log     []string
	at      int // of the order: what it takes next
	alive   bool
	disk    state
	diskLog []string
	waits   map[string]*proposal
}

func (o *order) process() onepipe.Process {
	o.next++
	return onepipe.Process{Addr: wire.Addr{10, 0, 0, 1}, Number: o.next}
}

// begin starts a server in a life that begins with its disk.
func (o *order) begin(s *server) {
	s.group = newGroup(Member{s.name, o.process()}, s.disk)
	s.log = slices.Clone(s.diskLog)
	s.at, s.alive = len(o.sent), true
	s.waits = map[string]*proposal{}
}

func (o *order) alive() (list []*server) {
	for _, s := range o.servers {
		if s.alive {
			list = append(list, s)
		}
	}
	return list
}

func (o *order) of(p onepipe.Process) *server {
	for _, s := range o.servers {
		if s.alive && s.self.Process == p {
			return s
		}
	}
	return nil
}

// send lets a server send what it wants to.
func (o *order) send(s *server) {
	to, data, ok := s.next()
	if !ok {
		return
	}
	o.time++
	m := &sent{Message: onepipe.Message{Time: o.time, From: s.self.Process, Data: data}, to: to}
	o.sent = append(o.sent, m)
	for _, p := range to {
		if o.of(p) == nil { // it is dead, and the controller says so at the latest when it is asked
			m.taken = true
			s.failed(p)
		}
	}
	if m.taken {
		s.lost(data)
		if o.rnd.IntN(2) == 0 {
			s.lost(data) // each part is reported
		}
	}
}

// deliver lets a server take the next message of the order. One that has no state keeps what comes.
func (o *order) deliver(s *server) {
	for s.serving && s.at < len(o.sent) {
		m := o.sent[s.at]
		s.at++
		o.reached = max(o.reached, s.at)
		if m.taken || !slices.Contains(m.to, s.self.Process) {
			continue
		}
		e := s.delivered(&m.Message)
		require.False(o.t, e.broken, "%s has missed a message", s.name)
		require.False(o.t, e.out)
		for _, r := range e.records {
			s.log = append(s.log, string(r))
		}
		require.EqualValues(o.t, len(s.log), s.Records)
		if e.own != nil {
			s.disk, s.diskLog = s.state, slices.Clone(s.log) // Config.Fsync
			for _, p := range e.own.proposals {
				p.result <- outcome{result: len(s.log)}
			}
			if e.own.added != nil {
				o.install(s, e.own.member)
			}
		}
		if e.view { // it is on the disk before anybody is answered
			s.disk, s.diskLog = s.state, slices.Clone(s.log)
		}
		return
	}
}

// install gives a new member the state, if it is still there.
func (o *order) install(from *server, m Member) {
	from.disk, from.diskLog = from.state, slices.Clone(from.log)
	if to := o.of(m.Process); to != nil && !to.serving {
		require.True(o.t, to.group.install(from.state))
		to.log = slices.Clone(from.log)
		to.disk, to.diskLog = to.state, slices.Clone(to.log)
	}
}

// kill ends a server. Of what it has sent, and nobody has delivered, a part is delivered by all, and the rest by nobody.
func (o *order) kill(s *server) {
	s.alive = false
	if o.rnd.IntN(2) == 0 { // what was applied is on the disk, or not
		s.disk, s.diskLog = s.state, slices.Clone(s.log)
	}
	gone := o.rnd.IntN(2) == 0
	for i := o.reached; i < len(o.sent); i++ {
		m := o.sent[i]
		switch {
		case m.taken:
		case m.From == s.self.Process:
			m.taken = gone // at its time or later
		case slices.Contains(m.to, s.self.Process):
			if sender := o.of(m.From); sender != nil && o.rnd.IntN(2) == 0 { // it had not acknowledged it
				m.taken = true
				sender.lost(m.Data)
			}
		}
	}
	for _, x := range o.alive() {
		x.failed(s.self.Process)
	}
	for n, p := range s.waits {
		if len(p.result) == 0 {
			delete(s.waits, n) // nobody knows
		}
	}
}

// enter lets a server that does not serve do what Node.tryEnter does.
func (o *order) enter(s *server) {
	status := func(s *server) Status {
		st := Status{Name: s.name, Serving: s.serving, View: s.View, Records: s.Records}
		for _, m := range s.Members {
			st.Members = append(st.Members, m.Name)
		}
		return st
	}
	answers := map[string]Status{}
	for _, x := range o.alive() {
		if x.serving {
			if x.settled() && x != s {
				x.add(s.self, make(chan image, 1))
				return
			}
			continue
		}
		answers[x.name] = status(x)
	}
	if slices.ContainsFunc(o.alive(), func(x *server) bool { return x.serving }) {
		return
	}
	first, missing := beginner(answers)
	// A server that died before its first state came has lost nothing. Only an operator knows that (Config.Begin).
	missing = slices.DeleteFunc(missing, func(m string) bool { return strings.HasPrefix(m, "the state of") })
	if len(missing) == 0 && first == s.name {
		s.group.begin()
		s.disk, s.diskLog = s.state, slices.Clone(s.log)
	}
}

// Whatever dies and comes back: servers apply the same records in the same order, each once, and in the end every record
// that was answered.
func TestGroup(t *testing.T) {
	for seed := range uint64(3000) {
		o := &order{t: t, rnd: rand.New(rand.NewPCG(seed, 7))}
		names := []string{"a", "b", "c"}
		var none state
		for _, n := range names {
			none.Members = append(none.Members, Member{Name: n})
		}
		for _, n := range names {
			s := &server{name: n, disk: none}
			o.servers = append(o.servers, s)
			o.begin(s)
		}
		var longest []string
		check := func(s *server) {
			n := min(len(longest), len(s.log))
			require.True(t, slices.Equal(longest[:n], s.log[:n]), "seed %d: server %s: %v, and %v", seed, s.name, longest, s.log)
			if len(s.log) > len(longest) {
				longest = slices.Clone(s.log)
			}
		}
		answered := map[string]bool{}
		records := 0
		step := func(faults bool) {
			s := o.servers[o.rnd.IntN(len(o.servers))]
			switch k := o.rnd.IntN(20); {
			case !s.alive:
				if !faults || k < 4 {
					o.begin(s)
				}
			case faults && k == 0:
				o.kill(s)
			case !s.serving && k < 8:
				o.enter(s)
			case s.serving && k < 6 && faults:
				records++
				r := fmt.Sprint(s.name, records)
				p := &proposal{record: []byte(r), result: make(chan outcome, 1)}
				s.propose(p)
				s.waits[r] = p
			case k < 12:
				o.send(s)
			default:
				o.deliver(s)
			}
			if s.alive && s.serving {
				check(s)
			}
			if !slices.ContainsFunc(o.alive(), func(s *server) bool { return s.serving }) { // what nobody was answered may be lost
				longest = nil
				for _, s := range o.servers {
					if len(s.diskLog) > len(longest) {
						longest = slices.Clone(s.diskLog)
					}
				}
			}
			for r, p := range s.waits {
				if len(p.result) > 0 {
					answered[r] = true
					delete(s.waits, r)
				}
			}
		}
		for range 400 {
			step(true)
		}
		done := func() bool {
			for _, s := range o.servers {
				if !s.alive || !s.serving || len(s.Members) < len(names) || len(s.waits) > 0 || len(s.log) < len(longest) || s.at < len(o.sent) || len(s.queue) > 0 {
					return false
				}
			}
			return true
		}
		n := 0
		for ; n < 20000 && !done(); n++ {
			step(false)
		}
		require.True(t, done(), "seed %d: the servers do not go on", seed)
		for _, s := range o.servers {
			require.Equal(t, longest, s.log, "seed %d", seed)
		}
		seen := map[string]bool{}
		for _, r := range longest {
			require.False(t, seen[r], "seed %d: %s twice", seed, r)
			seen[r] = true
		}
		for r := range answered {
			require.True(t, seen[r], "seed %d: %s was answered", seed, r)
		}
	}
}
