package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Info describes an application.
type Info struct {
	Name    string `json:"name"`
	Address string `json:"address"` // of the leader, and its UDP port
	// State is waiting (why is in Waiting), taking over, or running.
	State   string `json:"state"`
	Waiting string `json:"waiting,omitempty"`
	// Leader leads in Round; Highest is the highest round that was handed out.
	Leader  string `json:"leader,omitempty"`
	Round   uint32 `json:"round"`
	Highest uint32 `json:"highest_round"`
	// First and Last are the instances that may be used, Next the next one; 0: not known.
	First uint32 `json:"first"`
	Last  uint32 `json:"last"`
	Next  uint32 `json:"next"`
	// Instances is how many may be under way; 0: that is not decided yet.
	Instances uint32 `json:"instances"`
	// TrimTo is the instance below which everything is to be forgotten, by order; 0: no order is being
	// carried out.
	TrimTo    uint32        `json:"trim_to,omitempty"`
	Acceptors []MemberInfo  `json:"acceptors"`
	Others    []MemberInfo  `json:"others"` // that may lead, learn, or become acceptors
	Replicas  []ReplicaInfo `json:"replicas"`
	Stats     AppStats      `json:"stats"`
}

// MemberInfo describes a switch of an application.
type MemberInfo struct {
	Switch string `json:"switch"`
	// On is the switch that this is a place on; empty: it is a switch itself.
	On    string   `json:"on,omitempty"`
	Roles []string `json:"roles"`
	// State is ready, lost, cut off (no link that works leads there from most of the acceptors), forgotten (its registers), catching up (it is new, and what was
	// chosen before it came is being copied), foreign (registers of another deployment), or no room (its
	// program has fewer cells than Info.Instances).
	State string `json:"state"`
	Life  uint32 `json:"life"`
	// First and Last are the instances that its registers admit: what is below First it has forgotten;
	// 0: not known.
	First uint32 `json:"first"`
	Last  uint32 `json:"last"`
}

// ReplicaInfo is what a host has reported last.
type ReplicaInfo struct {
	Host       string        `json:"host"`
	Delivered  uint32        `json:"delivered"` // all below it
	Heard      uint32        `json:"heard"`
	Checkpoint uint32        `json:"checkpoint"`
	Ago        time.Duration `json:"ago_ns"` // since; negative: nothing was heard
	Silent     bool          `json:"silent"`
}

// Used is how much of the ring is in use, from 0 to 1.
func (i *Info) Used() float64 {
	if i.Next == 0 || i.Instances == 0 {
		return 0
	}
	return float64(i.Next-i.First) / float64(i.Instances)
}

// Info describes the applications.
func (c *Core) Info() []Info {
	out := []Info{}
	for _, a := range c.apps {
		out = append(out, c.info(a))
	}
	return out
}

func (c *Core) info(a *app) Info {
	in := Info{
		Name: a.conf.Name, Address: fmt.Sprintf("%v:%d", a.conf.Leader.IP, Port(a.index)), Highest: a.d.round, First: a.d.first, Last: a.last, Instances: a.ring,
		Acceptors: []MemberInfo{}, Others: []MemberInfo{}, Replicas: []ReplicaInfo{}, Stats: a.stats,
	}
	if a.trimTo != nil {
		in.TrimTo = *a.trimTo
	}
	members := []Member{}
	if a.d.active != nil {
		members = a.d.active.Members
		in.Leader, in.Round = a.d.leader, a.d.active.Round
	} else {
		for _, n := range a.conf.Acceptors {
			members = append(members, Member{n, a.parts[n].life})
		}
	}
	switch {
	case c.halted != nil:
		in.State, in.Waiting = "waiting", c.halted.Error()
	case a.take != nil:
		in.State, in.Waiting = "taking over", a.take.reason+": "+c.stage(a, a.take)
	case a.leads != nil && c.usable(a, a.leads.on):
		in.State = "running"
	default:
		in.State, in.Waiting = "waiting", c.why(a, members)
	}
	describe := func(name string, m *Member) MemberInfo {
		mi := MemberInfo{Switch: name, On: c.conf.Switches[name].On, State: "ready", Roles: a.roles(name)}
		p, s := a.parts[name], c.switches[name]
		mi.Life = p.life
		switch {
		case p.foreign != 0:
			mi.State = "foreign"
		case p.small:
			mi.State = "no room"
		case !s.up || !p.alive:
			mi.State = "lost"
		case !a.reaches(name):
			mi.State = "cut off"
		case m != nil && p.life != m.Life:
			mi.State = "forgotten"
		case m != nil && slices.ContainsFunc(a.d.before, func(old []Member) bool { return !slices.Contains(old, *m) }):
			mi.State = "catching up"
		}
		return mi
	}
	for i := range members {
		in.Acceptors = append(in.Acceptors, describe(members[i].Switch, &members[i]))
	}
	for _, name := range slices.Sorted(maps.Keys(a.parts)) {
		if !slices.ContainsFunc(members, func(m Member) bool { return m.Switch == name }) {
			in.Others = append(in.Others, describe(name, nil))
		}
	}
	for _, h := range a.hosts() {
		ri := ReplicaInfo{Host: h, Ago: -1}
		if r := a.reports[h]; r != nil {
			ri = ReplicaInfo{h, r.delivered, r.heard, r.checkpoint, c.now - r.at, r.silent}
		}
		in.Replicas = append(in.Replicas, ri)
	}
	return in
}

