package control

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// Program is the name of the program that this application is for.
const Program = "amcast"

// Address is where somebody is: on Ethernet, and in IPv4.
type Address struct {
	MAC wire.MAC
	IP  wire.Addr
}

// Switch is one of the deployment.
type Switch struct {
	Address
	// P4Runtime is where its server listens, DeviceID its device there (default 1).
	P4Runtime string
	DeviceID  uint64
}

// Host is a host of the deployment.
type Host struct {
	Address
	// Window is how many messages of its client may be under way: a power of two, at most that of the switches (16,
	// which is the default).
	Window int
}

// Group is a destination of messages.
type Group struct {
	Number uint8 // 1 to 255
	// Members are the switches that the group begins with, the leader first; Spares take the place of one that is lost.
	Members, Spares []string
	// Deliverers are in front of the replicas. By default they are the switches that the replicas are attached to.
	Deliverers []string
	Replicas   []string // hosts
}

// may are the switches that may be members.
func (g *Group) may() []string { return slices.Concat(g.Members, g.Spares) }

// Config is a deployment: switches, how they are wired, and the groups.
type Config struct {
	Net      *topology.Network
	Switches map[string]*Switch
	Hosts    map[string]*Host
	Groups   []*Group // in the order of their numbers
	// Sets are the destinations that messages may have: by default, all sets of up to four groups.
	Sets []private.Groups
	// Silence is after what time a host of which the controller hears nothing has failed: 2 s; three times as long while the
	// controller does not have the host's switch.
	Silence time.Duration
	// Replace is for how long a follower may be gone before a spare takes its place: 1 s.
	Replace time.Duration

	roles map[string][]duty // of each switch, by the number of the role
}

// duty is what a role of a switch is for.
type duty struct {
	group   uint8
	deliver bool // a deliverer's, and not a member's
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
		fileAddress
	}
	fileHost struct {
		Name   string `json:"name"`
		At     string `json:"at"`
		Window int    `json:"window"`
		fileAddress
	}
	fileGroup struct {
		Number     uint8    `json:"number"`
		Leader     string   `json:"leader"`
		Members    []string `json:"members"`
		Spares     []string `json:"spares"`
		Deliverers []string `json:"deliverers"`
		Replicas   []string `json:"replicas"`
	}
	file struct {
		Switches     []fileSwitch `json:"switches"`
		Links        [][]string   `json:"links"`
		Hosts        []fileHost   `json:"hosts"`
		Groups       []fileGroup  `json:"groups"`
		Destinations [][]uint8    `json:"destinations"`
		SilentAfter  string       `json:"silent_after"`
		ReplaceAfter string       `json:"replace_after"`
	}
)

// ParseConfig reads a deployment from JSON. Errors name the thing that they are about.
func ParseConfig(text []byte) (*Config, error) {
	var f file
	if err := topology.Decode(text, &f); err != nil {
		return nil, err
	}
	c := &Config{Switches: map[string]*Switch{}, Hosts: map[string]*Host{}}
	if err := c.fill(&f); err != nil {
		return nil, err
	}
	return c, c.Check()
}

func (f fileAddress) parse(what string) (a Address, err error) {
	if a.MAC, err = topology.ParseMAC(f.MAC, what); err != nil {
		return a, err
	}
	a.IP, err = topology.ParseIP(f.Address, what)
	return a, err
}

