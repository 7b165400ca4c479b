package control

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/link/sock"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
)

// Program is the name of the program that this application is for.
const Program = "paxos"

// maxAcceptors is how many acceptors a round can have: bits of the learner.
const maxAcceptors = 5

// Address is where somebody is: on Ethernet, and in IPv4.
type Address struct {
	MAC wire.MAC
	IP  wire.Addr
}

// Switch is one of the deployment.
type Switch struct {
	Name string
	// P4Runtime is where its server listens, DeviceID its device there (default 1).
	P4Runtime string
	DeviceID  uint64
	MAC       wire.MAC
	// Acceptor and Learner are the addresses of these roles on it; the zero address if
	// it never has them. Votes come from the first, what is chosen from the second.
	Acceptor, Learner wire.Addr
	// On is the switch that this is a further place of, for one more acceptor; empty: it is a switch itself. All places of a switch are
	// lost together.
	On string
	// Number is the number of an application that there is not: the place's registers are those of that number.
	Number int
	// Loop are two ports of the switch that a cable joins, or twice the same, which the chip loops back; zeros: there are none. What the
	// switch says to itself, to a place or from one, goes by the first of them and comes in by the second.
	Loop [2]uint16
	// P4Info and DeviceConfig are files with the program that it gets, if that is not the one in this binary
	// (as p4ce controller --p4info and --device-config).
	P4Info, DeviceConfig string
	// Pipes says on which pipe of the chip ports are. Messages of a role may come by any port, so all that are in use must be on one.
	Pipes topology.Pipes
}

// Application is one replicated log. Its number is its place in Config.Apps.
type Application struct {
	Name string
	// Leader is the address that requests are sent to, whoever leads.
	Leader Address
	// Leaders are the switches that may lead; the first one that can does.
	Leaders []string
	// Acceptors are those that it begins with: an odd number is best. Spares take the
	// place of one that is lost.
	Acceptors, Spares []string
	Learners          []string
	// Replicas and Proposers are hosts; one may be both.
	Replicas, Proposers []string
	// State says where a replica gives its state to others that are too far behind: HOST:PORT,
	// or unix:PATH. That is between hosts: switches and the controller have no part in it.
	State map[string]string
	// Instances is how many instances may be under way: every switch needs room for them. With 0, it is as
	// many as all switches have room for when the application begins. It never changes afterwards.
	Instances uint32
}

// maxInstances is how many instances may be under way at most: hosts have room for no more.
const maxInstances = 1 << 16

// Config is a deployment: switches, how they are wired, and what runs on them.
type Config struct {
	Net        *topology.Network
	Controller Address // who asks acceptors, and whom hosts report to
	Switches   map[string]*Switch
	Hosts      map[string]Address
	Apps       []Application
	Timing     Timing
}

// Timing is how patient the controller is. The zero value means the defaults.
type Timing struct {
	// Fresh is how long a report counts (default 300 ms). Hosts send one every 50 ms.
	Fresh time.Duration
	// Silent is how long one host alone must hear nothing before the leader changes
	// (default 500 ms). When most of them say so it changes at once.
	Silent time.Duration
	// Replace is how long an acceptor may be gone before another takes its place
	// (default 1 s).
	Replace time.Duration
	// Hold is how long a link may be silent: each end is probed five times as often (default 1 s).
	Hold time.Duration
	// Resend is when a question to an acceptor is repeated (default 20 ms).
	Resend time.Duration
	// TrimStep is how many instances are trimmed at once at least (default 1/16 of those that may be
	// under way).
	TrimStep uint32
}

func (t *Timing) setDefaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.Fresh, 300*time.Millisecond)
	set(&t.Silent, 500*time.Millisecond)
	set(&t.Replace, time.Second)
	set(&t.Hold, links.Hold)
	set(&t.Resend, 20*time.Millisecond)
}

// Port is the UDP port of an application's messages.
func Port(app int) uint16 { return names.PortFirst + uint16(app) }