// stage says how far a take-over is.
func (c *Core) stage(a *app, t *takeover) string {
	var busy []string
	for _, n := range c.conf.Net.Switches() {
		if w := len(c.switches[n].waiting); w > 0 {
			busy = append(busy, fmt.Sprintf("%s (%d requests)", n, w))
		}
	}
	switch {
	case t.leads:
		return fmt.Sprintf("the leader gets its entry; waiting for %v", busy)
	case t.attempt == nil:
		return fmt.Sprintf("switches learn of round %d; waiting for %v", t.term.Round, busy)
	}
	done, all := t.attempt.Progress()
	if t.attempt.State() == paxos.Flooring {
		return fmt.Sprintf("acceptors promise round %d", t.term.Round)
	}
	return fmt.Sprintf("%d of %d instances", done, all)
}

// roles are what a switch is in an application, or may be.
func (a *app) roles(name string) (out []string) {
	for _, r := range []struct {
		is   []string
		what string
	}{{a.conf.Leaders, "leader"}, {a.conf.Acceptors, "acceptor"}, {a.conf.Spares, "spare"}, {a.conf.Learners, "learner"}} {
		if slices.Contains(r.is, name) {
			out = append(out, r.what)
		}
	}
	return out
}

// why says what an application waits for.
func (c *Core) why(a *app, members []Member) string {
	lost := func(members []Member) (out []string) {
		for _, m := range members {
			if !c.sound(a, m) {
				text := m.Switch
				switch p := a.parts[m.Switch]; {
				case c.switches[m.Switch].up && !a.reaches(m.Switch):
					text += " (no link that works leads there)"
				case p != nil && p.small:
					text = fmt.Sprintf("%s (has room for %d instances, not %d)", text, c.switches[m.Switch].room, a.ring)
				}
				out = append(out, text)
			}
		}
		return out
	}
	if l := lost(members); len(l) > 0 && (a.d.active == nil || 2*len(l) >= len(members)) {
		return "acceptors: " + strings.Join(l, ", ")
	}
	for _, members := range a.d.before {
		if l := lost(members); 2*len(l) >= len(members) {
			return "earlier acceptors, which alone may know what was chosen: " + strings.Join(l, ", ")
		}
	}
	_, can := c.candidate(a, true)
	if !can {
		return "a switch that may lead: " + strings.Join(a.conf.Leaders, ", ")
	}
	return "switches"
}

// Status is what GET /v1/status says about a switch, besides what it says of all.
type Status struct {
	MAC   string `json:"mac"`
	Roles []Role `json:"roles"`
	// Down are the ports to other switches that do not work.
	Down []uint16 `json:"down,omitempty"`
}

// Role is what a switch is in one application.
type Role struct {
	Application string   `json:"application"`
	Roles       []string `json:"roles"`
	Leads       bool     `json:"leads"`
}

// Status implements session.App.
func (a *App) Status() any {
	st := Status{MAC: macString(a.d.conf.Switches[a.name].MAC), Roles: []Role{}}
	_ = a.d.loop.Look(a.d.loop.Life(), func() { // else it is ending
		for _, ap := range a.d.core.apps {
			if r := ap.roles(a.name); r != nil {
				st.Roles = append(st.Roles, Role{ap.conf.Name, r, ap.leads != nil && ap.leads.on == a.name})
			}
		}
		for _, p := range a.d.core.links.Down() {
			if p.Switch == a.name {
				st.Down = append(st.Down, p.Port)
			}
		}
	})
	return st
}

// first reports whether this is the switch whose App speaks for the whole deployment.
func (a *App) first() bool { return a.name == a.d.conf.Net.Switches()[0] }