func (c *Config) fill(f *file) (err error) {
	var switches []string
	for _, s := range f.Switches {
		if s.P4Runtime == "" {
			return fmt.Errorf("switch %s: p4runtime is missing [the address of its server]", s.Name)
		}
		a, err := s.parse("switch " + s.Name)
		if err != nil {
			return err
		}
		switches = append(switches, s.Name)
		c.Switches[s.Name] = &Switch{a, s.P4Runtime, s.DeviceID}
	}
	links, err := topology.ParseLinks(f.Links)
	if err != nil {
		return err
	}
	var hosts []topology.Host
	for _, h := range f.Hosts {
		at, err := topology.ParsePlace(h.At)
		if err != nil {
			return fmt.Errorf("host %s: at: %w", h.Name, err)
		}
		a, err := h.parse("host " + h.Name)
		if err != nil {
			return err
		}
		hosts = append(hosts, topology.Host{Name: h.Name, At: at})
		c.Hosts[h.Name] = &Host{a, cmp.Or(h.Window, names.Window)}
	}
	if c.Net, err = topology.New(switches, links, hosts); err != nil {
		return err
	}
	for _, g := range f.Groups {
		if g.Leader != "" {
			i := slices.Index(g.Members, g.Leader)
			if i < 0 {
				return fmt.Errorf("group %d: leader: switch %q is not one of its members", g.Number, g.Leader)
			}
			g.Members = slices.Insert(slices.Delete(slices.Clone(g.Members), i, i+1), 0, g.Leader)
		}
		c.Groups = append(c.Groups, &Group{g.Number, g.Members, g.Spares, g.Deliverers, g.Replicas})
	}
	slices.SortStableFunc(c.Groups, func(a, b *Group) int { return cmp.Compare(a.Number, b.Number) })
	for _, list := range f.Destinations {
		g, err := private.NewGroups(list...)
		if err != nil {
			return fmt.Errorf("destinations %v: %w", list, err)
		}
		c.Sets = append(c.Sets, g)
	}
	for _, d := range []struct {
		name, text string
		to         *time.Duration
	}{{"silent_after", f.SilentAfter, &c.Silence}, {"replace_after", f.ReplaceAfter, &c.Replace}} {
		if d.text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(d.text); err != nil || *d.to < 10*time.Millisecond {
			return fmt.Errorf("%s: %q: want a duration of at least 10ms, for instance 2s", d.name, d.text)
		}
	}
	return nil
}

// Limits of a deployment: of tables, multicast groups and replication ids of a switch.
const (
	maxSwitches  = 127
	maxReplicas  = 32 // of a group: bits of a word
	maxAll       = 2000
	maxSets      = 500
	maxCopies    = 64 // of a packet
	maxDelivers  = 16 // deliverers of a group
	hostPorts    = 15 // of a host, of which one is its client's:
	hostPort     = names.PortFirst + 15
	maxTableSets = 4096
)

// Check says what is wrong with a deployment, and fills in defaults.
func (c *Config) Check() error {
	c.Silence, c.Replace = cmp.Or(c.Silence, 2*time.Second), cmp.Or(c.Replace, time.Second)
	if err := c.unique(); err != nil {
		return err
	}
	if n := len(c.Net.Switches()); n > maxSwitches {
		return fmt.Errorf("%d switches: at most %d", n, maxSwitches)
	}
	if n := len(c.Groups); n == 0 || n > private.MaxGroups {
		return fmt.Errorf("%d groups: want 1 to %d", n, private.MaxGroups)
	}
	all := 0
	for i, g := range c.Groups {
		if g.Number == 0 || i > 0 && g.Number == c.Groups[i-1].Number {
			return fmt.Errorf("group %d: want different numbers from 1 to 255", g.Number)
		}
		if err := c.checkGroup(g); err != nil {
			return fmt.Errorf("group %d: %w", g.Number, err)
		}
		all += len(g.Replicas)
	}
	if all > maxAll {
		return fmt.Errorf("%d replicas of all groups: at most %d", all, maxAll)
	}
	for _, h := range c.Net.Hosts() {
		if n := len(c.replicasOn(h.Name)); n >= hostPorts {
			return fmt.Errorf("host %s: has replicas of %d groups: at most %d", h.Name, n, hostPorts-1)
		}
		if w := c.Hosts[h.Name].Window; w < 1 || w > names.Window || w&(w-1) != 0 {
			return fmt.Errorf("host %s: a window of %d: want a power of two up to %d", h.Name, w, names.Window)
		}
	}
	if err := c.number(); err != nil {
		return err
	}
	return c.checkSets()
}