// App finds an application by its name.
func (c *Config) App(name string) (int, bool) {
	i := slices.IndexFunc(c.Apps, func(a Application) bool { return a.Name == name })
	return i, i >= 0
}

// The file, as JSON.
type (
	fileAddress struct {
		Address string `json:"address"`
		MAC     string `json:"mac"`
	}
	fileSwitch struct {
		Name      string `json:"name"`
		P4Runtime string `json:"p4runtime"`
		DeviceID  uint64 `json:"device_id"`
		MAC       string `json:"mac"`
		Acceptor  string `json:"acceptor"`
		Learner   string `json:"learner"`
		// the program, from another compiler or with other -D
		P4Info       string `json:"p4info"`
		DeviceConfig string `json:"device_config"`
		// PIPE=PORTS
		Pipes []string `json:"pipes"`
		// ports that a cable joins
		Loop []uint16 `json:"loop"`
		// for further acceptors
		Places []filePlace `json:"places"`
	}
	filePlace struct {
		Name     string `json:"name"`
		Acceptor string `json:"acceptor"`
	}
	fileHost struct {
		Name string `json:"name"`
		At   string `json:"at"`
		fileAddress
	}
	fileApp struct {
		Name      string      `json:"name"`
		Leader    fileAddress `json:"leader"`
		Leaders   []string    `json:"leaders"`
		Acceptors []string    `json:"acceptors"`
		Spares    []string    `json:"spares"`
		Learners  []string    `json:"learners"`
		Replicas  []string    `json:"replicas"`
		Proposers []string    `json:"proposers"`
		// by replica
		State     map[string]string `json:"state"`
		Instances uint32            `json:"instances"`
	}
	file struct {
		Controller   fileAddress  `json:"controller"`
		Switches     []fileSwitch `json:"switches"`
		Links        [][]string   `json:"links"`
		Hosts        []fileHost   `json:"hosts"`
		Applications []fileApp    `json:"applications"`
		ReplaceAfter string       `json:"replace_after"`
		SilentAfter  string       `json:"silent_after"`
		Hold         string       `json:"hold"`
	}
)

// ParseConfig reads a deployment from JSON. Errors name the thing that they are about.
func ParseConfig(text []byte) (*Config, error) {
	var f file
	if err := topology.Decode(text, &f); err != nil {
		return nil, err
	}
	c := &Config{Switches: map[string]*Switch{}, Hosts: map[string]Address{}}
	if err := c.fill(&f); err != nil {
		return nil, err
	}
	return c, c.Check()
}

