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

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// Status is what GET /v1/status says about a switch, besides what it says of all.
type Status struct {
	IPs   []string   `json:"ips"`
	MAC   string     `json:"mac"`
	Hosts []HostInfo `json:"hosts"`
	// Down are the ports to other switches of a topology that do not work.
	Down []uint16 `json:"down,omitempty"`
	// Gather is where the program gathers: "ingress" or "egress".
	Gather string      `json:"gather"`
	Groups int         `json:"groups"`
	Stats  group.Stats `json:"stats"`
}

// HostInfo describes an attached host.
type HostInfo struct {
	IP     string `json:"ip"`
	MAC    string `json:"mac"`
	Port   uint16 `json:"port"`
	Static bool   `json:"static"`
}

// GroupInfo is a group, and the switch that it is on.
type GroupInfo struct {
	Switch string `json:"switch"`
	group.Info
	// Counters are the switch's, only in the answer for one group.
	Counters *GroupCounters `json:"counters,omitempty"`
}

// GroupCounters are what the switch has counted for a group.
type GroupCounters struct {
	Scattered      uint64 `json:"scattered"` // requests of the leader
	ScatteredBytes uint64 `json:"scattered_bytes"`
	Gathered       uint64 `json:"gathered"` // ACKs and NAKs of the replicas
	Answered       uint64 `json:"answered"` // of these, sent to the leader
	NAKs           uint64 `json:"naks"`
	// Committed is the highest PSN that a quorum holds.
	Committed uint32 `json:"committed_psn"`
	// Sent is the highest PSN that the leader has sent.
	Sent uint32 `json:"sent_psn"`
	// Out are the slots that have fallen behind the window: they do not count any
	// more, until the group is formed anew.
	Out []int `json:"out,omitempty"`
}

// Status implements session.App.
func (a *App) Status() any {
	st := Status{IPs: []string{}, MAC: macString(a.conf.MAC), Hosts: []HostInfo{}, Gather: a.tables.gathers(), Groups: len(a.core.List()), Stats: a.core.Stats()}
	for _, ip := range a.conf.IPs {
		st.IPs = append(st.IPs, ip.String())
	}
	for _, h := range a.hosts.List() {
		st.Hosts = append(st.Hosts, HostInfo{h.IP.String(), macString(h.MAC), h.Port, h.Static})
	}
	if a.conf.fabric != nil {
		for _, p := range a.conf.fabric.DownPorts() {
			if p.Switch == a.conf.name {
				st.Down = append(st.Down, p.Port)
			}
		}
		slices.Sort(st.Down)
	}
	return st
}

// Admin implements session.App: the groups are at groups, one is at groups/INDEX;
// static groups are at made (static.go).
func (a *App) Admin(ctx context.Context, method, path string, body []byte) (any, error) {
	if path == staticPath || strings.HasPrefix(path, staticPath+"/") {
		return a.adminStatic(ctx, method, strings.TrimPrefix(path, staticPath), body)
	}
	if path == "groups" && method == http.MethodGet {
		list := []GroupInfo{}
		err := a.Ask(ctx, func() {
			for _, g := range a.core.List() {
				list = append(list, GroupInfo{Switch: a.Session.Name(), Info: g})
			}
		})
		return list, err
	}
	index, ok := strings.CutPrefix(path, "groups/")
	if !ok {
		return nil, session.ErrNoSuchPath
	}
	n, err := strconv.ParseUint(index, 10, 16)
	if err != nil {
		return nil, &admin.Error{Status: http.StatusBadRequest, Text: fmt.Sprintf("group %q: is not a number", index)}
	}
	switch method {
	case http.MethodGet:
		return a.group(ctx, uint16(n))
	case http.MethodDelete:
		return struct{}{}, a.removeGroup(ctx, uint16(n))
	}
	return nil, session.ErrNoSuchPath
}

func (a *App) group(ctx context.Context, index uint16) (*GroupInfo, error) {
	out := &GroupInfo{Switch: a.Session.Name()}
	found := false
	if err := a.Ask(ctx, func() { out.Info, found = a.core.Get(index) }); err != nil {
		return nil, err
	}
	if !found {
		return nil, &admin.Error{Status: http.StatusNotFound, Text: fmt.Sprintf("group %d: does not exist on switch %s", index, a.Session.Name())}
	}
	var err error
	out.Counters, err = a.tables.counters(ctx, a.Client(), int(index))
	return out, err
}

func (a *App) removeGroup(ctx context.Context, index uint16) error {
	var rerr error
	if err := a.Ask(ctx, func() { rerr = a.core.Remove(a.Now(), index) }); err != nil {
		return err
	}
	if rerr != nil {
		return &admin.Error{Status: http.StatusNotFound, Text: rerr.Error()}
	}
	return nil
}

// AdminClient asks a controller about the groups of its switches.
type AdminClient struct{ *admin.Client }

// NewAdminClient makes a client for "unix:PATH" or "ADDRESS:PORT".
func NewAdminClient(addr string) *AdminClient { return &AdminClient{admin.NewClient(addr)} }

// StatusOf reads what the status says about a switch of this program.
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

// Groups lists the groups of all switches.
func (c *AdminClient) Groups(ctx context.Context) ([]GroupInfo, error) {
	var out []GroupInfo
	return out, c.Get(ctx, "/v1/groups", &out)
}

// Group describes one group, with the switch's counters. The switch may be "-"
// when the controller has only one.
func (c *AdminClient) Group(ctx context.Context, sw string, index int) (*GroupInfo, error) {
	var out GroupInfo
	return &out, c.Get(ctx, groupPath(sw, index), &out)
}

// RemoveGroup dissolves a group.
func (c *AdminClient) RemoveGroup(ctx context.Context, sw string, index int) error {
	return c.Delete(ctx, groupPath(sw, index))
}

func groupPath(sw string, index int) string {
	return fmt.Sprintf("/v1/switches/%s/groups/%d", url.PathEscape(sw), index)
}
