package chaos

import (
	"fmt"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/systems/paxos"
)

// check knows all that has happened, and what must hold.
type check struct {
	w       *World
	configs map[uint32]paxos.Acceptors // of rounds
	votes   map[ballot]paxos.Acceptors // who has voted for what
	chosen  map[uint32]decided
	values  map[string]bool // what was submitted: whether it was delivered
	owners  map[string]fmt.Stringer
	noops   map[uint32][]string // of those who recover an instance
	acked   []delivered
	log     []delivered // what is delivered, in order
}

type ballot struct {
	instance, round uint32
	what            decided
}

func newCheck(w *World) *check {
	return &check{
		w: w, configs: map[uint32]paxos.Acceptors{}, votes: map[ballot]paxos.Acceptors{},
		chosen: map[uint32]decided{}, values: map[string]bool{}, owners: map[string]fmt.Stringer{}, noops: map[uint32][]string{},
	}
}

// configured: a round has acceptors.
func (c *check) configured(round uint32, who paxos.Acceptors) {
	if _, ok := c.configs[round]; ok {
		c.w.fail("rounds: %d is given again", round)
	}
	c.configs[round] = who
}

func what(m *paxos.Message) decided {
	return decided{delivered{m.Client, m.Sequence, string(m.Value)}, m.Shared}
}

// decided is what an instance has: a value, or in a form of package paxos several of a client.
type decided struct {
	delivered
	shared uint8
}

// has reports whether these are its values.
func (d decided) has(entries []paxos.Entry) bool {
	bytes := ""
	for i, e := range entries {
		if d.shared != 0 && d.shared < 192 { // a length before each
			bytes += string([]byte{byte(len(e.Value))})
		}
		bytes += string(e.Value)
		if e.Client != d.client || e.Sequence != d.sequence+uint32(i) {
			return false
		}
	}
	return bytes == d.value && (len(entries) > 1) == (d.shared != 0)
}

// voted: an acceptor says that it votes, or has voted.
func (c *check) voted(n *node, m *paxos.Message) {
	b := ballot{m.Instance, m.Round, what(m)}
	c.votes[b] = c.votes[b].With(n.id)
	config := c.configs[m.Round]
	if 2*(c.votes[b]&config).Len() <= config.Len() {
		return
	}
	old, ok := c.chosen[m.Instance]
	if ok && old != b.what {
		c.w.fail("agreement: instance %d: %v was chosen, and in round %d so is %v", m.Instance, old, m.Round, b.what)
	}
	if !ok {
		c.chosen[m.Instance] = b.what
		c.w.Stats.Chosen++
		if b.what.client == 0 {
			c.w.Stats.Noops++
		}
		if b.what.shared != 0 {
			c.w.Stats.Shared++
		}
	}
}

// sent: a packet is put on the network, by whomever.
func (c *check) sent(p Packet) {
	if p.Message.Kind != paxos.Deliver {
		return
	}
	m := &p.Message
	v, ok := c.chosen[m.Instance]
	if !ok {
		c.w.fail("learner: instance %d: %v is delivered, and not chosen", m.Instance, what(m))
	} else if v != what(m) {
		c.w.fail("learner: instance %d: %v is delivered, and %v was chosen", m.Instance, what(m), v)
	}
}

func (c *check) submitted(h fmt.Stringer, value string) {
	c.values[value] = false
	c.owners[value] = h
}

// abandoned: a host ends. What it has submitted may be delivered, or not.
func (c *check) abandoned(h fmt.Stringer) {
	for value, o := range c.owners {
		if o == h {
			c.owners[value] = nil
		}
	}
}

// applied: a replica has delivered something.
func (c *check) applied(h *host, v delivered) {
	i := len(h.log) - 1
	if i < len(c.log) {
		if c.log[i] != v {
			c.w.fail("order: host %d delivers %v where %v was delivered", h.index, v, c.log[i])
		}
		return
	}
	if i > len(c.log) {
		c.w.fail("order: host %d delivers %v as number %d, and nobody has delivered number %d", h.index, v, i, len(c.log))
		return
	}
	done, ok := c.values[v.value]
	switch {
	case !ok:
		c.w.fail("integrity: %v is delivered, and was not submitted", v)
	case done:
		c.w.fail("integrity: %v is delivered twice", v)
	}
	c.values[v.value] = true
	c.log = append(c.log, v)
}

// recovered: a host is told what was decided in an instance, or that it is in checkpoints only.
func (c *check) recovered(h *host, d *paxos.Decision) {
	i := uint32(d.Instance)
	switch v := c.chosen[i]; {
	case d.Err != nil:
		if i >= c.w.ctl.disk.first {
			c.w.fail("recover: host %d is told of instance %d that %v, and %d is the first that is kept", h.index, i, d.Err, c.w.ctl.disk.first)
		}
		c.w.Stats.Forgotten++
	case !v.has(d.Entries):
		c.w.fail("recover: host %d is told of instance %d that it is %v, and %v was chosen", h.index, i, d.Entries, v)
	case v.client == 0 && v.value != "" && !slices.Contains(c.noops[i], v.value):
		c.w.fail("recover: %q is decided in instance %d, and nobody has proposed that as its no-op", v.value, i)
	case v.client == 0 && v.value != "":
		c.w.Stats.OwnNoops++
	}
	c.w.Stats.Recovered++
}

func (c *check) acknowledged(h fmt.Stringer, v delivered) {
	c.acked = append(c.acked, v)
	if !slices.Contains(c.log, v) {
		c.w.fail("%v is told that %v is delivered, and it is not", h, v)
	}
}

// missing says what is to be done yet.
func (w *World) missing() string {
	for _, h := range w.hosts {
		if len(h.log) != len(w.check.log) {
			return fmt.Sprintf("host %d has %d of %d values, and is at instance %d", h.index, len(h.log), len(w.check.log), h.replica.Position())
		}
		if len(h.waiting) > 0 {
			return fmt.Sprintf("host %d has %d values to submit", h.index, len(h.waiting))
		}
		if len(h.wanted) > 0 {
			return fmt.Sprintf("host %d recovers instances %v", h.index, slices.Sorted(maps.Keys(h.wanted)))
		}
		if n := h.proposer.Pending(); n > 0 {
			return fmt.Sprintf("host %d waits for %d values (refused for: %v)", h.index, n, h.proposer.Refusal())
		}
	}
	for _, g := range w.guests {
		if n := len(g.waiting) + g.proposer.Pending(); n > 0 {
			return fmt.Sprintf("guest %d waits for %d values (refused for: %v)", g.index, n, g.proposer.Refusal())
		}
	}
	for value, o := range w.check.owners {
		if o != nil && !w.check.values[value] {
			return fmt.Sprintf("%q is not delivered", value)
		}
	}
	return ""
}

// settled says whether everything is delivered everywhere.
func (w *World) settled() bool { return w.missing() == "" }

// finish looks at the end of a run.
func (w *World) finish() {
	if w.failed != nil {
		return
	}
	for _, v := range w.check.acked {
		if !slices.Contains(w.check.log, v) {
			w.fail("lost: %v was acknowledged", v)
		}
	}
	for _, h := range w.hosts {
		if !slices.Equal(h.log, w.check.log) {
			w.fail("order: host %d has another log", h.index)
		}
		w.Stats.Again += int(h.replica.Stats().Again)
	}
}