func (c *Config) fill(f *file) (err error) {
	if c.Controller, err = f.Controller.parse("controller"); err != nil {
		return err
	}
	var switches []string
	var places []*Switch
	for _, s := range f.Switches {
		what := "switch " + s.Name
		sw := &Switch{Name: s.Name, P4Runtime: s.P4Runtime, DeviceID: s.DeviceID, P4Info: s.P4Info, DeviceConfig: s.DeviceConfig}
		if sw.MAC, err = topology.ParseMAC(s.MAC, what); err != nil {
			return err
		}
		if sw.Pipes, err = topology.ParsePipes(s.Pipes); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if n := copy(sw.Loop[:], s.Loop); n != len(s.Loop) || n == 1 {
			return fmt.Errorf("%s: loop: want the two ports that a cable joins, not %d of them", what, len(s.Loop))
		}
		for text, to := range map[string]*wire.Addr{s.Acceptor: &sw.Acceptor, s.Learner: &sw.Learner} {
			if text != "" {
				if *to, err = topology.ParseIP(text, what); err != nil {
					return err
				}
			}
		}
		if s.Acceptor != "" && s.Acceptor == s.Learner {
			return fmt.Errorf("%s: acceptor and learner need different addresses", what)
		}
		switches = append(switches, s.Name)
		c.Switches[s.Name] = sw
		for i, p := range s.Places {
			place := &Switch{Name: p.Name, On: s.Name, MAC: sw.MAC, Number: names.MaxApps - 1 - i}
			if place.Acceptor, err = topology.ParseIP(p.Acceptor, "place "+p.Name); err != nil {
				return err
			}
			places = append(places, place)
		}
	}
	for _, p := range places {
		if p.Name == "" || c.Switches[p.Name] != nil {
			return fmt.Errorf("place %q of switch %s: want a name that no switch and no other place has", p.Name, p.On)
		}
		if p.Number < len(f.Applications) {
			return fmt.Errorf("place %s of switch %s: takes the registers of an application, and there are those of %d for all applications and places of a switch", p.Name, p.On, names.MaxApps)
		}
		c.Switches[p.Name] = p
	}
	joined, err := topology.ParseLinks(f.Links)
	if err != nil {
		return err
	}
	var hosts []topology.Host
	for _, h := range f.Hosts {
		at, err := topology.ParsePlace(h.At)
		if err != nil {
			return fmt.Errorf("host %s: at: %w", h.Name, err)
		}
		if c.Hosts[h.Name], err = h.parse("host " + h.Name); err != nil {
			return err
		}
		hosts = append(hosts, topology.Host{Name: h.Name, At: at})
	}
	if c.Net, err = topology.New(switches, joined, hosts); err != nil {
		return err
	}
	for _, a := range f.Applications {
		app := Application{Name: a.Name, Leaders: a.Leaders, Acceptors: a.Acceptors, Spares: a.Spares, Learners: a.Learners, Replicas: a.Replicas, Proposers: a.Proposers, State: a.State, Instances: a.Instances}
		if app.Leader, err = a.Leader.parse("application " + a.Name + ": leader"); err != nil {
			return err
		}
		c.Apps = append(c.Apps, app)
	}
	for text, to := range map[*string]*time.Duration{&f.ReplaceAfter: &c.Timing.Replace, &f.SilentAfter: &c.Timing.Silent, &f.Hold: &c.Timing.Hold} {
		if *text == "" {
			continue
		}
		if *to, err = time.ParseDuration(*text); err != nil || *to <= 0 {
			return fmt.Errorf("%q: is not a duration above 0 (1s, 500ms)", *text)
		}
	}
	return nil
}

func macString(m wire.MAC) string { return net.HardwareAddr(m[:]).String() }

func (f fileAddress) parse(what string) (a Address, err error) {
	if a.MAC, err = topology.ParseMAC(f.MAC, what); err != nil {
		return a, err
	}
	a.IP, err = topology.ParseIP(f.Address, what)
	return a, err
}

