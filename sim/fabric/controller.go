package fabric

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// ControllerConfig is how far away a controller is.
type ControllerConfig struct {
	Delay Time // of a packet-in, a packet-out or a request, each way
	Write Time // that the switch takes for one update
	Hold  Time // a link is down when it has been silent so long; 0: as systems/rdma/control has it
	Log   *slog.Logger
	Group group.Config // Rand and the seed of CM are the fabric's
	// CNPInterval is the time in which at most one CNP of a group reaches its sender; 0: as
	// systems/rdma/control has it, below 0: no limit.
	CNPInterval time.Duration
}

// Controller runs systems/rdma/control for one switch: the application as it is, on a session whose
// stream, clock and worker are events. All of a network are one program, as p4ce controller
// --topology is: what one tells another takes no time.
type Controller struct {
	sw      *RDMA
	conf    ControllerConfig
	info    *p4config.P4Info
	app     *control.App
	session *session.Session
	armed   Time
	free    Time // when the switch has done all updates that it was given
	Updates uint64
}

func newController(s *RDMA, info *p4config.P4Info, c ControllerConfig) *Controller {
	return &Controller{sw: s, conf: c, info: info, armed: Never}
}

// begin takes the switch over. Hosts are not left to ARP: who is where is the network's, and
// what is behind other switches is at the port that leads there.
func (c *Controller) begin() error {
	f, s := c.sw.f, c.sw
	rnd := f.rand("controller " + s.name)
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(rnd.Uint32())
	}
	conf := control.Config{MAC: s.mac, IPs: []wire.Addr{s.addr}, Group: c.conf.Group, CNPInterval: c.conf.CNPInterval}
	conf.Group.Rand = rand.New(rand.NewChaCha8(seed))
	conf.Group.CM.Seed = rnd.Uint64() | 1
	if conf.Group.MaxPathMTU == 0 {
		conf.Group.MaxPathMTU = 4096 // the interpreter copies whatever fits a frame
	}
	var err error
	if f.network != nil {
		if conf, err = f.network.Config(conf, s.name); err != nil {
			return err
		}
	} else {
		for _, h := range s.ports {
			if h == nil {
				continue
			}
			conf.Ports = append(conf.Ports, h.Port)
			if to, ok := h.To.(*Host); ok {
				conf.Hosts = append(conf.Hosts, hosts.Host{IP: to.addr, MAC: to.mac, Port: h.Port})
			}
		}
	}
	if c.app, err = control.New(conf); err != nil {
		return err
	}
	if f.apps != nil {
		f.apps[c.app] = c
	}
	if c.session, err = session.NewOwned(s.name, c.info, c.conf.Log, c, c.app); err != nil {
		return err
	}
	if err := c.app.Begin(); err != nil {
		return err
	}
	c.app.Drain()
	c.arm()
	return nil
}

