package fabric

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Scenario is a run as people write it, in YAML (docs/sim.md). What is not there has the value of
// defaults. A system adds keys of its own, to the scenario (System.Settings) and to each load (System.Load).
type Scenario struct {
	Name     string           `yaml:"name"`
	About    string           `yaml:"about"`
	Seed     uint64           `yaml:"seed"`
	Until    Span             `yaml:"until"` // the run ends then, or when all loads have
	Uses     string           `yaml:"system"`
	Topology ScenarioTopology `yaml:"topology"`
	Raw      []yaml.Node      `yaml:"loads"` // as they are in the file
	Faults   []ScenarioFault  `yaml:"faults"`

	System   *System        `yaml:"-"` // that Uses names
	Settings Settings       `yaml:"-"` // of it; nil: it has none
	Loads    []ScenarioLoad `yaml:"-"` // that Raw says
}

// ScenarioTopology is what there is.
type ScenarioTopology struct {
	Kind   string `yaml:"kind"`
	Hosts  int    `yaml:"hosts"`
	Leaves int    `yaml:"leaves"`
	Spines int    `yaml:"spines"`
	K      int    `yaml:"k"`
	Pods   int    `yaml:"pods"`
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
	Headroom  Bytes  `yaml:"pfc-headroom"`
	Classes   []int  `yaml:"pfc-classes"`
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
	Post     Span          `yaml:"post"`
	Receive  Span          `yaml:"receive"`
	Complete Span          `yaml:"complete"`
	CPU      ScenarioCosts `yaml:"cpu"`
	Packet   Span          `yaml:"packet"`
}

// ScenarioController is how far away controllers are.
type ScenarioController struct {
	Delay  Span `yaml:"delay"`
	Write  Span `yaml:"write"`
	Hold   Span `yaml:"hold"`
	Silent bool `yaml:"silent"`
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
	Size        Bytes    `yaml:"size"`
	Count       int      `yaml:"count"`
	Outstanding int      `yaml:"outstanding"`
	Start       Span     `yaml:"start"`
	Interval    Span     `yaml:"interval"`
	Arrivals    string   `yaml:"arrivals"`
	Repeat      int      `yaml:"repeat"`
	Step        int      `yaml:"step"`

	Own LoadSettings `yaml:"-"`
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

// Limits: the longest file, and the most loads, so that a system may give a port to each.
const (
	maxScenario = 1 << 20
	maxLoads    = 1<<16 - 1 - 7000
)

// defaults are what a scenario does not say. Where the times come from is in docs/sim.md.
func defaults(sys *System) Scenario {
	link := ScenarioLink{Rate: 100e9, Delay: Span(500 * Nanosecond), Queue: 1 << 20, ECNChance: 0.2}
	edge := ProgramPlain
	if sys.Program != "" {
		edge = sys.Name
	}
	return Scenario{
		Seed: 1, Until: Span(Second),
		Topology: ScenarioTopology{
			Kind: Rack, Edge: edge, Core: ProgramPlain, HostLinks: link, FabricLinks: link,
			Switches:   ScenarioSwitches{Latency: Span(400 * Nanosecond), RouteDelay: Span(Millisecond)},
			Interfaces: ScenarioInterfaces{Post: Span(300 * Nanosecond), Receive: Span(300 * Nanosecond), Complete: Span(300 * Nanosecond)},
			Controller: ScenarioController{Delay: Span(50 * Microsecond), Write: Span(20 * Microsecond), Hold: Span(Second)},
		},
	}
}

// strict decodes a mapping that has known keys only: those of structs that share it. (The library
// forgets to be strict below a type that decodes itself.)
func strict(n *yaml.Node, what string, to ...any) error {
	text, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	text = append(bytes.Repeat([]byte("\n"), max(0, n.Line-1)), text...) // so that errors name the line of the file
	if err := decode(yaml.NewDecoder(bytes.NewReader(text)), to...); err != nil {
		return fmt.Errorf("%s: %w", what, shorten(err))
	}
	return nil
}

// decode reads a document, whose keys are those of several structs.
func decode(d *yaml.Decoder, to ...any) error {
	d.KnownFields(true)
	var fields []reflect.StructField
	for i, p := range to {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeOf(p), Tag: `yaml:",inline"`})
	}
	all := reflect.New(reflect.StructOf(fields))
	for i, p := range to {
		all.Elem().Field(i).Set(reflect.ValueOf(p))
	}
	return d.Decode(all.Interface())
}