// Check looks whether names are known, addresses unique, and every role somewhere it can
// be; and sets the defaults.
func (c *Config) Check() error {
	c.Timing.setDefaults()
	macs, ips := map[wire.MAC]string{}, map[wire.Addr]string{}
	takeMAC := func(m wire.MAC, who string) error {
		if old, dup := macs[m]; dup {
			return fmt.Errorf("%s: mac %s is that of %s", who, macString(m), old)
		}
		macs[m] = who
		return nil
	}
	takeIP := func(a wire.Addr, who string) error {
		if old, dup := ips[a]; dup {
			return fmt.Errorf("%s: address %v is that of %s", who, a, old)
		}
		ips[a] = who
		return nil
	}
	take := func(a Address, who string) error { return errors.Join(takeMAC(a.MAC, who), takeIP(a.IP, who)) }
	if err := take(c.Controller, "controller"); err != nil {
		return err
	}
	for _, name := range c.Net.Switches() {
		sw := c.Switches[name]
		if sw.P4Runtime == "" {
			return fmt.Errorf("switch %s: p4runtime is missing [the address of its server]", name)
		}
		if (sw.P4Info == "") != (sw.DeviceConfig == "") {
			return fmt.Errorf("switch %s: p4info and device_config belong together", name)
		}
		if err := takeMAC(sw.MAC, "switch "+name); err != nil {
			return err
		}
		if err := c.checkLoop(sw); err != nil {
			return fmt.Errorf("switch %s: loop: %w", name, err)
		}
		for what, a := range map[string]wire.Addr{"acceptor": sw.Acceptor, "learner": sw.Learner} {
			if a != (wire.Addr{}) {
				if err := takeIP(a, fmt.Sprintf("switch %s: %s", name, what)); err != nil {
					return err
				}
			}
		}
	}
	for _, p := range c.places("") {
		if _, isHost := c.Net.Host(p.Name); isHost {
			return fmt.Errorf("place %s of switch %s: a host has that name", p.Name, p.On)
		}
		if err := takeIP(p.Acceptor, fmt.Sprintf("place %s of switch %s", p.Name, p.On)); err != nil {
			return err
		}
	}
	for _, h := range c.Net.Hosts() {
		if err := take(c.Hosts[h.Name], "host "+h.Name); err != nil {
			return err
		}
	}
	switch n := len(c.Apps); {
	case n == 0:
		return errors.New("no application")
	case n > names.MaxApps:
		return fmt.Errorf("%d applications: at most %d", n, names.MaxApps)
	}
	seen, taken := map[string]bool{}, map[string]string{}
	for i := range c.Apps {
		a := &c.Apps[i]
		if a.Name == "" || seen[a.Name] {
			return fmt.Errorf("application %q: want a unique name", a.Name)
		}
		seen[a.Name] = true
		if err := take(a.Leader, fmt.Sprintf("application %s: leader", a.Name)); err != nil {
			return err
		}
		if err := errors.Join(c.checkApp(a), c.checkPipes(a)); err != nil {
			return fmt.Errorf("application %s: %w", a.Name, err)
		}
		for _, n := range slices.Concat(a.Acceptors, a.Spares) {
			if c.Switches[n].On == "" {
				continue
			}
			if other, there := taken[n]; there {
				return fmt.Errorf("application %s: place %s is already %s's", a.Name, n, other)
			}
			taken[n] = a.Name
		}
	}
	return nil
}

