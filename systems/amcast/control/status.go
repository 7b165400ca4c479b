package control

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/session"
)

// GroupStatus describes a group.
type GroupStatus struct {
	Number uint8 `json:"number"`
	// State is waiting (Why says for what), changing (an epoch was begun), or running.
	State      string          `json:"state"`
	Why        string          `json:"why,omitempty"`
	Epoch      uint32          `json:"epoch"` // the last complete one
	Begun      uint32          `json:"begun"` // the last one that was begun
	Leader     string          `json:"leader"`
	Members    []MemberStatus  `json:"members"`
	Deliverers []string        `json:"deliverers"`
	Replicas   []ReplicaStatus `json:"replicas"`
}

// MemberStatus describes a member of a group.
type MemberStatus struct {
	Switch string `json:"switch"`
	// State is ready, lost (the controller does not have the switch), forgotten (it has lost its registers), changing, or
	// foreign (it has registers of another deployment).
	State string `json:"state"`
}

// ReplicaStatus describes a replica of a group.
type ReplicaStatus struct {
	Host  string `json:"host"`
	State string `json:"state"` // awaited, there, or failed
}

// HostStatus describes a host.
type HostStatus struct {
	Host   string        `json:"host"`
	State  string        `json:"state"`  // awaited, joining, admitted, left, or failed
	Client uint16        `json:"client"` // if it was ever admitted
	Ago    time.Duration `json:"ago_ns"` // since it was heard of
}

// Groups describes the groups.
func (c *Core) Groups() []GroupStatus {
	out := []GroupStatus{}
	for _, conf := range c.conf.Groups {
		g := c.groups[conf.Number]
		s := GroupStatus{Number: conf.Number, State: "running", Epoch: g.complete, Begun: g.Last, Members: []MemberStatus{}, Deliverers: conf.Deliverers, Replicas: []ReplicaStatus{}}
		members := g.members
		if g.complete == 0 {
			members = g.order()
			s.State, s.Why = "waiting", "for its members"
		} else {
			s.Leader = members[0]
		}
		if g.change != nil {
			s.State, members = "changing", g.change.members
		} else if g.why != nil {
			s.State, s.Why = "waiting", g.why.Error()
		}
		if c.halted != nil {
			s.State, s.Why = "waiting", c.halted.Error()
		}
		for _, m := range members {
			s.Members = append(s.Members, MemberStatus{m, [...]string{absent: "lost", foreign: "foreign", blank: "forgotten", holds: "changing", serves: "ready"}[c.stands(g, m)]})
		}
		for i, r := range conf.Replicas {
			state := "there"
			switch h := c.hosts[r]; {
			case !g.alive(c, i):
				state = "failed"
			case h.Token == 0:
				state = "awaited"
			}
			s.Replicas = append(s.Replicas, ReplicaStatus{r, state})
		}
		out = append(out, s)
	}
	return out
}

// Hosts describes the hosts.
func (c *Core) Hosts() []HostStatus {
	out := []HostStatus{}
	for _, x := range c.conf.Net.Hosts() {
		h := c.hosts[x.Name]
		s := HostStatus{Host: x.Name, State: "admitted", Client: h.Client, Ago: c.now - h.heard}
		switch {
		case h.Token == 0:
			s.State = "awaited"
		case h.Failed:
			s.State = "failed"
		case h.Left:
			s.State = "left"
		case !h.told:
			s.State = "joining"
		}
		out = append(out, s)
	}
	return out
}

// first reports whether this is the switch whose App speaks for the whole deployment.
func (a *App) first() bool { return a.name == a.d.conf.Net.Switches()[0] }

// Admin implements session.App: all groups are at groups, all hosts at hosts, and PUT of a list of switches to
// groups/NUMBER/members makes them the group's members, the first one its leader.
func (a *App) Admin(ctx context.Context, method, path string, body []byte) (any, error) {
	if method == http.MethodGet && a.first() {
		var out any
		looks := map[string]func(){"groups": func() { out = a.d.core.Groups() }, "hosts": func() { out = a.d.core.Hosts() }}
		if look := looks[path]; look != nil {
			err := a.d.loop.Look(ctx, look)
			return out, err
		}
	}
	rest, ok := strings.CutPrefix(path, "groups/")
	number, isMembers := strings.CutSuffix(rest, "/members")
	if !ok || !isMembers || method != http.MethodPut {
		return nil, session.ErrNoSuchPath
	}
	bad := func(err error) error { return &admin.Error{Status: http.StatusConflict, Text: err.Error()} }
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil {
		return nil, bad(fmt.Errorf("group %q: want a number from 1 to 255", number))
	}
	var members []string
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, bad(fmt.Errorf("members: want a list of switches: %w", err))
	}
	err = a.d.loop.Ask(ctx, func() error {
		if err := a.d.core.Members(a.d.loop.Now(), uint8(n), members); err != nil {
			return bad(err)
		}
		return nil
	})
	return struct{}{}, err
}

