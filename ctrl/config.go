package ctrl

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/group"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// Config says which switches a controller serves.
type Config struct {
	Switches []SwitchConfig
	// Store keeps what a restarted controller needs; nil means in memory.
	Store Store
	// Admin is where the admin API and /metrics listen: "unix:PATH" or
	// "ADDRESS:PORT"; "" means nowhere. The API has no authentication of its
	// own: keep it on a Unix socket or on loopback.
	Admin string
	Log   *slog.Logger
	// Ready, when not nil, is called once every switch is in the controller's
	// hands for the first time.
	Ready func()
}

// defaultPorts are flooded when a switch's ports are not given.
const defaultPorts = 32

// defaultCNPInterval is that of the program.
const defaultCNPInterval = names.CNPUnits * cnpUnit

// SwitchConfig says how one switch is reached, and who it is.
type SwitchConfig struct {
	// Name is what the switch is called in logs, metrics and the store; default
	// is the address.
	Name string
	P4RT p4rtclient.Options
	// MAC and IPs are the switch's own.
	MAC wire.MAC
	IPs []wire.Addr
	// Ports are those that ARP and unknown destinations are flooded to; default
	// 1 to 32. Ports on which something comes in are added.
	Ports []uint16
	// Hosts are attached hosts that are not left to ARP.
	Hosts []hosts.Host
	// Group says who may form groups. Rand and the seed of the connection
	// management are set by the controller when they are not given.
	Group group.Config
	// CNPInterval is the time in which at most one CNP of a group reaches its
	// leader; default 50 us, at most 1 s, negative for no limit.
	CNPInterval time.Duration
	// Wiring is what there is to say about the ports.
	Wiring Wiring
	// Pipeline is pushed to the switch; nil means the program rdma, for targets of
	// ours. Ids may be any, names are those of p4/rdma/rdma.p4.
	Pipeline *p4.ForwardingPipelineConfig
}

func (c *Config) setDefaults() error {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Store == nil {
		c.Store = NewMemoryStore()
	}
	if len(c.Switches) == 0 {
		return errors.New("controller: no switch is given")
	}
	names := map[string]bool{}
	for i := range c.Switches {
		s := &c.Switches[i]
		if s.Name == "" {
			s.Name = s.P4RT.Address
		}
		if s.Name == "" {
			return fmt.Errorf("controller: switch %d: no address", i)
		}
		if names[s.Name] {
			return fmt.Errorf("controller: switch %s: given twice", s.Name)
		}
		names[s.Name] = true
		if len(s.IPs) == 0 {
			return fmt.Errorf("controller: switch %s: no IP address of its own is given; leaders connect to it", s.Name)
		}
		if len(s.Ports) == 0 {
			for p := range uint16(defaultPorts) {
				s.Ports = append(s.Ports, p+1)
			}
		}
		switch {
		case s.CNPInterval == 0:
			s.CNPInterval = defaultCNPInterval
		case s.CNPInterval < 0:
			s.CNPInterval = 0
		case s.CNPInterval > time.Second:
			return fmt.Errorf("controller: switch %s: CNP interval %v: at most 1s", s.Name, s.CNPInterval)
		}
		if err := s.Wiring.check(); err != nil {
			return fmt.Errorf("controller: switch %s: %w", s.Name, err)
		}
		if s.Pipeline == nil {
			var err error
			if s.Pipeline, err = pipeline.Load("rdma"); err != nil {
				return fmt.Errorf("controller: %w", err)
			}
		}
		if err := (&rdma{p4rtclient.NewInfo(s.Pipeline.GetP4Info()), s.MAC, &s.Wiring}).check(); err != nil {
			return fmt.Errorf("controller: switch %s: the pipeline is not that of p4/rdma/rdma.p4: %w", s.Name, err)
		}
		if s.P4RT.Log == nil {
			s.P4RT.Log = c.Log
		}
	}
	return nil
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