func (c *Config) checkGroup(g *Group) error {
	list := func(what string, list []string, most int, known func(string) bool) error {
		if len(list) > most {
			return fmt.Errorf("%d %s: at most %d", len(list), what, most)
		}
		for i, n := range list {
			if !known(n) {
				return fmt.Errorf("%s: %q is not known", what, n)
			}
			if slices.Contains(list[:i], n) {
				return fmt.Errorf("%s: %s is named twice", what, n)
			}
		}
		return nil
	}
	isHost := func(n string) bool { _, ok := c.Net.Host(n); return ok }
	if len(g.Members) == 0 || len(g.Replicas) == 0 {
		return fmt.Errorf("%d members and %d replicas: want at least one of each", len(g.Members), len(g.Replicas))
	}
	if len(g.Deliverers) == 0 {
		for _, r := range g.Replicas {
			if at, ok := c.Net.Host(r); ok && !slices.Contains(g.Deliverers, at.Switch) {
				g.Deliverers = append(g.Deliverers, at.Switch)
			}
		}
	}
	err := errors.Join(
		list("members", g.Members, names.MaxMembers, c.Net.IsSwitch),
		list("members and spares", g.may(), maxSwitches, c.Net.IsSwitch),
		list("deliverers", g.Deliverers, maxDelivers, c.Net.IsSwitch),
		list("replicas", g.Replicas, maxReplicas, isHost),
	)
	for _, s := range slices.Concat(g.may(), g.Deliverers) {
		if err == nil && len(c.Net.Neighbours(s)) == 0 && len(c.Net.Switches()) > 1 {
			err = fmt.Errorf("switch %s has no neighbour", s)
		}
	}
	return err
}

