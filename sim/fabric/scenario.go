package fabric

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Scenario is a run as people write it, in YAML (docs/sim.md). What is not there has the value of
// Defaults.
type Scenario struct {
	Name     string           `yaml:"name"`
	About    string           `yaml:"about"`
	Seed     uint64           `yaml:"seed"`
	Until    Span             `yaml:"until"` // the run ends then, or when all loads have
	Topology ScenarioTopology `yaml:"topology"`
	Loads    []ScenarioLoad   `yaml:"loads"`
	Faults   []ScenarioFault  `yaml:"faults"`
	DCQCN    ScenarioDCQCN    `yaml:"dcqcn"`
}

// ScenarioDCQCN are the parameters of the loads that react to congestion. What is not there has
// the default of package dcqcn.
type ScenarioDCQCN struct {
	G             float64 `yaml:"g"`
	AlphaInterval Span    `yaml:"alpha-interval"`
	IncreaseTimer Span    `yaml:"increase-timer"`
	ByteCounter   Bytes   `yaml:"byte-counter"`
	FastRecovery  int     `yaml:"fast-recovery"`
	RateAI        Rate    `yaml:"rate-ai"`
	RateHAI       Rate    `yaml:"rate-hai"`
	MinRate       Rate    `yaml:"min-rate"`
}

// params are those for a line rate that the sender's link says.
func (d *ScenarioDCQCN) params() *dcqcn.Params {
	return &dcqcn.Params{
		G: d.G, AlphaInterval: Time(d.AlphaInterval).Duration(), IncreaseTimer: Time(d.IncreaseTimer).Duration(), ByteCounter: uint64(d.ByteCounter),
		FastRecovery: d.FastRecovery, RateAI: uint64(d.RateAI), RateHAI: uint64(d.RateHAI), MinRate: uint64(d.MinRate),
	}
}

// ScenarioTopology is what there is.
type ScenarioTopology struct {
	Kind   string `yaml:"kind"`
	Hosts  int    `yaml:"hosts"`
	Leaves int    `yaml:"leaves"`
	Spines int    `yaml:"spines"`
	K      int    `yaml:"k"`
	Edge   string `yaml:"edge"`
	Core   string `yaml:"core"`

	HostLinks   ScenarioLink       `yaml:"host-links"`
	FabricLinks ScenarioLink       `yaml:"fabric-links"`
	Links       map[string]patch   `yaml:"links"` // what is different about some, by name
	Switches    ScenarioSwitches   `yaml:"switches"`
	Interfaces  ScenarioInterfaces `yaml:"interfaces"`
	Controller  ScenarioController `yaml:"controller"`
	Clocks      ScenarioClocks     `yaml:"clocks"`
}

// ScenarioLink is what links are like.
type ScenarioLink struct {
	Rate      Rate   `yaml:"rate"`
	Delay     Span   `yaml:"delay"`
	Queue     Bytes  `yaml:"queue"`
	ECNMin    Bytes  `yaml:"ecn-min"`
	ECNMax    Bytes  `yaml:"ecn-max"`
	ECNChance Chance `yaml:"ecn-chance"`
	PFCStop   Bytes  `yaml:"pfc-stop"`
	PFCGo     Bytes  `yaml:"pfc-go"`
	Loss      Chance `yaml:"loss"`
	Duplicate Chance `yaml:"duplicate"`
	Corrupt   Chance `yaml:"corrupt"`
}

// patch is a mapping that is read when it is known what it changes.
type patch struct{ node *yaml.Node }

// UnmarshalYAML implements yaml.Unmarshaler. The keys are checked, whatever the link.
func (p *patch) UnmarshalYAML(n *yaml.Node) error {
	p.node = n
	return strict(n, "link", &ScenarioLink{})
}

// ScenarioSwitches is what switches take.
type ScenarioSwitches struct {
	Latency    Span   `yaml:"latency"`
	RouteDelay Span   `yaml:"route-delay"`
	ECMP       string `yaml:"ecmp"`
}

// ScenarioInterfaces is what hosts take.
type ScenarioInterfaces struct {
	Post     Span `yaml:"post"`
	Receive  Span `yaml:"receive"`
	Complete Span `yaml:"complete"`
}

// ScenarioController is how far away controllers are.
type ScenarioController struct {
	Delay Span `yaml:"delay"`
	Write Span `yaml:"write"`
	Hold  Span `yaml:"hold"`
}

// ScenarioClocks is how wrong clocks are: each has an offset from 0 to Offset, and a drift from
// -Drift to Drift parts per million.
type ScenarioClocks struct {
	Offset Span    `yaml:"offset"`
	Drift  float64 `yaml:"drift"`
}

