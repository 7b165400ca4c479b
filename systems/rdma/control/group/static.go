package group

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Static is a static group: its members are known before a sender connects. Every program that
// connects to its port by RDMA CM is the sender of a group of these receivers. The receivers get
// the sender's private data unchanged. Only a leader that sends P4CE's private data gets the
// group that its private data describes; it may refer to the static group by name.
//
// The receivers answer with P4CE's region (package private), or in the layout of Reply, or with
// nothing about memory. In the last case senders may SEND, and their WRITEs are refused. The
// sender gets the private data of the first receiver, except the part about memory: that says
// the group's own key, address 0, and the size of the smallest region, rounded down to a power
// of two.
type Static struct {
	Name      string         `json:"name"`
	Port      uint16         `json:"port"`
	Policy    string         `json:"policy"` // as private.ParsePolicy reads it
	Receivers []Receiver     `json:"replicas"`
	Senders   []netip.Prefix `json:"senders,omitempty"` // who may connect; empty: who may form groups
	Reply     *Reply         `json:"reply,omitempty"`
}

// Receiver is a member of a static group.
type Receiver struct {
	Addr netip.Addr `json:"address"`
	Port uint16     `json:"port"` // where it listens
}

func (r Receiver) String() string { return netip.AddrPortFrom(r.Addr, r.Port).String() }

// Reply says where a program's private data describes the memory that may be written: offsets
// in bytes, of an address of 8 bytes, an R_key of 4, and a size of SizeBytes.
type Reply struct {
	VA        int    `json:"va"`
	RKey      int    `json:"rkey"`
	Size      int    `json:"size"`
	SizeBytes int    `json:"size_bytes"` // 4 or 8
	Order     string `json:"order"`      // of bytes: big or little
}

// StaticInfo describes a static group, for people.
type StaticInfo struct {
	Static
	Groups []uint16 `json:"groups"` // the groups of its senders
}

// Problem is what is wrong with an order about static groups.
type Problem int

// The problems.
const (
	Invalid Problem = iota + 1 // makes no sense
	Exists                     // the name or the port is another's
	Unknown                    // the host or the group does not exist
	InUse                      // a group that has senders
)

// StaticError is the answer to an order about static groups that was refused.
type StaticError struct {
	Problem Problem
	Text    string
}

func (e *StaticError) Error() string { return e.Text }

func problem(p Problem, format string, args ...any) error {
	return &StaticError{p, fmt.Sprintf(format, args...)}
}

// staticName: not a number, by which groups of leaders are known, and a name of files.
var staticName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)

// check looks whether a description makes sense by itself.
func (m *Static) check(limit func(private.Policy) int) error {
	invalid := func(format string, args ...any) error {
		return problem(Invalid, "group %q: %s", m.Name, fmt.Sprintf(format, args...))
	}
	policy, err := private.ParsePolicy(m.Policy)
	switch {
	case !staticName.MatchString(m.Name) || len(m.Name) > private.MaxName:
		return invalid("want a name of at most %d letters, digits, '.', '_' and '-', beginning with a letter", private.MaxName)
	case m.Port == 0:
		return invalid("needs a port of the switch, 1 to 65535")
	case err != nil:
		return invalid("%v", err)
	case len(m.Receivers) < 1:
		return invalid("needs a replica")
	case len(m.Receivers) > limit(policy):
		return invalid("%d replicas, and a group of policy %s has at most %d here [more than %d: policy all, over several switches, up to %d]", len(m.Receivers), m.Policy, limit(policy), private.MaxReplicas, MaxNested)
	}
	seen := map[netip.Addr]bool{}
	for i, r := range m.Receivers {
		switch {
		case !r.Addr.Is4():
			return invalid("replica %d: %v is not IPv4", i, r.Addr)
		case r.Port == 0:
			return invalid("replica %d: %v needs a port, 1 to 65535", i, r.Addr)
		case seen[r.Addr]:
			return invalid("replica %d: %v is given twice", i, r.Addr)
		}
		seen[r.Addr] = true
	}
	if m.Reply != nil {
		if err := m.Reply.check(); err != nil {
			return invalid("%v", err)
		}
	}
	return nil
}

// AddStatic creates a static group. The error is a *StaticError.
func (c *Core) AddStatic(m Static, switches []wire.Addr) error {
	if err := m.check(c.limit); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.static)) {
		switch o := c.static[name]; {
		case o.Name == m.Name:
			return problem(Exists, "group %q: a group of this name exists, on port %d", m.Name, o.Port)
		case o.Port == m.Port:
			return problem(Exists, "group %q: port %d belongs to group %q", m.Name, m.Port, o.Name)
		}
	}
	for i, r := range m.Receivers {
		a := wire.Addr(r.Addr.As4())
		if slices.Contains(switches, a) {
			return problem(Invalid, "group %q: replica %d: %v is the switch", m.Name, i, a)
		}
		if !within(c.cfg.Allow, r.Addr) {
			return problem(Invalid, "group %q: replica %d: %v is not in an allowed prefix", m.Name, i, a)
		}
		if _, ok := c.dir.Host(a); !ok {
			return problem(Unknown, "group %q: replica %d: host %v is not known [p4ce status lists the known hosts; has it sent anything yet?]", m.Name, i, a)
		}
	}
	c.static[m.Name] = &m
	return nil
}

// RestoreStatic creates a static group of an earlier controller, whose hosts may still be silent.
func (c *Core) RestoreStatic(m Static) error {
	if err := m.check(c.limit); err != nil {
		return err
	}
	c.static[m.Name] = &m
	return nil
}