// goTypes are names of Go's in what the library says.
var goTypes = regexp.MustCompile(`(into|in type) (struct \{.*|[\w\[\]*]*\.\w+)`)

// shorten makes one line of what the library says.
func shorten(err error) error {
	var te *yaml.TypeError
	if errors.As(err, &te) && len(te.Errors) > 0 {
		var lines []string
		for _, e := range te.Errors {
			lines = append(lines, goTypes.ReplaceAllString(e, "$1 scenario"))
		}
		return errors.New(strings.Join(lines, "; "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

// Scenario reads a scenario, which names one of the systems. Unknown keys are errors.
func (list Systems) Scenario(text []byte) (*Scenario, error) {
	if len(text) > maxScenario {
		return nil, fmt.Errorf("scenario: %d bytes: at most %d", len(text), maxScenario)
	}
	s, err := list.parse(text)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	return s, nil
}

func (list Systems) parse(text []byte) (*Scenario, error) {
	var head struct {
		System string `yaml:"system"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&head); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty")
		}
		return nil, shorten(err)
	}
	sys, err := list.named(head.System)
	if err != nil {
		return nil, err
	}
	s := defaults(sys)
	to := []any{&s}
	if s.System = sys; sys.Settings != nil {
		s.Settings = sys.Settings()
		to = append(to, s.Settings)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := decode(d, to...); err != nil {
		return nil, shorten(err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file has more than one document")
	}
	for i := range s.Raw {
		l := ScenarioLoad{Size: 1024, Count: 1000, Outstanding: 16, Repeat: 1, Own: sys.Load()}
		if err := strict(&s.Raw[i], "load", &l, l.Own); err != nil {
			return nil, err
		}
		l.Name = cmp.Or(l.Name, fmt.Sprintf("load%d", i+1))
		s.Loads = append(s.Loads, l)
	}
	return &s, nil
}

func (s *Scenario) check() error {
	t := &s.Topology
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Until <= 0 {
		add("until: want more than 0")
	}
	if len(s.Loads) == 0 {
		add("loads: none given")
	}
	for what, v := range map[string]Span{
		"latency": t.Switches.Latency, "route-delay": t.Switches.RouteDelay, "post": t.Interfaces.Post, "receive": t.Interfaces.Receive,
		"complete": t.Interfaces.Complete, "packet": t.Interfaces.Packet, "controller delay": t.Controller.Delay, "controller write": t.Controller.Write, "clock offset": t.Clocks.Offset,
		"cpu value": t.Interfaces.CPU.Value, "cpu request": t.Interfaces.CPU.Request, "cpu completion": t.Interfaces.CPU.Completion,
		"cpu sent": t.Interfaces.CPU.Sent, "cpu received": t.Interfaces.CPU.Received,
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
	if err := s.topology().check(s.System); err != nil {
		add("topology: %w", err)
	}
	for what, l := range map[string]*ScenarioLink{"host-links": &t.HostLinks, "fabric-links": &t.FabricLinks} {
		if err := l.check(); err != nil {
			add("%s: %w", what, err)
		}
	}
	if s.Settings != nil {
		if err := s.Settings.Check(s.topology()); err != nil {
			add("%w", err)
		}
	}
	names, count := map[string]bool{}, 0
	for i := range s.Loads {
		l := &s.Loads[i]
		if names[l.Name] {
			add("load %s: the name is used twice", l.Name)
		}
		names[l.Name] = true
		c, err := l.config()
		if err == nil {
			err = errors.Join(c.check(l.Own), l.Own.Check(&c))
		}
		if err == nil && (l.Repeat < 1 || l.Repeat > maxLoads || l.Step < 0 || l.Step > maxLoads) {
			err = fmt.Errorf("repeat and step: want up to %d", maxLoads)
		}
		if count += l.Repeat; err == nil && count > maxLoads {
			err = fmt.Errorf("more than %d loads", maxLoads)
		}
		if err != nil {
			add("load %s: %w", l.Name, err)
		}
	}
	for i, x := range s.Faults {
		switch {
		case x.Link == "":
			add("fault %d: want a link", i+1)
		case x.At < 0 || x.For < 0:
			add("fault %d: negative time", i+1)
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
		PFCStop: int(l.PFCStop), PFCGo: int(l.PFCGo), PFCHeadroom: int(l.Headroom), PFCClasses: classes(l.Classes), Faults: Faults{Loss: float64(l.Loss), Duplicate: float64(l.Duplicate), Corrupt: float64(l.Corrupt)},
	}
}

// classes has a bit for each class.
func classes(list []int) (bits uint8) {
	for _, c := range list {
		bits |= 1 << c
	}
	return bits
}

// check says why these are no links.
func (l *ScenarioLink) check() error {
	for _, c := range l.Classes {
		if c < 0 || c >= Classes {
			return fmt.Errorf("pfc-classes: %d: want 0 to %d", c, Classes-1)
		}
	}
	c := l.config()
	return c.check()
}

func (l *ScenarioLoad) config() (c LoadConfig, err error) {
	if l.Arrivals != "" && l.Arrivals != "regular" && l.Arrivals != "random" {
		err = fmt.Errorf("arrivals %q: want regular or random", l.Arrivals)
	}
	return LoadConfig{
		Name: l.Name, From: l.From, To: l.To, Size: int(l.Size), Count: l.Count, Outstanding: l.Outstanding,
		Start: Time(l.Start), Interval: Time(l.Interval), Poisson: l.Arrivals == "random",
	}, err
}

// topology is what Build takes, but for the clocks.
func (s *Scenario) topology() *TopologyConfig {
	t := &s.Topology
	return &TopologyConfig{
		Kind: t.Kind, Hosts: t.Hosts, Leaves: t.Leaves, Spines: t.Spines, K: t.K, Pods: t.Pods, Edge: t.Edge, Core: t.Core,
		Host: HostConfig{
			Post: Time(t.Interfaces.Post), Receive: Time(t.Interfaces.Receive), Complete: Time(t.Interfaces.Complete), CPU: t.Interfaces.CPU.costs(), Packet: Time(t.Interfaces.Packet),
		},
		HostLink: t.HostLinks.config(), FabricLink: t.FabricLinks.config(), Latency: Time(t.Switches.Latency), ECMP: t.Switches.ECMP,
		Controller: ControllerConfig{Delay: Time(t.Controller.Delay), Write: Time(t.Controller.Write), Hold: Time(t.Controller.Hold), Silent: t.Controller.Silent}, RouteDelay: Time(t.Switches.RouteDelay),
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
	if err := f.Use(s.System, s.Settings); err != nil {
		return nil, err
	}
	t := s.topology()
	if c := s.Topology.Clocks; c != (ScenarioClocks{}) {
		clocks := func(kind string) func(int) Clock {
			return func(n int) Clock {
				r := f.Rand(fmt.Sprintf("clock %s %d", kind, n))
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
			load, err := r.Fabric.NewLoad(len(r.Loads), one, l.Own)
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
			return fmt.Errorf("links: no link %s", name)
		}
		to := t.FabricLinks
		if _, ok := l.Half[0].From.(*Host); ok {
			to = t.HostLinks
		}
		if err := strict(t.Links[name].node, "link", &to); err != nil {
			return err
		}
		if err := to.check(); err != nil {
			return fmt.Errorf("link %s: %w", name, err)
		}
		l.Config = to.config()
	}
	return nil
}

// fault arranges for a fault.
func (f *Fabric) fault(x *ScenarioFault) error {
	l, ok := f.Link(x.Link)
	if !ok {
		return fmt.Errorf("no link %s", x.Link)
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

// Finish runs until all loads are over, or the scenario's end. It is an error when the network, or
// the system, breaks a property of its own.
func (r *Run) Finish() error {
	if err := r.Fabric.RunWhile(Time(r.Scenario.Until), func() bool { return !r.Over() }); err != nil {
		return err
	}
	return r.Fabric.Check()
}