// ScenarioLoad is a sender at work. Repeat makes so many of it: the hosts of each have numbers
// that are Step further on than those of the one before, round and round.
type ScenarioLoad struct {
	Name        string   `yaml:"name"`
	From        string   `yaml:"from"`
	To          []string `yaml:"to"`
	Via         string   `yaml:"via"`
	Policy      string   `yaml:"policy"`
	Size        Bytes    `yaml:"size"`
	Count       int      `yaml:"count"`
	Outstanding int      `yaml:"outstanding"`
	Start       Span     `yaml:"start"`
	Interval    Span     `yaml:"interval"`
	Arrivals    string   `yaml:"arrivals"`
	MTU         int      `yaml:"mtu"`
	Window      int      `yaml:"window"`
	AckTimeout  Span     `yaml:"ack-timeout"`
	ECN         bool     `yaml:"ecn"`
	DCQCN       bool     `yaml:"dcqcn"`
	Repeat      int      `yaml:"repeat"`
	Step        int      `yaml:"step"`
}

// ScenarioFault is something that goes wrong with a link at a time, for a time. Without For it
// stays.
type ScenarioFault struct {
	At        Span    `yaml:"at"`
	For       Span    `yaml:"for"`
	Link      string  `yaml:"link"`
	Down      bool    `yaml:"down"`
	Loss      *Chance `yaml:"loss"`
	Duplicate *Chance `yaml:"duplicate"`
	Corrupt   *Chance `yaml:"corrupt"`
}

// Limits: the longest file, and the most loads, which have a port each.
const (
	maxScenario = 1 << 20
	maxLoads    = 1<<16 - 1 - firstPort
)

// defaults are what a scenario does not say. Where the times come from is in docs/sim.md.
func defaults() Scenario {
	link := ScenarioLink{Rate: 100e9, Delay: Span(500 * Nanosecond), Queue: 1 << 20, ECNChance: 0.2}
	return Scenario{
		Seed: 1, Until: Span(Second),
		Topology: ScenarioTopology{
			Kind: Rack, Edge: ProgramRDMA, Core: ProgramPlain, HostLinks: link, FabricLinks: link,
			Switches:   ScenarioSwitches{Latency: Span(400 * Nanosecond), RouteDelay: Span(Millisecond)},
			Interfaces: ScenarioInterfaces{Post: Span(300 * Nanosecond), Receive: Span(300 * Nanosecond), Complete: Span(300 * Nanosecond)},
			Controller: ScenarioController{Delay: Span(50 * Microsecond), Write: Span(20 * Microsecond), Hold: Span(Second)},
		},
	}
}

// UnmarshalYAML gives a load its defaults.
func (l *ScenarioLoad) UnmarshalYAML(n *yaml.Node) error {
	type plain ScenarioLoad
	p := plain{Via: ViaGroup, Policy: "quorum", Size: 1024, Count: 1000, Outstanding: 16, Window: 128, MTU: 1024, AckTimeout: Span(Millisecond), Repeat: 1}
	if err := strict(n, "load", &p); err != nil {
		return err
	}
	*l = ScenarioLoad(p)
	return nil
}

// strict decodes a mapping that has known keys only. (The library forgets to be strict below a
// type that decodes itself.)
func strict[T any](n *yaml.Node, what string, to *T) error {
	text, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	text = append(bytes.Repeat([]byte("\n"), max(0, n.Line-1)), text...) // so that errors name the line of the file
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("%s: %w", what, shorten(err))
	}
	return nil
}

// shorten makes one line of what the library says.
func shorten(err error) error {
	var te *yaml.TypeError
	if errors.As(err, &te) && len(te.Errors) > 0 {
		msg := strings.Join(te.Errors, "; ")
		for _, t := range []string{"fabric.Scenario", "fabric.plain"} {
			msg = strings.ReplaceAll(msg, t, "scenario")
		}
		return errors.New(msg)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

// ParseScenario reads a scenario. Unknown keys are errors.
func ParseScenario(text []byte) (s *Scenario, err error) {
	if len(text) > maxScenario {
		return nil, fmt.Errorf("scenario: %d bytes: at most %d", len(text), maxScenario)
	}
	def := defaults()
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&def); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("scenario: the file is empty")
		}
		return nil, fmt.Errorf("scenario: %w", shorten(err))
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("scenario: there is more than one document in the file")
	}
	if err := def.check(); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	return &def, nil
}

