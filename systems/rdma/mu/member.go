package mu

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Member is a server of a cluster.
type Member struct {
	ID     ID               `json:"id"`
	Addrs  []netip.AddrPort `json:"addrs"`            // of its RDMA service, one per route
	Client string           `json:"client,omitempty"` // where it serves clients, for redirection
}

// CheckMembers says what is wrong with a membership.
func CheckMembers(members []Member) error {
	if n := len(members); n < 1 || n > MaxServers {
		return fmt.Errorf("%d servers (want 1 to %d)", n, MaxServers)
	}
	for i, m := range members {
		if m.ID > MaxID {
			return fmt.Errorf("server id %d (want 0 to %d)", m.ID, MaxID)
		}
		if len(m.Addrs) > Routes {
			return fmt.Errorf("server %d has %d addresses (want 1 to %d)", m.ID, len(m.Addrs), Routes)
		}
		for _, o := range members[:i] {
			if o.ID == m.ID {
				return fmt.Errorf("server id %d is given twice", m.ID)
			}
			for _, a := range m.Addrs {
				if slices.Contains(o.Addrs, a) {
					return fmt.Errorf("servers %d and %d both have address %v", o.ID, m.ID, a)
				}
			}
		}
	}
	return nil
}

// EncodeMembers is the form in which a membership is stored and logged.
func EncodeMembers(members []Member) []byte {
	b, err := json.Marshal(members)
	if err != nil {
		panic(err) // there is nothing in it that JSON could refuse
	}
	return b
}

// DecodeMembers reads what EncodeMembers has made.
func DecodeMembers(b []byte) ([]Member, error) {
	var members []Member
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, fmt.Errorf("membership: %w", err)
	}
	if err := CheckMembers(members); err != nil {
		return nil, fmt.Errorf("membership: %w", err)
	}
	return members, nil
}

func idsOf(members []Member) []ID {
	ids := make([]ID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return ids
}

func hasMember(members []Member, id ID) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.ID == id })
}

// oneChange reports whether b is a with one server more or less.
func oneChange(a, b []Member) bool {
	diff := 0
	for _, m := range a {
		if !hasMember(b, m.ID) {
			diff++
		}
	}
	for _, m := range b {
		if !hasMember(a, m.ID) {
			diff++
		}
	}
	return diff == 1
}

// ChangeMembership replaces the membership by one that has one server more or less. To add a server,
// first make it a learner that has caught up (AddLearner).
func (c *Core) ChangeMembership(now time.Duration, members []Member) error {
	c.now = now
	l := &c.lead
	switch {
	case c.role != Leader:
		return ErrNotLeader
	case l.change != nil || l.changed:
		return fmt.Errorf("%w: another change is under way", ErrMembers)
	case !oneChange(c.members, members):
		return fmt.Errorf("%w: one server at a time is added or removed", ErrMembers)
	}
	if err := CheckMembers(members); err != nil {
		return fmt.Errorf("%w: %w", ErrMembers, err)
	}
	for _, m := range members {
		if !hasMember(c.members, m.ID) {
			if p := c.peer(m.ID); p == nil || !p.live || !p.full {
				return fmt.Errorf("%w: server %d has not caught up yet", ErrMembers, m.ID)
			}
		}
	}
	if !c.canChange(members) {
		return fmt.Errorf("%w: of the %d remaining servers, no majority is alive and up to date (bring servers back first, or remove those that are away)", ErrMembers, len(members))
	}
	if n := len(EncodeMembers(members)); n > c.geo.MaxRecord() {
		return fmt.Errorf("%w: %d bytes do not fit into the log (up to %d)", ErrMembers, n, c.geo.MaxRecord())
	}
	l.change = slices.Clone(members)
	l.quiesce = true
	c.memberStep()
	return nil
}

// canChange reports whether a majority of a new membership could continue at once: this server, and
// those that follow it and hold what counts. Otherwise the old members would decide a change after
// which nobody could decide anything, and absent members would not even learn about it.
func (c *Core) canChange(members []Member) bool {
	n := 0
	for _, m := range members {
		if m.ID == c.cfg.ID {
			n++
		} else if p := c.peer(m.ID); p != nil && p.live && p.full {
			n++
		}
	}
	return n >= len(members)/2+1
}

// agreed computes Status.Agreed.
func (c *Core) agreed() bool {
	n := 0
	if c.isMember() && c.head >= c.membersAt {
		n++
	}
	for _, p := range c.peers {
		if p.member && p.alive && p.st.head >= c.membersAt {
			n++
		}
	}
	return n >= c.majority()
}

// AddLearner brings a server up to date that is not a member yet. With nil, it stops.
func (c *Core) AddLearner(now time.Duration, m *Member) error {
	c.now = now
	if c.role != Leader {
		return ErrNotLeader
	}
	if m != nil {
		if err := CheckMembers(append(slices.Clone(c.members), *m)); err != nil {
			return fmt.Errorf("%w: %w", ErrMembers, err)
		}
	}
	c.learner = m
	c.connect()
	return nil
}

// CaughtUp reports whether a server may be made a member.
func (c *Core) CaughtUp(id ID) bool {
	p := c.peer(id)
	return c.role == Leader && p != nil && p.live && p.full
}

// memberStep proposes a change of membership when nothing is undecided.
func (c *Core) memberStep() {
	l := &c.lead
	if l.change == nil || c.undecided() > 0 || l.decided < l.start {
		return
	}
	if !c.canChange(l.change) {
		c.env.Eventf("abandons the membership %v: no majority of it is alive any more", idsOf(l.change))
		l.change = nil
		c.release()
		return
	}
	if c.append(entry{record: EncodeMembers(l.change), members: true}) {
		l.change, l.changed = nil, true
		c.progress()
	}
}

// membersDecided continues under a new membership, in a new term, because every term has exactly one.
func (c *Core) membersDecided() {
	c.env.Eventf("the members are %v", idsOf(c.members))
	if c.isMember() {
		c.startCampaign()
		return
	}
	// The others do not know yet that this is decided. Under the membership that they know, they would
	// wait for this server, or need it.
	c.lead.handOver = true
}
