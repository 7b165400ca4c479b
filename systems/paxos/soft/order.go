package soft

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"

	"github.com/p4ce/p4ce/systems/paxos"
)

// The orders of a controller to a role.
const (
	GiveRole     = "give"      // acceptor: Index, At (learners), Floor, First, Last; learner: At (replicas), First, Last
	LeadIn       = "lead"      // leader: Round, Next, At (acceptors)
	StopLeading  = "stop"      // leader
	OwnRound     = "own"       // acceptor: Round, At (who may propose in it)
	ConfigureFor = "configure" // learner: Round, At (acceptors)
	TellReplicas = "replicas"  // learner: At
	TrimTo       = "trim"      // all: First, Last
)

// Order is an order to a role; see the methods of the roles.
type Order struct {
	Do    string           `json:"do"`
	Index uint8            `json:"index,omitempty"`
	Round uint32           `json:"round,omitempty"`
	Floor uint32           `json:"floor,omitempty"`
	Next  uint32           `json:"next,omitempty"`
	First uint32           `json:"first,omitempty"`
	Last  uint32           `json:"last,omitempty"`
	At    []netip.AddrPort `json:"at,omitempty"`
}

// Seat is a role that runs somewhere: in a Server of this process, or of another process (Attend).
type Seat interface {
	// Addr returns where its messages go.
	Addr() netip.AddrPort
	// Order gives the role an order, and waits until it is carried out.
	Order(Order) error
	Close() error
}

// NewRole returns a role by its name: leader, acceptor or learner.
func NewRole(name string, ring int) (Role, error) {
	switch name {
	case "leader":
		return NewLeader(ring), nil
	case "acceptor":
		return NewAcceptor(ring), nil
	case "learner":
		return NewLearner(ring), nil
	}
	return nil, fmt.Errorf("role %q: leader, acceptor or learner", name)
}

// Order implements Seat.
func (s *Server) Order(o Order) (err error) {
	s.Do(func() { err = seated{role: s.role}.Order(o) })
	return err
}

func obey(role Role, o *Order) bool {
	switch r := role.(type) {
	case *Leader:
		switch o.Do {
		case LeadIn:
			r.Lead(o.Round, o.Next, o.At)
		case StopLeading:
			r.Stop()
		case TrimTo:
			r.Trim(o.First, o.Last)
		default:
			return false
		}
	case *Acceptor:
		switch o.Do {
		case GiveRole:
			r.Give(o.Index, o.At, o.Floor, o.First, o.Last)
		case OwnRound:
			for _, who := range o.At {
				r.Own(o.Round, who)
			}
		case TrimTo:
			r.Trim(o.First, o.Last)
		default:
			return false
		}
	case *Learner:
		switch o.Do {
		case GiveRole:
			r.Give(o.At, o.First, o.Last)
		case ConfigureFor:
			r.Configure(o.Round, o.At)
		case TellReplicas:
			r.replicas = o.At
		case TrimTo:
			r.Trim(o.First, o.Last)
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// Said is what Attend reports: that it is ready and where, and that an order was carried out, or why
// not.
type Said struct {
	Event string         `json:"event"` // "ready", "done"
	At    netip.AddrPort `json:"address,omitzero"`
	Error string         `json:"error,omitempty"`
}

// Attend runs a role on a wire, and carries out orders, one line of JSON each, until in ends. It is the
// other end of a Seat in another process. It closes the wire.
func Attend(role Role, w paxos.Wire, in io.Reader, out io.Writer) error {
	s := ServeOn(w, role)
	defer s.Close()
	say := json.NewEncoder(out)
	if err := say.Encode(Said{Event: "ready", At: s.Addr()}); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var o Order
		said := Said{Event: "done"}
		err := json.Unmarshal(lines.Bytes(), &o)
		if err == nil {
			err = s.Order(o)
		}
		if err != nil {
			said.Error = err.Error()
		}
		if err := say.Encode(said); err != nil {
			return err
		}
	}
	return lines.Err()
}

// seated is a role whose owner hands it its messages.
type seated struct {
	at   netip.AddrPort
	role Role
}

// Sit returns a seat of a role that has no server: whoever has the role hands it its messages, and does nothing else with it during an
// order.
func Sit(at netip.AddrPort, role Role) Seat { return seated{at, role} }

// Addr implements Seat.
func (s seated) Addr() netip.AddrPort { return s.at }

// Order implements Seat.
func (s seated) Order(o Order) error {
	if !obey(s.role, &o) {
		return fmt.Errorf("order %q is not for a %T", o.Do, s.role)
	}
	return nil
}

// Close implements Seat.
func (seated) Close() error { return nil }