func (s *Scenario) check() error {
	t := &s.Topology
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Until <= 0 {
		add("until: want more than 0")
	}
	if len(s.Loads) == 0 {
		add("loads: there are none")
	}
	for what, v := range map[string]Span{
		"latency": t.Switches.Latency, "route-delay": t.Switches.RouteDelay, "post": t.Interfaces.Post, "receive": t.Interfaces.Receive,
		"complete": t.Interfaces.Complete, "controller delay": t.Controller.Delay, "controller write": t.Controller.Write, "clock offset": t.Clocks.Offset,
	} {
		if v < 0 {
			add("%s: below 0", what)
		}
	}
	if t.Controller.Hold < Span(Millisecond) {
		add("controller hold: want 1ms or more")
	}
	if !(t.Clocks.Drift >= 0 && t.Clocks.Drift <= 1000) {
		add("clocks: drift of %v: want 0 to 1000 parts per million", t.Clocks.Drift)
	}
	if err := s.topology().check(); err != nil {
		add("topology: %w", err)
	}
	for what, l := range map[string]*ScenarioLink{"host-links": &t.HostLinks, "fabric-links": &t.FabricLinks} {
		c := l.config()
		if err := c.check(); err != nil {
			add("%s: %w", what, err)
		}
	}
	for _, l := range []*ScenarioLink{&t.HostLinks, &t.FabricLinks} {
		p := *s.DCQCN.params()
		if p.LineRate = uint64(l.Rate); l.Rate > 0 {
			if err := p.Check(); err != nil {
				add("%w", err)
				break
			}
		}
	}
	names, count := map[string]bool{}, 0
	for i := range s.Loads {
		l := &s.Loads[i]
		if l.Name == "" {
			l.Name = fmt.Sprintf("load%d", i+1)
		}
		if names[l.Name] {
			add("load %s: there are two of that name", l.Name)
		}
		names[l.Name] = true
		c, err := l.config()
		if err == nil {
			err = c.check()
		}
		if err == nil && (l.Repeat < 1 || l.Repeat > maxLoads || l.Step < 0 || l.Step > maxLoads) {
			err = fmt.Errorf("repeat and step: want up to %d", maxLoads)
		}
		if count += l.Repeat; err == nil && count > maxLoads {
			err = fmt.Errorf("there are more than %d loads", maxLoads)
		}
		if err != nil {
			add("load %s: %w", l.Name, err)
		}
	}
	for i, x := range s.Faults {
		switch {
		case x.Link == "":
			add("fault %d: which link?", i+1)
		case x.At < 0 || x.For < 0:
			add("fault %d: a time below 0", i+1)
		case !x.Down && x.Loss == nil && x.Duplicate == nil && x.Corrupt == nil:
			add("fault %d: want down, loss, duplicate or corrupt", i+1)
		}
	}
	if len(errs) > 1 { // maps have no order
		sortErrors(errs)
	}
	return errors.Join(errs...)
}

func (l *ScenarioLink) config() LinkConfig {
	return LinkConfig{
		Rate: uint64(l.Rate), Delay: Time(l.Delay), Queue: int(l.Queue), ECNMin: int(l.ECNMin), ECNMax: int(l.ECNMax), ECNChance: float64(l.ECNChance),
		PFCStop: int(l.PFCStop), PFCGo: int(l.PFCGo), Faults: Faults{Loss: float64(l.Loss), Duplicate: float64(l.Duplicate), Corrupt: float64(l.Corrupt)},
	}
}

func (l *ScenarioLoad) config() (LoadConfig, error) {
	policy, err := private.ParsePolicy(l.Policy)
	if err == nil && l.Arrivals != "" && l.Arrivals != "regular" && l.Arrivals != "random" {
		err = fmt.Errorf("arrivals %q: want regular or random", l.Arrivals)
	}
	if err == nil && (l.AckTimeout <= 0 || l.Window < 1 || l.Window > 1<<20) {
		err = errors.New("ack-timeout and window: want more than 0, and at most 1048576 packets")
	}
	switch l.MTU {
	case 256, 512, 1024, 2048, 4096:
	default:
		err = errors.Join(err, fmt.Errorf("mtu %d: want 256, 512, 1024, 2048 or 4096", l.MTU))
	}
	return LoadConfig{
		Name: l.Name, From: l.From, To: l.To, Via: l.Via, Policy: policy, Size: int(l.Size), Count: l.Count, Outstanding: l.Outstanding,
		Start: Time(l.Start), Interval: Time(l.Interval), Poisson: l.Arrivals == "random",
		QP: QPConfig{MTU: l.MTU, Window: l.Window, AckTimeout: Time(l.AckTimeout).Duration(), ECN: l.ECN},
	}, err
}

// topology is what Build takes, but for the clocks.
func (s *Scenario) topology() *TopologyConfig {
	t := &s.Topology
	return &TopologyConfig{
		Kind: t.Kind, Hosts: t.Hosts, Leaves: t.Leaves, Spines: t.Spines, K: t.K, Edge: t.Edge, Core: t.Core,
		Host:     HostConfig{Post: Time(t.Interfaces.Post), Receive: Time(t.Interfaces.Receive), Complete: Time(t.Interfaces.Complete)},
		HostLink: t.HostLinks.config(), FabricLink: t.FabricLinks.config(), Latency: Time(t.Switches.Latency), ECMP: t.Switches.ECMP,
		Controller: ControllerConfig{Delay: Time(t.Controller.Delay), Write: Time(t.Controller.Write), Hold: Time(t.Controller.Hold)}, RouteDelay: Time(t.Switches.RouteDelay),
	}
}