// number gives roles their numbers: a role is for a group, and a switch has so many.
func (c *Config) number() error {
	c.roles = map[string][]duty{}
	for _, g := range c.Groups {
		for _, s := range c.Net.Switches() {
			if slices.Contains(g.may(), s) {
				c.roles[s] = append(c.roles[s], duty{g.Number, false})
			}
			if slices.Contains(g.Deliverers, s) {
				c.roles[s] = append(c.roles[s], duty{g.Number, true})
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(c.roles)) {
		if n := len(c.roles[s]); n > names.MaxRoles {
			return fmt.Errorf("switch %s: has %d roles (one for each group that it may be a member of, or that it delivers for): at most %d", s, n, names.MaxRoles)
		}
		// What a switch says to its own other roles comes back from a neighbour.
		if len(c.roles[s]) > 1 && len(c.Net.Neighbours(s)) == 0 {
			return fmt.Errorf("switch %s: has several roles, and no neighbour that sends back what one has to say to another", s)
		}
	}
	return nil
}

// checkSets makes the sets of destinations if the file has none, and checks their number and their copies.
func (c *Config) checkSets() error {
	if len(c.Sets) == 0 {
		var add func(from int, list []uint8)
		add = func(from int, list []uint8) {
			if len(list) > 0 && len(c.Sets) <= maxSets {
				g, _ := private.NewGroups(list...) // they differ
				c.Sets = append(c.Sets, g)
			}
			for i := from; i < len(c.Groups) && len(list) < names.MaxGroups; i++ {
				add(i+1, append(slices.Clone(list), c.Groups[i].Number))
			}
		}
		add(0, nil)
	}
	if len(c.Sets) > maxSets {
		return fmt.Errorf("%d sets of destinations or more: at most %d [list those that messages may have in \"destinations\"]", len(c.Sets), maxSets)
	}
	for i, set := range c.Sets {
		if slices.Contains(c.Sets[:i], set) {
			return fmt.Errorf("destinations %v: are named twice", set)
		}
		copies := 0
		for _, n := range set.List() {
			g := c.group(n)
			if g == nil {
				return fmt.Errorf("destinations %v: group %d is not known", set, n)
			}
			copies += len(g.Members) + len(g.Deliverers)
		}
		if copies-1 > maxCopies {
			return fmt.Errorf("destinations %v: a proposal goes to %d members and deliverers: at most %d [take fewer, or leave the set out of \"destinations\"]", set, copies-1, maxCopies)
		}
	}
	for s, roles := range c.roles {
		if n := len(roles) * len(c.Sets); n > maxTableSets {
			return fmt.Errorf("switch %s: %d roles and %d sets of destinations are %d entries: at most %d", s, len(roles), len(c.Sets), n, maxTableSets)
		}
	}
	return nil
}

// unique checks that nobody has the address of somebody else.
func (c *Config) unique() error {
	macs, ips := map[wire.MAC]string{}, map[wire.Addr]string{}
	take := func(a Address, who string) error {
		if old, taken := macs[a.MAC]; taken {
			return fmt.Errorf("%s: has the MAC address of %s", who, old)
		}
		if old, taken := ips[a.IP]; taken {
			return fmt.Errorf("%s: has the address of %s", who, old)
		}
		macs[a.MAC], ips[a.IP] = who, who
		return nil
	}
	for _, name := range c.Net.Switches() {
		if err := take(c.Switches[name].Address, "switch "+name); err != nil {
			return err
		}
	}
	for _, h := range c.Net.Hosts() {
		if err := take(c.Hosts[h.Name].Address, "host "+h.Name); err != nil {
			return err
		}
	}
	return nil
}

// group finds a group by its number; nil: there is none.
func (c *Config) group(number uint8) *Group {
	for _, g := range c.Groups {
		if g.Number == number {
			return g
		}
	}
	return nil
}

// role is the number of a role of a switch; its messages go to the UDP port that many above PORT_FIRST.
func (c *Config) role(sw string, d duty) (number int, ok bool) {
	number = slices.Index(c.roles[sw], d)
	return number, number >= 0
}

// Roles are the groups that the roles of a switch are for, by number.
func (c *Config) Roles(sw string) (groups []uint8) {
	for _, d := range c.roles[sw] {
		groups = append(groups, d.group)
	}
	return groups
}

func rolePort(role int) uint16 { return names.PortFirst + uint16(role) }

// seat is a replica of a group.
type seat struct {
	group uint8
	index int
}

// replicasOn are the replicas on a host: the first receives at UDP port PORT_FIRST, and so on.
func (c *Config) replicasOn(host string) (out []seat) {
	for _, g := range c.Groups {
		if i := slices.Index(g.Replicas, host); i >= 0 {
			out = append(out, seat{g.Number, i})
		}
	}
	return out
}

// replicaPort is the UDP port of a replica on its host.
func (c *Config) replicaPort(host string, group uint8) uint16 {
	return names.PortFirst + uint16(slices.IndexFunc(c.replicasOn(host), func(s seat) bool { return s.group == group }))
}

// Place is what a host must know: package amcast opens it.
func (c *Config) Place(host string) (*private.Place, error) {
	at, ok := c.Net.Host(host)
	if !ok {
		return nil, fmt.Errorf("host %s: does not exist", host)
	}
	end := func(a Address, port uint16) private.End { return private.End{MAC: a.MAC, IP: a.IP, Port: port} }
	p := &private.Place{Self: end(c.Hosts[host].Address, hostPort), Controller: end(c.Switches[at.Switch].Address, 0), Window: c.Hosts[host].Window, Groups: map[uint8]*private.GroupPlace{}}
	for _, s := range c.Net.Switches() {
		p.Switches = append(p.Switches, c.Switches[s].IP)
	}
	for _, h := range c.Net.Hosts() {
		p.Hosts = append(p.Hosts, end(c.Hosts[h.Name].Address, hostPort))
	}
	for _, g := range c.Groups {
		gp := &private.GroupPlace{Own: slices.Index(g.Replicas, host), Leaders: map[uint8]private.End{}}
		for _, r := range g.Replicas {
			gp.Replicas = append(gp.Replicas, end(c.Hosts[r].Address, c.replicaPort(r, g.Number)))
		}
		for i, s := range c.Net.Switches() {
			if role, ok := c.role(s, duty{g.Number, false}); ok {
				gp.Leaders[uint8(i)] = end(c.Switches[s].Address, rolePort(role))
			}
		}
		p.Groups[g.Number] = gp
	}
	return p, nil
}