// CanDelete reports why a static group cannot be deleted: it has senders, and force does not
// dissolve their groups.
func (c *Core) CanDelete(name string, force bool) error {
	if c.static[name] == nil {
		return problem(Unknown, "group %q: does not exist", name)
	}
	if used := c.staticBy(name); len(used) > 0 && !force {
		return problem(InUse, "group %q: is in use by sender %v (group %d) [end the sender, or use --force]", name, used[0].leader.addr, used[0].index)
	}
	return nil
}

// Delete deletes a static group, if CanDelete allows it.
func (c *Core) Delete(now time.Duration, name string, force bool) error {
	if err := c.CanDelete(name, force); err != nil {
		return err
	}
	delete(c.static, name)
	for _, g := range c.staticBy(name) {
		c.finish(now, g, refusal{cm.ReasonConsumer, -1, fmt.Sprintf("group %q was deleted", name)})
	}
	c.pump(now)
	return nil
}

// staticBy lists the groups of a static group's senders, except those that are ending.
func (c *Core) staticBy(name string) (out []*group) {
	for _, i := range c.sorted() {
		if g := c.groups[i]; g.name == name && g.phase != removing {
			out = append(out, g)
		}
	}
	return out
}

// StaticGroups describes all static groups, by name.
func (c *Core) StaticGroups() []StaticInfo {
	out := []StaticInfo{}
	for _, m := range c.static {
		in := StaticInfo{*m, []uint16{}}
		for _, g := range c.staticBy(m.Name) {
			in.Groups = append(in.Groups, g.index)
		}
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b StaticInfo) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// staticAt is the static group that a service id belongs to, nil when there is none.
func (c *Core) staticAt(service uint64) *Static {
	port, ok := cm.ServicePort(service)
	for _, m := range c.static {
		if ok && m.Port == port {
			return m
		}
	}
	return nil
}

// members lists the receivers for a sender. The error is what the sender is told.
func (m *Static) members(cfg *Config, sender, local wire.Addr) ([]member, error) {
	allowed := m.Senders
	if len(allowed) == 0 {
		allowed = cfg.Allow
	}
	if !within(allowed, sender.Netip()) {
		return nil, fmt.Errorf("sender %v may not send to group %q", sender, m.Name)
	}
	var out []member
	for i, r := range m.Receivers {
		a := wire.Addr(r.Addr.As4())
		if a == sender || a == local {
			return nil, fmt.Errorf("replica %d of group %q: %v is the sender or the switch", i, m.Name, a)
		}
		out = append(out, member{a, r.Port})
	}
	return out, nil
}

// linger begins the end of a static group whose receiver has left: what it has acknowledged
// still counts, and what the others say meanwhile may complete it.
func (c *Core) linger(now time.Duration, g *group, why refusal) {
	if g.lingers {
		return
	}
	c.note(slog.LevelInfo, "receiver leaves", "group", g.index, "why", why.text)
	g.lingers, g.end, g.deadline = true, why, now+c.cfg.Linger
	c.unsettled[g] = true
}

func (r *Reply) check() error {
	switch {
	case r.Order != "big" && r.Order != "little":
		return fmt.Errorf("reply: byte order %q: want big or little", r.Order)
	case r.SizeBytes != 4 && r.SizeBytes != 8:
		return fmt.Errorf("reply: a size of %d bytes: want 4 or 8", r.SizeBytes)
	}
	type span struct {
		name    string
		at, len int
	}
	all := []span{{"va", r.VA, 8}, {"rkey", r.RKey, 4}, {"size", r.Size, r.SizeBytes}}
	for i, s := range all {
		if s.at < 0 || s.at+s.len > cm.REPPrivateLen {
			return fmt.Errorf("reply: %s at %d: a reply has %d bytes", s.name, s.at, cm.REPPrivateLen)
		}
		for _, o := range all[:i] {
			if s.at < o.at+o.len && o.at < s.at+s.len {
				return fmt.Errorf("reply: %s at %d overlaps %s at %d", s.name, s.at, o.name, o.at)
			}
		}
	}
	return nil
}

func (r *Reply) order() binary.ByteOrder {
	if r.Order == "little" {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// read finds the region in a receiver's private data.
func (r *Reply) read(b []byte) (private.Region, error) {
	if need := max(r.VA+8, r.RKey+4, r.Size+r.SizeBytes); len(b) < need {
		return private.Region{}, fmt.Errorf("its private data has %d bytes, but its region ends at %d", len(b), need)
	}
	o := r.order()
	out := private.Region{VA: o.Uint64(b[r.VA:]), RKey: o.Uint32(b[r.RKey:])}
	if r.SizeBytes == 4 {
		out.Size = uint64(o.Uint32(b[r.Size:]))
	} else {
		out.Size = o.Uint64(b[r.Size:])
	}
	switch {
	case out.Size == 0:
		return out, fmt.Errorf("its region is empty")
	case out.VA+out.Size < out.VA:
		return out, fmt.Errorf("its region of %d bytes at %#x exceeds the address space", out.Size, out.VA)
	}
	return out, nil
}

// write puts the group's region where a receiver's was.
func (r *Reply) write(b []byte, g private.Region) []byte {
	b = slices.Clone(b)
	o := r.order()
	o.PutUint64(b[r.VA:], g.VA)
	o.PutUint32(b[r.RKey:], g.RKey)
	if r.SizeBytes == 4 {
		o.PutUint32(b[r.Size:], uint32(g.Size)) // at most 2^31
	} else {
		o.PutUint64(b[r.Size:], g.Size)
	}
	return b
}