// Run is a scenario on its way.
type Run struct {
	Scenario *Scenario
	Fabric   *Fabric
	Loads    []*Load
	Hash     *Hash
}

// Begin builds the network of a scenario; taps may be added before Finish.
func (s *Scenario) Begin() (*Run, error) {
	f := New(s.Seed)
	t := s.topology()
	if c := s.Topology.Clocks; c != (ScenarioClocks{}) {
		clocks := func(kind string) func(int) Clock {
			return func(n int) Clock {
				r := f.rand(fmt.Sprintf("clock %s %d", kind, n))
				drift := int64(math.Round((2*r.Float64() - 1) * c.Drift * 1000))
				return Clock{Offset: Time(r.Float64() * float64(c.Offset)), Drift: drift}
			}
		}
		t.HostClock, t.SwitchClock = clocks("host"), clocks("switch")
	}
	run := &Run{Scenario: s, Fabric: f, Hash: NewHash()}
	f.Tap(run.Hash)
	if err := f.Build(*t); err != nil {
		return nil, err
	}
	if err := run.patch(); err != nil {
		return nil, err
	}
	if err := f.Start(); err != nil {
		return nil, err
	}
	if err := run.loads(); err != nil {
		return nil, err
	}
	for i := range s.Faults {
		if err := f.fault(&s.Faults[i]); err != nil {
			return nil, fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	return run, nil
}

// loads makes the loads.
func (r *Run) loads() error {
	for i := range r.Scenario.Loads {
		l := &r.Scenario.Loads[i]
		c, err := l.config()
		if err != nil {
			return err
		}
		if l.DCQCN {
			c.QP.Congestion = r.Scenario.DCQCN.params()
		}
		step := l.Step
		if step == 0 {
			step = 1 + len(l.To)
		}
		for k := range l.Repeat {
			one := c
			if l.Repeat > 1 {
				one.Name = fmt.Sprintf("%s-%d", l.Name, k+1)
				one.From = r.shifted(l.From, k*step)
				one.To = nil
				for _, to := range l.To {
					one.To = append(one.To, r.shifted(to, k*step))
				}
			}
			load, err := r.Fabric.NewLoad(len(r.Loads), one)
			if err != nil {
				return err
			}
			r.Loads = append(r.Loads, load)
		}
	}
	return nil
}

// shifted is the host that is so many further on; a name that is none stays, and is refused.
func (r *Run) shifted(name string, by int) string {
	h, err := r.Fabric.host(name)
	if err != nil {
		return name
	}
	hosts := r.Fabric.Hosts
	return hosts[(slices.Index(hosts, h)+by)%len(hosts)].name
}

// patch changes what is different about some links.
func (r *Run) patch() error {
	t := &r.Scenario.Topology
	for _, name := range slices.Sorted(maps.Keys(t.Links)) {
		l, ok := r.Fabric.Link(name)
		if !ok {
			return fmt.Errorf("links: there is no link %s", name)
		}
		to := t.FabricLinks
		if _, ok := l.Half[0].From.(*Host); ok {
			to = t.HostLinks
		}
		if err := strict(t.Links[name].node, "link", &to); err != nil {
			return err
		}
		c := to.config()
		if err := c.check(); err != nil {
			return fmt.Errorf("link %s: %w", name, err)
		}
		l.Config = c
	}
	return nil
}

// fault arranges for a fault.
func (f *Fabric) fault(x *ScenarioFault) error {
	l, ok := f.Link(x.Link)
	if !ok {
		return fmt.Errorf("there is no link %s", x.Link)
	}
	set := func(to *float64, v *Chance) {
		if v == nil {
			return
		}
		old := *to
		f.At(Time(x.At), func() { *to = float64(*v) })
		if x.For > 0 {
			f.At(Time(x.At+x.For), func() { *to = old })
		}
	}
	set(&l.Config.Faults.Loss, x.Loss)
	set(&l.Config.Faults.Duplicate, x.Duplicate)
	set(&l.Config.Faults.Corrupt, x.Corrupt)
	if x.Down {
		f.At(Time(x.At), func() { f.SetDown(l, true) })
		if x.For > 0 {
			f.At(Time(x.At+x.For), func() { f.SetDown(l, false) })
		}
	}
	return nil
}

// Over reports whether all loads are over.
func (r *Run) Over() bool {
	for _, l := range r.Loads {
		if !l.Over() {
			return false
		}
	}
	return true
}

// Finish runs until all loads are over, or the scenario's end.
func (r *Run) Finish() error {
	return r.Fabric.RunWhile(Time(r.Scenario.Until), func() bool { return !r.Over() })
}
