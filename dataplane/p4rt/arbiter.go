package p4rt

import (
	"cmp"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// electionID is a P4Runtime election id.
type electionID struct{ high, low uint64 }

func (a electionID) compare(b electionID) int {
	return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low))
}

// clientID names a stream for as long as it lives.
type clientID uint64

// notice is an arbitration update to send to a client.
type notice struct {
	to       clientID
	role     string
	code     codes.Code  // OK: you are primary, ALREADY_EXISTS: somebody else is, NOT_FOUND: nobody is
	election *electionID // the highest that the role has seen, nil for none
}

// arbiter decides which client is primary for each role (P4Runtime 5.3). It is
// a pure state machine: the caller serialises calls and sends the notices.
//
// Clients make roles up by naming them, so there are at most maxRoles: when there is no room,
// the role without clients that has been so for longest is forgotten, with its highest id.
// The default role, "", never is.
//
// Invariants, per role:
//
//  1. highest is the greatest election id presented since the role is known, or nil.
//  2. primary, when there is one, is a live client whose id equals highest.
//  3. no two live clients have the same id; clients without one are backups.
type arbiter struct {
	roles   map[string]*role
	clients map[clientID]string // role of each live client
	idle    []string            // roles without clients that have a highest id, longest first; never ""
}

// What is kept for roles: how many there are, and the length of a name in bytes.
const (
	maxRoles    = 1024
	maxRoleName = 256
)

type role struct {
	highest *electionID
	primary clientID // 0: none
	members map[clientID]*electionID
	order   []clientID // members in order of arrival, for deterministic notices
}

func newArbiter() *arbiter {
	return &arbiter{roles: map[string]*role{}, clients: map[clientID]string{}}
}

// update handles an arbitration message of a client. On an error nothing has
// changed, and the client's stream is to be ended with it.
func (a *arbiter) update(c clientID, name string, id *electionID) ([]notice, error) {
	if old, ok := a.clients[c]; ok && old != name {
		return nil, status.Errorf(codes.FailedPrecondition, "arbitration: the stream has role %q, which cannot change to %q", old, name)
	}
	if len(name) > maxRoleName {
		return nil, status.Errorf(codes.InvalidArgument, "arbitration: a role name of %d bytes: at most %d", len(name), maxRoleName)
	}
	r := a.roles[name]
	if r == nil {
		if len(a.roles) >= maxRoles && name != "" && len(a.idle) == 0 {
			return nil, status.Errorf(codes.ResourceExhausted, "arbitration: role %q: %d other roles have clients", name, len(a.roles))
		}
		r = &role{members: map[clientID]*electionID{}}
	}
	if id != nil {
		for other, oid := range r.members {
			if other != c && oid != nil && *oid == *id {
				return nil, status.Errorf(codes.InvalidArgument, "arbitration: election_id {high: %d low: %d} is in use by another client of role %q", id.high, id.low, name)
			}
		}
	}
	a.add(name, r)
	if _, known := a.clients[c]; !known {
		a.clients[c] = name
		r.order = append(r.order, c)
	}
	r.members[c] = id
	before := r.primary
	switch {
	case id != nil && (r.highest == nil || id.compare(*r.highest) >= 0):
		raised := r.highest == nil || id.compare(*r.highest) > 0
		r.highest, r.primary = id, c
		if raised && before == c {
			// The primary raised its id: everybody else learns the new one.
			return r.noticeAll(name), nil
		}
	case before == c:
		r.primary = 0 // it stepped down
	}
	if r.primary != before {
		return r.noticeAll(name), nil
	}
	return []notice{r.notice(name, c)}, nil
}

// leave handles the end of a client's stream.
func (a *arbiter) leave(c clientID) []notice {
	name, ok := a.clients[c]
	if !ok {
		return nil
	}
	delete(a.clients, c)
	r := a.roles[name]
	delete(r.members, c)
	for i, o := range r.order {
		if o == c {
			r.order = append(r.order[:i], r.order[i+1:]...)
			break
		}
	}
	if len(r.members) == 0 && name != "" {
		if r.highest == nil { // nothing to remember
			delete(a.roles, name)
			return nil
		}
		a.idle = append(a.idle, name)
	}
	if r.primary != c {
		return nil
	}
	r.primary = 0
	return r.noticeAll(name)
}

// add makes a role one that has clients, and room for it.
func (a *arbiter) add(name string, r *role) {
	if a.roles[name] == r {
		if i := slices.Index(a.idle, name); i >= 0 {
			a.idle = slices.Delete(a.idle, i, i+1)
		}
		return
	}
	if len(a.roles) >= maxRoles && len(a.idle) > 0 {
		delete(a.roles, a.idle[0])
		a.idle = a.idle[1:]
	}
	a.roles[name] = r
}

func (r *role) notice(name string, c clientID) notice {
	n := notice{to: c, role: name, election: r.highest}
	switch r.primary {
	case c:
		n.code = codes.OK
	case 0:
		n.code = codes.NotFound
	default:
		n.code = codes.AlreadyExists
	}
	return n
}

func (r *role) noticeAll(name string) []notice {
	var out []notice
	for _, c := range r.order {
		out = append(out, r.notice(name, c))
	}
	return out
}

// mayWrite reports whether a request with this role and election id comes from
// the role's primary.
func (a *arbiter) mayWrite(name string, id *electionID) error {
	r := a.roles[name]
	switch {
	case r == nil && name != "":
		return status.Errorf(codes.NotFound, "role %q: no client has that role", name)
	case r == nil:
		return status.Errorf(codes.PermissionDenied, "role %q: no client has taken part in arbitration", name)
	case r.primary == 0:
		return status.Errorf(codes.PermissionDenied, "role %q: there is no primary", name)
	case id == nil:
		return status.Errorf(codes.PermissionDenied, "role %q: the request has no election_id", name)
	case *id != *r.highest:
		return status.Errorf(codes.PermissionDenied, "role %q: election_id {high: %d low: %d} is not the primary's", name, id.high, id.low)
	}
	return nil
}

// primaries lists the primary clients of all roles.
func (a *arbiter) primaries() []clientID {
	var out []clientID
	for _, r := range a.roles {
		if r.primary != 0 {
			out = append(out, r.primary)
		}
	}
	return out
}

// isPrimary reports whether a client is the primary of its role.
func (a *arbiter) isPrimary(c clientID) bool {
	name, ok := a.clients[c]
	return ok && a.roles[name].primary == c
}
