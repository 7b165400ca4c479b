package fabric

import (
	"embed"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/fabric/rnic"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// Program is what switches run, as topologies name it.
const Program = "rdma"

// System is systems/rdma for the fabric.
var System = &fabric.System{
	Name: Program, Program: Program, Routes: true, Scenarios: fabric.Folder(scenarios, "scenarios"), Describe: rnic.Describe,
	Labels: []fabric.Column{{CSV: "via", Table: "via"}, {CSV: "policy"}},
	Counts: []fabric.Column{
		{CSV: "packets", Table: "packets"}, {CSV: "resent", Table: "resent"}, {CSV: "timeouts"}, {CSV: "naks"},
		{CSV: "ce", Table: "CE"}, {CSV: "cnp", Table: "CNP"},
	},
	Settings: func() fabric.Settings { return &Settings{} },
	Load:     func() fabric.LoadSettings { return defaultLoad() },
	New: func(f *fabric.Fabric, s fabric.Settings) (fabric.Instance, error) {
		return &Network{Fabric: f, set: s.(*Settings)}, nil
	},
}

// Network is a network of this system.
type Network struct {
	*fabric.Fabric
	set *Settings
	net *control.Fabric // that the controllers work on; nil: there is one switch, or none that has one
}

// New makes an empty network.
func New(seed uint64, set Settings) (*Network, error) {
	f := fabric.New(seed)
	if err := f.Use(System, &set); err != nil {
		return nil, err
	}
	return f.System().(*Network), nil
}

// nic is what a host runs.
func nic(h *fabric.Host) *rnic.NIC { return h.Endpoint().(*rnic.NIC) }

// Endpoint implements fabric.Instance.
func (n *Network) Endpoint(h *fabric.Host) fabric.Endpoint { return rnic.New(h) }

// Ready implements fabric.Instance: all switches become one network that the controllers work on
// together (ctrl/topology). A switch by itself needs none.
func (n *Network) Ready() error {
	var driven *fabric.P4Switch
	var switches []control.FabricSwitch
	for _, s := range n.Switches {
		if r, ok := s.(*fabric.P4Switch); ok && driven == nil {
			driven = r
		}
		switches = append(switches, control.FabricSwitch{Name: s.Name(), MAC: s.MAC(), Addr: s.Addr(), P4Runtime: "simulated"})
	}
	if len(switches) < 2 || driven == nil {
		return nil
	}
	var servers []control.FabricHost
	for _, h := range n.Hosts {
		servers = append(servers, control.FabricHost{Name: h.Name(), MAC: h.MAC(), Addr: h.Addr()})
	}
	net, err := n.Topology()
	if err != nil {
		return err
	}
	if n.net, err = control.NewFabric(net, switches, servers); err != nil {
		return err
	}
	if hold := driven.Controller.Config.Hold; hold > 0 {
		n.net.Hold = hold.Duration()
		n.net.Probe = n.net.Hold / 5
	}
	return nil
}

// App implements fabric.Instance. Hosts are not left to ARP: who is where is the network's, and what
// is behind other switches is at the port that leads there.
func (n *Network) App(s *fabric.P4Switch) (fabric.App, error) {
	rnd := n.Rand("controller " + s.Name())
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(rnd.Uint32())
	}
	conf := control.Config{MAC: s.MAC(), IPs: []wire.Addr{s.Addr()}, CNPInterval: n.set.CNPInterval}
	conf.Group.Rand = rand.New(rand.NewChaCha8(seed))
	conf.Group.CM.Seed = rnd.Uint64() | 1
	conf.Group.MaxPathMTU = 4096 // the interpreter copies whatever fits a frame
	var err error
	if n.net != nil {
		if conf, err = n.net.Config(conf, s.Name()); err != nil {
			return nil, err
		}
	} else {
		for _, h := range s.Ports() {
			if h == nil {
				continue
			}
			conf.Ports = append(conf.Ports, h.Port)
			if to, ok := h.To.(*fabric.Host); ok {
				conf.Hosts = append(conf.Hosts, hosts.Host{IP: to.Addr(), MAC: to.MAC(), Port: h.Port})
			}
		}
	}
	return control.New(conf)
}

// Groups are those of a switch; none if it is plain.
func (n *Network) Groups(s fabric.Switch) []group.Info {
	r, ok := s.(*fabric.P4Switch)
	if !ok {
		return nil
	}
	return r.Controller.App().(*control.App).Groups()
}

// Settings are what a scenario, or who makes a network by hand, says of this system.
type Settings struct {
	DCQCN DCQCN `yaml:"dcqcn"`
	// CNPInterval is the time in which at most one CNP of a group reaches its sender; 0: as
	// systems/rdma/control has it, below 0: no limit.
	CNPInterval time.Duration `yaml:"-"`
}