// trusted are the ports of a switch by which others than hosts send: those to other switches, and its loop.
func (s *Switch) trusted(c *Config) []uint16 {
	ports := slices.Clone(c.Net.LinkPorts(s.Name))
	if s.loops() {
		ports = append(ports, s.Loop[0], s.Loop[1])
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// loops reports whether the switch has ports for what it says to itself.
func (s *Switch) loops() bool { return s.Loop != [2]uint16{} }

// checkLoop looks whether the ports of a switch's loop are free.
func (c *Config) checkLoop(sw *Switch) error {
	if !sw.loops() {
		return nil
	}
	for _, port := range sw.Loop {
		at := topology.Place{Switch: sw.Name, Port: port}
		if port == 0 || port > topology.MaxPort {
			return fmt.Errorf("port %d [want 1 to %d]", port, topology.MaxPort)
		}
		if far, linked := c.Net.Peer(at); linked {
			return fmt.Errorf("port %d leads to %v", port, far)
		}
		for _, h := range c.Net.Hosts() {
			if h.At == at {
				return fmt.Errorf("port %d leads to host %s", port, h.Name)
			}
		}
	}
	return nil
}

// checkPipes looks whether the roles of an application have all of their messages on one pipe, where their registers are.
func (c *Config) checkPipes(a *Application) error {
	for _, name := range slices.Concat(a.Leaders, a.Acceptors, a.Spares, a.Learners) {
		sw := c.Switches[c.at(name)]
		if sw == nil {
			continue // checkApp says so
		}
		ports := sw.trusted(c)
		for _, h := range c.Net.Hosts() {
			if h.At.Switch == sw.Name && slices.Contains(slices.Concat(a.Proposers, a.Replicas), h.Name) {
				ports = append(ports, h.At.Port)
			}
		}
		if err := sw.Pipes.Together(ports); err != nil {
			return fmt.Errorf("switch %s: %w", sw.Name, err)
		}
	}
	return nil
}

// at is the switch that a name is of: itself, or of a place on it.
func (c *Config) at(name string) string {
	if sw := c.Switches[name]; sw != nil && sw.On != "" {
		return sw.On
	}
	return name
}

// number is the index of an application's registers on a switch, or at a place.
func (c *Config) number(app int, name string) int {
	if sw := c.Switches[name]; sw.On != "" {
		return sw.Number
	}
	return app
}

// places are the further places of a switch, or with no name those of all.
func (c *Config) places(name string) (out []*Switch) {
	for _, n := range slices.Sorted(maps.Keys(c.Switches)) {
		if on := c.Switches[n].On; on != "" && (name == "" || on == name) {
			out = append(out, c.Switches[n])
		}
	}
	return out
}

// numbers is how many applications a program needs registers for.
func (c *Config) numbers() int {
	if len(c.places("")) > 0 {
		return names.MaxApps
	}
	return len(c.Apps)
}

func (c *Config) checkApp(a *Application) error {
	list := func(what string, names []string, least int, fits func(name string) error) error {
		if len(names) < least {
			return fmt.Errorf("%s: %d of them, want at least %d", what, len(names), least)
		}
		for i, n := range names {
			if slices.Contains(names[:i], n) {
				return fmt.Errorf("%s: %s is named twice", what, n)
			}
			if err := fits(n); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		return nil
	}
	isSwitch := func(role string, of func(*Switch) wire.Addr) func(string) error {
		return func(n string) error {
			sw := c.Switches[n]
			switch {
			case sw == nil:
				return fmt.Errorf("no switch %q", n)
			case sw.On != "" && role != "acceptor":
				return fmt.Errorf("%s is a place for an acceptor, on switch %s", n, sw.On)
			case of != nil && of(sw) == (wire.Addr{}):
				return fmt.Errorf("switch %s has no %s address", n, role)
			case role == "acceptor" && len(c.Net.Neighbours(c.at(n))) == 0:
				return fmt.Errorf("switch %s has no neighbour: the controller cannot reach an acceptor there", n)
			}
			return nil
		}
	}
	isHost := func(n string) error {
		if _, ok := c.Net.Host(n); !ok {
			return fmt.Errorf("no host %q", n)
		}
		return nil
	}
	acceptor := isSwitch("acceptor", func(s *Switch) wire.Addr { return s.Acceptor })
	if err := errors.Join(
		list("leaders", a.Leaders, 1, isSwitch("leader", nil)),
		list("acceptors", a.Acceptors, 1, acceptor),
		list("acceptors and spares", slices.Concat(a.Acceptors, a.Spares), 1, acceptor),
		list("learners", a.Learners, 1, isSwitch("learner", func(s *Switch) wire.Addr { return s.Learner })),
		list("replicas", a.Replicas, 1, isHost),
		list("proposers", a.Proposers, 0, isHost),
	); err != nil {
		return err
	}
	if a.Instances > maxInstances {
		return fmt.Errorf("instances: %d (at most %d)", a.Instances, maxInstances)
	}
	for _, h := range slices.Sorted(maps.Keys(a.State)) {
		at := a.State[h]
		if !slices.Contains(a.Replicas, h) {
			return fmt.Errorf("state: host %q is not a replica", h)
		}
		if err := sock.Check(at); err != nil {
			return fmt.Errorf("state of %s: %w", h, err)
		}
	}
	for _, most := range []struct {
		what string
		n, m int
	}{{"acceptors", len(a.Acceptors), maxAcceptors}, {"learners", len(a.Learners), maxLearners}, {"replicas", len(a.Replicas), maxReplicas}} {
		if most.n > most.m {
			return fmt.Errorf("%s: %d (at most %d)", most.what, most.n, most.m)
		}
	}
	return nil
}