// Admin implements session.App: all applications are at applications, and POST to
// applications/NAME/lead makes the switch lead one, and to
// applications/NAME/trim, of any switch, trims one.
func (a *App) Admin(ctx context.Context, method, path string, _ []byte) (any, error) {
	if method == http.MethodGet && path == "applications" && a.first() {
		return a.d.Applications(ctx)
	}
	if rest, ok := strings.CutPrefix(path, "applications/"); ok && method == http.MethodPost {
		order := func(do func(name string) error, name string) (any, error) {
			return struct{}{}, a.d.loop.Ask(ctx, func() error {
				if err := do(name); err != nil {
					return &admin.Error{Status: http.StatusConflict, Text: err.Error()}
				}
				return nil
			})
		}
		if name, ok := strings.CutSuffix(rest, "/lead"); ok {
			return order(func(name string) error { return a.d.core.Lead(a.d.loop.Now(), name, a.name) }, name)
		}
		if name, ok := strings.CutSuffix(rest, "/trim"); ok {
			return order(func(name string) error { return a.d.core.Trim(a.d.loop.Now(), name) }, name)
		}
	}
	return nil, session.ErrNoSuchPath
}

// Applications describes the applications, with what the leaders' registers say.
func (d *deployment) Applications(ctx context.Context) ([]Info, error) {
	var out []Info
	if err := d.loop.Look(ctx, func() { out = d.core.Info() }); err != nil {
		return nil, err
	}
	late := d.loop.Health()
	for i := range out {
		if late != nil {
			out[i].State, out[i].Waiting = "waiting", late.Error()
		}
		d.windows(ctx, i, out[i].Acceptors, out[i].Others)
		if out[i].State != "running" {
			continue
		}
		a := d.apps[out[i].Leader]
		if v, err := a.Client().ReadRegister(ctx, a.Info(), names.RegisterNext, i); err == nil && len(v) == 1 {
			out[i].Next = uint32(v[0][0])
		}
	}
	return out, nil
}

// windows reads which instances switches admit. One that does not answer does not hold up the others for
// long.
func (d *deployment) windows(ctx context.Context, app int, lists ...[]MemberInfo) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	for _, list := range lists {
		for m := range list {
			all.Go(func() { d.window(ctx, app, &list[m]) })
		}
	}
}

// window reads which instances a switch admits.
func (d *deployment) window(ctx context.Context, app int, m *MemberInfo) {
	if m.State == "lost" || m.State == "foreign" || m.State == "no room" {
		return
	}
	a, app := d.apps[d.conf.at(m.Switch)], d.conf.number(app, m.Switch)
	for register, to := range map[string]*uint32{names.RegisterFirst: &m.First, names.RegisterLast: &m.Last} {
		if v, err := a.Client().ReadRegister(ctx, a.Info(), register, app); err == nil && len(v) == 1 {
			*to = uint32(v[0][0])
		}
	}
}

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

// AdminClient asks a controller about the applications of its deployment.
type AdminClient struct{ *admin.Client }

// NewAdminClient makes a client for "unix:PATH" or "ADDRESS:PORT".
func NewAdminClient(addr string) *AdminClient { return &AdminClient{admin.NewClient(addr)} }

// Applications lists all applications.
func (c *AdminClient) Applications(ctx context.Context) ([]Info, error) {
	var out []Info
	return out, c.Get(ctx, "/v1/applications", &out)
}

// Application describes one.
func (c *AdminClient) Application(ctx context.Context, name string) (*Info, error) {
	list, err := c.Applications(ctx)
	if err != nil {
		return nil, err
	}
	var known []string
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
		known = append(known, list[i].Name)
	}
	return nil, fmt.Errorf("application %q: does not exist [applications: %s]", name, strings.Join(known, ", "))
}

// Lead makes a switch lead an application.
func (c *AdminClient) Lead(ctx context.Context, application, name string) error {
	if application == "" || name == "" {
		return errors.New("lead: an application and a switch are needed")
	}
	return c.Post(ctx, fmt.Sprintf("/v1/switches/%s/applications/%s/lead", url.PathEscape(name), url.PathEscape(application)))
}

