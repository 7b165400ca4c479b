package ctrl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/p4ce/p4ce/ctrl/group"
)

// adminTimeout bounds a request of the admin API.
const adminTimeout = 5 * time.Second

// Status is what GET /v1/status answers.
type Status struct {
	Switches []SwitchStatus `json:"switches"`
}

// SwitchStatus describes one switch.
type SwitchStatus struct {
	Name      string      `json:"name"`
	Address   string      `json:"address"`
	Connected bool        `json:"connected"`
	Primary   bool        `json:"primary"`
	InControl bool        `json:"in_control"` // read back, and taken over
	IPs       []string    `json:"ips"`
	MAC       string      `json:"mac"`
	Hosts     []HostInfo  `json:"hosts"`
	Groups    int         `json:"groups"`
	Waiting   int         `json:"requests_waiting"`
	Stats     group.Stats `json:"stats"`
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

func (c *Controller) handler() http.Handler {
	mux := http.NewServeMux()
	reg := prometheus.NewRegistry()
	reg.MustRegister(newCollector(c))
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	api := func(pattern string, fn func(ctx context.Context, r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), adminTimeout)
			defer cancel()
			v, err := fn(ctx, r)
			w.Header().Set("Content-Type", "application/json")
			var he *httpError
			switch {
			case errors.As(err, &he):
				w.WriteHeader(he.status)
				v = map[string]string{"error": he.text}
			case err != nil:
				w.WriteHeader(http.StatusInternalServerError)
				v = map[string]string{"error": err.Error()}
			}
			_ = json.NewEncoder(w).Encode(v) // the client has gone
		})
	}
	api("GET /v1/status", func(ctx context.Context, _ *http.Request) (any, error) { return c.status(ctx) })
	api("GET /v1/groups", func(ctx context.Context, _ *http.Request) (any, error) { return c.groups(ctx) })
	api("GET /v1/switches/{switch}/groups/{group}", func(ctx context.Context, r *http.Request) (any, error) {
		return c.group(ctx, r.PathValue("switch"), r.PathValue("group"))
	})
	api("DELETE /v1/switches/{switch}/groups/{group}", func(ctx context.Context, r *http.Request) (any, error) {
		return struct{}{}, c.removeGroup(ctx, r.PathValue("switch"), r.PathValue("group"))
	})
	return mux
}

// httpError is an error with a status of its own.
type httpError struct {
	status int
	text   string
}

func (e *httpError) Error() string { return e.text }

func (c *Controller) status(ctx context.Context) (*Status, error) {
	out := &Status{Switches: []SwitchStatus{}}
	for _, s := range c.switches {
		st := SwitchStatus{
			Name: s.conf.Name, Address: s.conf.P4RT.Address, MAC: macString(s.conf.MAC), Waiting: s.worker.waiting(),
			IPs: []string{}, Hosts: []HostInfo{},
		}
		for _, a := range s.conf.IPs {
			st.IPs = append(st.IPs, a.String())
		}
		if err := s.ask(ctx, func() {
			st.Connected, st.Primary, st.InControl = s.connected, s.primary, s.synced
			st.Groups, st.Stats = len(s.core.List()), s.core.Stats()
			for _, h := range s.hosts.List() {
				st.Hosts = append(st.Hosts, HostInfo{h.IP.String(), macString(h.MAC), h.Port, h.Static})
			}
		}); err != nil {
			return nil, err
		}
		out.Switches = append(out.Switches, st)
	}
	return out, nil
}

func (c *Controller) groups(ctx context.Context) ([]GroupInfo, error) {
	out := []GroupInfo{}
	for _, s := range c.switches {
		if err := s.ask(ctx, func() {
			for _, g := range s.core.List() {
				out = append(out, GroupInfo{Switch: s.conf.Name, Info: g})
			}
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// find resolves the names in a path. The switch "-" means the only one.
func (c *Controller) find(sw, index string) (*Switch, uint16, error) {
	n, err := strconv.ParseUint(index, 10, 16)
	if err != nil {
		return nil, 0, &httpError{http.StatusBadRequest, fmt.Sprintf("group %q: is not a number", index)}
	}
	for _, s := range c.switches {
		if s.conf.Name == sw || sw == "-" && len(c.switches) == 1 {
			return s, uint16(n), nil
		}
	}
	return nil, 0, &httpError{http.StatusNotFound, fmt.Sprintf("switch %q: is not one of this controller's", sw)}
}

func (c *Controller) group(ctx context.Context, sw, index string) (*GroupInfo, error) {
	s, n, err := c.find(sw, index)
	if err != nil {
		return nil, err
	}
	out := &GroupInfo{Switch: s.conf.Name}
	found := false
	if err := s.ask(ctx, func() { out.Info, found = s.core.Get(n) }); err != nil {
		return nil, err
	}
	if !found {
		return nil, &httpError{http.StatusNotFound, fmt.Sprintf("group %d: does not exist on switch %s", n, s.conf.Name)}
	}
	counters, err := s.rdma.counters(ctx, s.client, int(n))
	if err != nil {
		return nil, err
	}
	out.Counters = counters
	return out, nil
}

func (c *Controller) removeGroup(ctx context.Context, sw, index string) error {
	s, n, err := c.find(sw, index)
	if err != nil {
		return err
	}
	var rerr error
	if err := s.ask(ctx, func() { rerr = s.core.Remove(s.now(), n) }); err != nil {
		return err
	}
	if rerr != nil {
		return &httpError{http.StatusNotFound, rerr.Error()}
	}
	return nil
}
