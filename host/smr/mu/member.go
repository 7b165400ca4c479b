package mu

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
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

func hasMember(members []Member, id ID) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.ID == id })
}

// changes reports whether b is a with one server more or less.
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