// What is exported about a deployment, besides what its sessions export. The switch is the
// first one of the deployment.
var (
	descRound   = session.Desc("paxos_round", "Round of an application's leader.", "application")
	descRunning = session.Desc("paxos_running", "Whether an application has a leader.", "application")
	descReady   = session.Desc("paxos_acceptors_ready", "Acceptors of an application that are connected, and have forgotten nothing.", "application")
	descFirst   = session.Desc("paxos_first_instance", "Lowest instance that is not trimmed.", "application")
	descBehind  = session.Desc("paxos_replica_delivered", "Lowest instance that a replica has not delivered.", "application", "replica")
	descEvents  = session.Desc("paxos_events_total", "What happened to an application.", "application", "event")
	descFrames  = session.Desc("paxos_messages_total", "What the controller did with messages.", "event")
)

// Metrics implements session.App.
func (a *App) Metrics() (out []prometheus.Metric) {
	if !a.first() {
		return nil
	}
	var list []Info
	var st Stats
	foreignProbes := uint64(0)
	if a.d.loop.Look(a.d.loop.Life(), func() {
		list, st = a.d.core.Info(), a.d.core.stats
		for _, name := range a.d.conf.Net.Switches() {
			foreignProbes += a.d.core.switches[name].links.Foreign()
		}
	}) != nil {
		return nil
	}
	for _, in := range list {
		running, ready := 0.0, 0.0
		if in.State == "running" {
			running = 1
		}
		for _, m := range in.Acceptors {
			if m.State == "ready" {
				ready++
			}
		}
		out = append(out, a.Gauge(descRound, float64(in.Round), in.Name), a.Gauge(descRunning, running, in.Name),
			a.Gauge(descReady, ready, in.Name), a.Gauge(descFirst, float64(in.First), in.Name))
		for _, r := range in.Replicas {
			if r.Ago >= 0 {
				out = append(out, a.Gauge(descBehind, float64(r.Delivered), in.Name, r.Host))
			}
		}
		for e, v := range map[string]uint64{
			"take_over": in.Stats.TakeOvers, "acceptor_replaced": in.Stats.Replaced, "acceptors_copied": in.Stats.Copied, "gap": in.Stats.Gaps, "instance_filled": in.Stats.Filled,
			"trim": in.Stats.Trims, "forgotten": in.Stats.Forgotten,
		} {
			out = append(out, a.Count(descEvents, float64(v), in.Name, e))
		}
	}
	for e, v := range map[string]uint64{
		"arp_answered": st.ARPAnswered, "arp_unknown": st.ARPUnknown, "arp_other": st.ARPOther, "report": st.Reports, "answer": st.Answers, "late": st.Late,
		"foreign": st.Foreign, "malformed": st.Malformed, "unknown": st.Unknown, "foreign_probe": foreignProbes, "sent": st.Sent, "unreachable": st.Unreachable, "dropped": a.d.loop.Dropped(),
		"unsent": a.d.unsent.Load(), "record_refused": a.d.loop.Refused(),
		"write": st.Writes, "write_failed": st.WritesFailed, "switch_lost": st.Lost,
	} {
		out = append(out, a.Count(descFrames, float64(v), e))
	}
	return out
}

// Trim asks the replicas of an application for checkpoints, and has the switches forget what is in enough
// of them. It returns an application's description once they have: what is below First is forgotten. The
// error names the replicas that have no checkpoint when the context ends.
func (c *AdminClient) Trim(ctx context.Context, application string) (*Info, error) {
	tick := time.NewTicker(trimLook)
	defer tick.Stop()
	var to uint32
	for n := 0; ; n++ {
		in, err := c.Application(ctx, application)
		if err != nil {
			return nil, err
		}
		if n%trimAgain == 0 && (n == 0 || in.TrimTo != 0) { // what asks for checkpoints may be lost
			at := fmt.Sprintf("/v1/switches/%s/applications/%s/trim", url.PathEscape(cmp.Or(in.Acceptors[0].On, in.Acceptors[0].Switch)), url.PathEscape(application))
			if err := c.Post(ctx, at); err != nil {
				return nil, err
			}
			if in, err = c.Application(ctx, application); err != nil {
				return nil, err
			}
		}
		if in.TrimTo == 0 {
			return in, nil
		}
		to = in.TrimTo
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("application %s: %w: no checkpoints up to instance %d of %s", application, ctx.Err(), to-1, in.without(to))
		}
	}
}

const (
	trimLook  = 50 * time.Millisecond
	trimAgain = 10 // looks
)

// without names the replicas that have no checkpoint of everything below an instance.
func (i *Info) without(to uint32) string {
	var hosts []string
	for _, r := range i.Replicas {
		if after(to, r.Checkpoint) {
			hosts = append(hosts, r.Host)
		}
	}
	return strings.Join(hosts, ", ")
}