// Status is what GET /v1/status says about a switch, besides what it says of all.
type Status struct {
	Roles []RoleStatus `json:"roles"`
}

// RoleStatus is what a switch is in a group.
type RoleStatus struct {
	Group uint8  `json:"group"`
	Role  string `json:"role"`  // leader, follower, spare or deliverer
	Port  uint16 `json:"port"`  // UDP
	Epoch uint32 `json:"epoch"` // of a leader or a follower
}

// Status implements session.App.
func (a *App) Status() any {
	st := Status{Roles: []RoleStatus{}}
	_ = a.d.loop.Look(a.d.loop.Life(), func() { // else it is ending
		for role, d := range a.d.conf.roles[a.name] {
			g := a.d.core.groups[d.group]
			r := RoleStatus{Group: d.group, Role: "deliverer", Port: rolePort(role)}
			if i := slices.Index(g.members, a.name); !d.deliver {
				r.Role = "spare"
				if i >= 0 {
					r.Role, r.Epoch = "follower", g.complete
				}
				if i == 0 {
					r.Role = "leader"
				}
			}
			st.Roles = append(st.Roles, r)
		}
	})
	return st
}

// StatusOf is what the application says in a switch's status.
func StatusOf(s *admin.SwitchStatus) (*Status, error) {
	if s.Program != Program {
		return nil, fmt.Errorf("switch %s: runs %s, not %s", s.Name, s.Program, Program)
	}
	var out Status
	if err := json.Unmarshal(s.State, &out); err != nil {
		return nil, fmt.Errorf("switch %s: status: %w", s.Name, err)
	}
	return &out, nil
}

// AdminClient asks a controller about the groups of its deployment.
type AdminClient struct{ *admin.Client }

// Groups lists the groups.
func (c *AdminClient) Groups(ctx context.Context) (out []GroupStatus, err error) {
	return out, c.Get(ctx, "/v1/groups", &out)
}

// Hosts lists the hosts.
func (c *AdminClient) Hosts(ctx context.Context) (out []HostStatus, err error) {
	return out, c.Get(ctx, "/v1/hosts", &out)
}

// SetMembers asks for other members of a group, the leader first. It returns when that is recorded.
func (c *AdminClient) SetMembers(ctx context.Context, group uint8, members []string) error {
	if len(members) == 0 {
		return fmt.Errorf("group %d: no members are named", group)
	}
	return c.Put(ctx, fmt.Sprintf("/v1/switches/%s/groups/%d/members", url.PathEscape(members[0]), group), members)
}

// What is exported about a deployment, besides what its sessions export. The switch is the first one of the deployment.
var (
	descEpoch   = session.Desc("amcast_epoch", "Epoch of a group, the last complete one.", "group")
	descRunning = session.Desc("amcast_running", "Whether a group has its leader, and no epoch is under way.", "group")
	descEvents  = session.Desc("amcast_events_total", "What the controller has done, and seen.", "event")
)

// Metrics implements session.App.
func (a *App) Metrics() (out []prometheus.Metric) {
	if !a.first() {
		return nil
	}
	var list []GroupStatus
	var st Stats
	if a.d.loop.Look(a.d.loop.Life(), func() { list, st = a.d.core.Groups(), a.d.core.stats }) != nil {
		return nil
	}
	for _, g := range list {
		number := fmt.Sprint(g.Number)
		out = append(out, a.Gauge(descEpoch, float64(g.Epoch), number), a.Gauge(descRunning, float64(bit(g.State == "running")), number))
	}
	for event, n := range map[string]uint64{
		"epoch": st.Epochs, "epoch_abandoned": st.Abandoned, "amnesia": st.Amnesia, "hello": st.Hellos, "foreign": st.Foreign,
		"host_failed": st.Failed, "write_failed": st.Unwritten,
	} {
		out = append(out, a.Count(descEvents, float64(n), event))
	}
	return out
}
