package control

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// Program is the name of the program that this application is for.
const Program = "rdma"

// programInEgress is the form of it that has the state of groups in the egress of their leaders' ports.
const programInEgress = "rdmaegress"

// defaultPorts are flooded when a switch's ports are not given.
const defaultPorts = 32

// defaultCNPInterval is that of the program.
const defaultCNPInterval = names.CNPUnits * cnpUnit

// Config says who a switch is.
type Config struct {
	// MAC and IPs are the switch's own.
	MAC wire.MAC
	IPs []wire.Addr
	// Ports are those that ARP and unknown destinations are flooded to; default
	// 1 to 32. Ports on which something comes in are added.
	Ports []uint16
	// Hosts are attached hosts that are not left to ARP.
	Hosts []hosts.Host
	// HostsPerPort is how many hosts may be learned on a port, HostAge after what time a silent one is
	// asked and forgotten; 0 and negative values as in hosts.Config.
	HostsPerPort int
	HostAge      time.Duration
	// StrictHosts learns nobody: the hosts of Hosts, and no others, may take part.
	StrictHosts bool
	// Routers are ports where IPv6 routers are: nobody else's advertisements pass.
	Routers []uint16
	// Group says who may form groups. Rand and the seed of the connection
	// management are set by New when they are not given.
	Group group.Config
	// CNPInterval is the time in which at most one CNP of a group reaches its
	// leader; default 50 us, at most 1 s, negative for no limit.
	CNPInterval time.Duration
	// Wiring is what there is to say about the ports.
	Wiring Wiring
	// GatherInEgress loads the form of the program that gathers in the egress of the leader's port: the replicas of a group
	// may then be on other pipes of the chip than its leader. Without a pipeline of its own, a session loads it.
	GatherInEgress bool
	// Store keeps what a restarted controller needs; nil means in memory.
	Store Store

	// Of a switch of a Fabric.
	fabric *Fabric
	name   string   // there
	links  []uint16 // ports to other switches
	next   []hop    // these switches
}

// guard is what the ports may send.
func (c *Config) guard() guard {
	return guard{strict: c.StrictHosts, links: c.links, neighbours: c.next, routers: c.Routers, unnamed: c.fabric != nil && c.fabric.large()}
}

func (c *Config) setDefaults() error {
	if c.Store == nil {
		c.Store = NewMemoryStore()
	}
	if len(c.IPs) == 0 {
		return errors.New("the switch has no IP address, to which leaders connect [--address]")
	}
	if len(c.Ports) == 0 {
		for p := range uint16(defaultPorts) {
			c.Ports = append(c.Ports, p+1)
		}
	}
	switch {
	case c.CNPInterval == 0:
		c.CNPInterval = defaultCNPInterval
	case c.CNPInterval < 0:
		c.CNPInterval = 0
	case c.CNPInterval > time.Second:
		return fmt.Errorf("CNP interval %v: at most 1s", c.CNPInterval)
	}
	if c.HostsPerPort < 0 {
		return fmt.Errorf("%d hosts per port: at least one", c.HostsPerPort)
	}
	return c.Wiring.check()
}

// ParseMAC reads an Ethernet address.
func ParseMAC(s string) (m wire.MAC, err error) {
	b, err := net.ParseMAC(s)
	if err == nil && len(b) != len(m) {
		err = fmt.Errorf("address %s: is not an Ethernet address", s)
	}
	copy(m[:], b)
	return m, err
}

// ParseHost reads "IP,MAC,PORT".
func ParseHost(s string) (hosts.Host, error) {
	f := strings.Split(s, ",")
	bad := func(err error) (hosts.Host, error) {
		return hosts.Host{}, fmt.Errorf("host %q: %w [want IP,MAC,PORT, for instance 10.0.0.1,02:00:00:00:00:01,1]", s, err)
	}
	if len(f) != 3 {
		return bad(errors.New("three parts are needed"))
	}
	ip, err := netip.ParseAddr(f[0])
	if err != nil {
		return bad(err)
	}
	a, ok := wire.AddrFrom(ip)
	if !ok {
		return bad(errors.New("the address is not IPv4"))
	}
	mac, err := ParseMAC(f[1])
	if err != nil {
		return bad(err)
	}
	port, err := strconv.ParseUint(f[2], 10, 9)
	if err != nil {
		return bad(err)
	}
	return hosts.Host{IP: a, MAC: mac, Port: uint16(port)}, nil
}

func macString(m wire.MAC) string { return net.HardwareAddr(m[:]).String() }