// controlled makes of all switches one network that the controllers work on together (ctrl/topology).
// A switch by itself needs none.
func (f *Fabric) controlled() error {
	if len(f.Switches) < 2 {
		return nil
	}
	var switches, plain []string
	var fs []control.FabricSwitch
	var fh []control.FabricHost
	var links []topology.Link
	var servers []topology.Host
	levels := true
	for _, s := range f.Switches {
		switches = append(switches, s.Name())
		if _, ok := s.(*RDMA); !ok {
			plain = append(plain, s.Name())
		}
		if _, ok := f.levels[s.Name()]; !ok {
			levels = false
		}
		fs = append(fs, control.FabricSwitch{Name: s.Name(), MAC: s.MAC(), Addr: s.Addr(), P4Runtime: "simulated"})
	}
	if len(plain) == len(switches) {
		return nil
	}
	for _, l := range f.Links {
		a, b := l.Half[0], l.Half[1]
		if _, ok := b.From.(*Host); ok {
			a, b = b, a
		}
		if h, ok := a.From.(*Host); ok {
			servers = append(servers, topology.Host{Name: h.name, At: topology.Place{Switch: b.From.Name(), Port: b.Port}})
			fh = append(fh, control.FabricHost{Name: h.name, MAC: h.mac, Addr: h.addr})
			continue
		}
		links = append(links, topology.Link{A: topology.Place{Switch: a.From.Name(), Port: a.Port}, B: topology.Place{Switch: b.From.Name(), Port: b.Port}})
	}
	net, err := topology.New(switches, links, servers)
	if err == nil && levels {
		err = net.SetLevels(f.levels)
	}
	if err == nil {
		err = net.SetPlain(plain...)
	}
	if err != nil {
		return err
	}
	if f.network, err = control.NewFabric(net, fs, fh); err != nil {
		return err
	}
	for _, s := range f.Switches {
		if r, ok := s.(*RDMA); ok && r.Controller.conf.Hold > 0 {
			f.network.Hold = r.Controller.conf.Hold.Duration()
			f.network.Probe = f.network.Hold / 5
			break
		}
	}
	f.apps = map[*control.App]*Controller{}
	f.network.Hand = func(a *control.App, do func()) {
		f.At(f.now, func() {
			do()
			a.Drain()
			f.apps[a].arm()
		})
	}
	return nil
}

// Groups are those of the switch.
func (c *Controller) Groups() []group.Info { return c.app.Groups() }

// Now implements session.Owner.
func (c *Controller) Now() time.Duration { return c.sw.Clock.Local(c.sw.f.now).Duration() }

// Submit implements session.Owner. Updates take effect one after the other, when the switch
// has got to them; the answer travels back.
func (c *Controller) Submit(u []*p4.Update, done func(error)) {
	f := c.sw.f
	at := max(c.free, f.now+c.conf.Delay)
	var failed []p4rtclient.UpdateError
	for i, up := range u {
		at += c.conf.Write
		f.At(at, func() {
			c.Updates++
			err := c.sw.local.Write(up)
			var le *p4rt.LocalError
			if errors.As(err, &le) {
				failed = append(failed, p4rtclient.UpdateError{Index: i, Update: up, Code: le.Code, Message: le.Error()})
			}
		})
	}
	c.free = at
	f.At(at+c.conf.Delay, func() {
		var err error
		if len(failed) > 0 {
			err = &p4rtclient.WriteError{Total: len(u), Failed: slices.Clone(failed)}
		}
		done(err)
		c.arm()
	})
}

// PacketOut implements session.Owner.
func (c *Controller) PacketOut(p *p4.PacketOut) error {
	b, err := c.sw.local.PacketOut(p)
	if err != nil {
		return err
	}
	c.sw.f.At(c.sw.f.now+c.conf.Delay, func() { c.sw.inject(b) })
	return nil
}

func (c *Controller) packetIn(p *p4.PacketIn) {
	if p == nil {
		return
	}
	c.sw.f.At(c.sw.f.now+c.conf.Delay, func() {
		c.session.HandlePacketIn(p)
		c.arm()
	})
}

func (c *Controller) digest(l *p4.DigestList) {
	c.sw.f.At(c.sw.f.now+c.conf.Delay, func() {
		c.session.HandleDigest(l)
		c.arm()
	})
}

// arm has the time passed to the application when it wants that. A deadline that moves later
// lets an event come in vain, which arms again.
func (c *Controller) arm() {
	d := c.app.Deadline()
	if d == session.Never {
		return
	}
	at := max(c.sw.Clock.Global(After(d)), c.sw.f.now)
	if at >= c.armed {
		return
	}
	c.armed = at
	c.sw.f.At(at, func() {
		if c.armed != at {
			return // an earlier one was armed meanwhile, and has armed again
		}
		c.armed = Never
		if c.app.Deadline() <= c.Now() {
			c.session.HandleTick()
		}
		c.arm()
	})
}
