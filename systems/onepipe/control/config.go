package control

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/link/sock"
	"github.com/p4ce/p4ce/roce/wire"
)

// The file of a network, as JSON.
type (
	fileAddress struct {
		Address string `json:"address"`
		MAC     string `json:"mac"`
	}
	fileSwitch struct {
		Name      string `json:"name"`
		P4Runtime string `json:"p4runtime"`
		DeviceID  uint64 `json:"device_id"`
		Level     int    `json:"level"`   // 0 where hosts are, 1 above, and so on
		Beacons   string `json:"beacons"` // who computes barriers and sends beacons: empty, the data plane; or cpu
		fileAddress
	}
	fileHost struct {
		Name  string `json:"name"`
		At    string `json:"at"`
		State string `json:"state"` // HOST:PORT or unix:PATH
		fileAddress
	}
	file struct {
		Switches []fileSwitch `json:"switches"`
		Links    [][]string   `json:"links"`
		Hosts    []fileHost   `json:"hosts"`
	}
)

// Server is where a switch's P4Runtime server is.
type Server struct {
	Address  string
	DeviceID uint64
}

// ParseConfig reads a network from JSON. Errors name the thing that they are about.
func ParseConfig(text []byte) (*Config, map[string]Server, error) {
	var f file
	if err := topology.Decode(text, &f); err != nil {
		return nil, nil, err
	}
	c := &Config{
		Switches: map[string]Address{}, Hosts: map[string]Address{}, CPU: map[string]bool{}, State: map[string]string{},
		Clock: func(time.Duration) uint64 { return uint64(time.Now().UnixNano()) },
	}
	servers := map[string]Server{}
	if err := c.fill(&f, servers); err != nil {
		return nil, nil, err
	}
	return c, servers, c.Check()
}

func (c *Config) fill(f *file, servers map[string]Server) (err error) {
	levels := map[string]int{}
	var switches []string
	for _, s := range f.Switches {
		what := "switch " + s.Name
		if s.P4Runtime == "" {
			return fmt.Errorf("%s: p4runtime is missing [the address of its server]", what)
		}
		if c.Switches[s.Name], err = s.parse(what); err != nil {
			return err
		}
		switch s.Beacons {
		case "":
		case "cpu":
			c.CPU[s.Name] = true
		default:
			return fmt.Errorf("%s: beacons: %q: want cpu, or nothing", what, s.Beacons)
		}
		switches = append(switches, s.Name)
		levels[s.Name] = s.Level
		servers[s.Name] = Server{s.P4Runtime, s.DeviceID}
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
		if c.Hosts[h.Name], err = h.parse("host " + h.Name); err != nil {
			return err
		}
		if h.State != "" {
			if err := sock.Check(h.State); err != nil {
				return fmt.Errorf("host %s: state: %w", h.Name, err)
			}
			c.State[h.Name] = h.State
		}
		hosts = append(hosts, topology.Host{Name: h.Name, At: at})
	}
	if c.Net, err = topology.New(switches, links, hosts); err != nil {
		return err
	}
	if err := c.Net.SetLevels(levels); err != nil {
		return err
	}
	return c.unique()
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
		if err := take(c.Switches[name], "switch "+name); err != nil {
			return err
		}
	}
	for _, h := range c.Net.Hosts() {
		if err := take(c.Hosts[h.Name], "host "+h.Name); err != nil {
			return err
		}
	}
	return nil
}

func (f fileAddress) parse(what string) (a Address, err error) {
	if a.MAC, err = topology.ParseMAC(f.MAC, what); err != nil {
		return a, err
	}
	a.IP, err = topology.ParseIP(f.Address, what)
	return a, err
}

// Place is what a host must know.
type Place struct {
	Address
	Gateway Address // its switch, where the controller listens
	// MACs are the Ethernet addresses of all others, by their IPv4 addresses.
	MACs map[wire.Addr]wire.MAC
}

// Place finds a host.
func (c *Config) Place(host string) (*Place, error) {
	at, ok := c.Net.Host(host)
	if !ok {
		return nil, fmt.Errorf("host %s: does not exist", host)
	}
	p := &Place{Address: c.Hosts[host], Gateway: c.Switches[at.Switch], MACs: map[wire.Addr]wire.MAC{}}
	for _, a := range c.Hosts {
		p.MACs[a.IP] = a.MAC
	}
	p.MACs[p.Gateway.IP] = p.Gateway.MAC
	return p, nil
}

// Resolve is Endpoint's Config.Resolve.
func (p *Place) Resolve(a wire.Addr) (wire.MAC, bool) {
	m, ok := p.MACs[a]
	return m, ok
}
