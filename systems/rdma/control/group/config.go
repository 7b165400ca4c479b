package group

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// MaxGroups is how many groups a switch has registers for.
const MaxGroups = names.MaxGroups

// A group has as many slots in the switch as it may have replicas in a request.
var _ [names.Slots]struct{} = [private.MaxReplicas]struct{}{}

// Config says who may form groups, and how long things may take.
type Config struct {
	// Allow lists the source prefixes of leaders, and of the replicas that they
	// may name; empty means everybody.
	Allow []netip.Prefix
	// Reachable says why a server cannot be a replica, before anybody is asked; nil: all can.
	Reachable func(wire.Addr) error
	// Nest says who gathers for whom, when there are more receivers than slots; nil: nobody.
	Nest func(receivers []wire.Addr) ([]Part, error)
	// Clusters are those whose leaders may form groups, of servers of the same cluster.
	// Empty means everybody; then replicas themselves must refuse whom they do not want, and those that
	// want a token proved refuse every group.
	Clusters []Cluster
	// SetupTimeout bounds the forming of a group; default 10 s.
	SetupTimeout time.Duration
	// MRAAfter is when a leader that waits is told that it takes longer; default
	// 100 ms.
	MRAAfter time.Duration
	// RetryAfter is the pause before the switch is asked again to remove what it
	// could not; default 1 s.
	RetryAfter time.Duration
	// Quarantine is how long numbers rest before they are used again; default
	// 5 s.
	Quarantine time.Duration
	// Linger is how long a static group goes on when a receiver has left, so that what was
	// sent before can be acknowledged; default 2 s.
	Linger time.Duration
	// MaxPathMTU is the largest path MTU, in bytes, at which the switch copies whole
	// packets; leaders that ask for more are refused. Default 2048: XDP loses copies
	// of packets that do not fit one page. A Tofino takes 4096.
	MaxPathMTU int
	// ICRCOff leaves the ICRC alone: for NICs that do not check it.
	ICRCOff bool
	// CM are the timings of connection management.
	CM cmsm.Config
	// Rand picks queue pair numbers and keys. Seed it from the system's
	// randomness: keys must not be guessed.
	Rand *rand.Rand
}

// Cluster is a cluster of servers behind the switch.
type Cluster struct {
	private.Secret
	// Servers are the prefixes of its servers' addresses; empty means all.
	Servers []netip.Prefix
}

func (c *Config) setDefaults() {
	c.MaxPathMTU = cmp.Or(c.MaxPathMTU, 2048)
	c.SetupTimeout = cmp.Or(c.SetupTimeout, 10*time.Second)
	c.MRAAfter = cmp.Or(c.MRAAfter, 100*time.Millisecond)
	c.RetryAfter = cmp.Or(c.RetryAfter, time.Second)
	c.Quarantine = cmp.Or(c.Quarantine, 5*time.Second)
	c.Linger = cmp.Or(c.Linger, 2*time.Second)
}

// within reports whether an address is in one of the prefixes, if there are any.
func within(prefixes []netip.Prefix, a netip.Addr) bool {
	return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(a) })
}

// member is a replica of a group that is to be formed, and where it listens.
type member struct {
	wire.Addr
	port uint16
}

// replicas checks a request of a cluster and returns its replicas. The error is what the
// leader is told.
func (c *Config) replicas(r *private.Request, of *Cluster, named map[string]*Static, leader, local wire.Addr) ([]member, error) {
	if !within(of.Servers, leader.Netip()) {
		return nil, fmt.Errorf("leader %v is not a server of cluster %d", leader, of.Cluster)
	}
	list := r.Replicas
	switch r.Form {
	case private.FormGroup:
	case private.FormReference:
		m := named[r.Name]
		if m == nil {
			return nil, fmt.Errorf("group %q is not registered with the controller", r.Name)
		}
		for _, to := range m.Receivers {
			list = append(list, to.Addr)
		}
	default:
		return nil, errors.New("the request names no group: a replica's form was sent to the switch")
	}
	seen := map[wire.Addr]bool{}
	var out []member
	for i, a := range list {
		addr, ok := wire.AddrFrom(a)
		switch {
		case !ok:
			return nil, fmt.Errorf("replica %d: %v is not IPv4", i, a)
		case addr == leader:
			return nil, fmt.Errorf("replica %d: %v is the leader", i, addr)
		case addr == local:
			return nil, fmt.Errorf("replica %d: %v is the switch", i, addr)
		case seen[addr]:
			return nil, fmt.Errorf("replica %d: %v is given twice", i, addr)
		case !within(c.Allow, addr.Netip()):
			return nil, fmt.Errorf("replica %d: %v is not in an allowed prefix", i, addr)
		case !within(of.Servers, addr.Netip()):
			return nil, fmt.Errorf("replica %d: %v is not a server of cluster %d", i, addr, of.Cluster)
		}
		if c.Reachable != nil {
			if err := c.Reachable(addr); err != nil {
				return nil, fmt.Errorf("replica %d: %w", i, err)
			}
		}
		seen[addr] = true
		out = append(out, member{addr, r.Port})
	}
	return out, nil
}

// Host is where a server is attached.
type Host struct {
	MAC       wire.MAC
	Port      uint16
	PortGroup uint16 // of the ports that its packets come in by
	Pipe      int    // of the chip, that the port is on; NoPipe when it is not known
}

// NoPipe is the pipe of a port that nobody has said the pipe of, though there are
// several.
const NoPipe = -1

// Directory knows the attached hosts.
type Directory interface {
	Host(wire.Addr) (Host, bool)
}

// Output is what a Core wants done: one of the types below.
type Output interface{ output() }

type (
	// Send sends a CM message: if it forms a group, on behalf of the port that the group's
	// leader is on.
	Send struct {
		cmsm.Outgoing
		Forms  bool
		Behalf uint16
	}
	// Install puts a group on the switch. Answer with Done.
	Install struct{ Plan *Plan }
	// Update changes the entries of an installed group from those of Old: a host has
	// moved. It is not answered.
	Update struct{ Old, Plan *Plan }
	// Remove takes a group, or what there is of it, off the switch. Answer with
	// Done; what is not there is no error.
	Remove struct{ Plan *Plan }
	// NAK sends an acknowledgement with an error to a leader. MAC addresses are
	// the owner's to fill in.
	NAK struct{ Header wire.Header }
	// Save stores a record, Forget deletes it: what a restarted controller needs
	// beyond what the switch can tell.
	Save   struct{ Record Record }
	Forget struct{ Index uint16 }
	// Note is for the log.
	Note struct {
		Level slog.Level
		Text  string
		Args  []any // slog's
	}
)

func (Send) output()    {}
func (Install) output() {}
func (Update) output()  {}
func (Remove) output()  {}
func (NAK) output()     {}
func (Save) output()    {}
func (Forget) output()  {}
func (Note) output()    {}
