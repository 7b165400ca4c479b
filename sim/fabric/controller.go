package fabric

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
)

// ControllerConfig is how far away a controller is.
type ControllerConfig struct {
	Delay Time        // of a packet-in, a packet-out or a request, each way
	Write Time        // that the switch takes for one update
	ECN   session.ECN // when the switch marks
	// Silent switches do not tell their controllers of ports that do not work: links fail by silence.
	Silent bool
	Hold   Time // a link is down when it has been silent so long, for applications that ask; 0: as they have it
	Log    *slog.Logger
}

// Controller runs the system's application for one switch: as it is, on a session whose stream,
// clock and worker are events. All of a network are one program, as p4ce controller
// --topology is: what one tells another takes no time.
type Controller struct {
	Config  ControllerConfig
	Updates uint64

	sw      *P4Switch
	info    *p4config.P4Info
	app     App
	session *session.Session
	timer   *Timer
	free    Time // when the switch has done all updates that it was given
}

func newController(s *P4Switch, info *p4config.P4Info, c ControllerConfig) *Controller {
	return &Controller{Config: c, sw: s, info: info}
}

// begin takes the switch over.
func (c *Controller) begin() (err error) {
	if c.app, err = c.sw.f.instance.App(c.sw); err != nil {
		return err
	}
	c.timer = c.sw.f.NewTimer(&c.sw.Clock, (*ticks)(c))
	if c.session, err = session.NewOwned(c.sw.name, c.info, c.Config.Log, c, c.app); err != nil {
		return err
	}
	marks, err := c.Config.ECN.Updates(p4rtclient.NewInfo(c.info))
	if err != nil {
		return err
	}
	for _, u := range marks {
		if err := c.sw.local.Write(u); err != nil {
			return err
		}
	}
	if err := c.app.Begin(); err != nil {
		return err
	}
	c.app.Drain()
	c.timer.Arm()
	for _, h := range c.sw.ports {
		if h != nil && h.Link.Down {
			c.port(h)
		}
	}
	return nil
}

// port tells the application that a port works, or does not, as p4ce switch tells its controller (link/oper).
func (c *Controller) port(out *Half) {
	if c.session == nil || c.Config.Silent {
		return
	}
	up := map[uint32]bool{uint32(out.Port): !out.Link.Down}
	c.sw.f.At(c.sw.f.Now()+c.Config.Delay, func() {
		c.session.HandlePorts(up)
		c.timer.Arm()
	})
}

// App is the switch's application, nil before Start.
func (c *Controller) App() App { return c.app }

// Post implements session.Owner.
func (c *Controller) Post(do func()) {
	c.sw.f.At(c.sw.f.Now(), func() {
		do()
		c.app.Drain()
		c.timer.Arm()
	})
}

// ticks is a controller as its timer sees it.
type ticks Controller

// Deadline implements Timed.
func (c *ticks) Deadline() time.Duration { return c.app.Deadline() }

// Tick implements Timed.
func (c *ticks) Tick(time.Duration) { c.session.HandleTick() }

// Now implements session.Owner.
func (c *Controller) Now() time.Duration { return c.sw.Clock.Local(c.sw.f.Now()).Duration() }

// Submit implements session.Owner. Updates take effect one after the other, when the switch
// has got to them; the answer travels back.
func (c *Controller) Submit(u []*p4.Update, done func(error)) {
	f := c.sw.f
	at := max(c.free, f.Now()+c.Config.Delay)
	var failed []p4rtclient.UpdateError
	lives := c.sw.lives
	for i := range u {
		at += c.Config.Write
		f.At(at, func() {
			if lives != c.sw.lives {
				return // it was on its way to what the switch was before
			}
			c.Updates++
			up := u[i]
			u[i] = nil // of many updates, those that are done take no more room
			err := c.sw.local.Write(up)
			var le *p4rt.LocalError
			if errors.As(err, &le) {
				failed = append(failed, p4rtclient.UpdateError{Index: i, Update: up, Code: le.Code, Message: le.Error()})
			}
		})
	}
	c.free = at
	f.At(at+c.Config.Delay, func() {
		var err error
		if lives != c.sw.lives {
			err = errForgot
		} else if len(failed) > 0 {
			err = &p4rtclient.WriteError{Total: len(u), Failed: slices.Clone(failed)}
		}
		done(err)
		c.timer.Arm()
	})
}

// errForgot is the outcome of updates of a switch that has begun anew meanwhile.
var errForgot = errors.New("the switch has forgotten everything")

// Registers implements session.Owner.
func (c *Controller) Registers(names []string, done func(map[string][]uint64, error)) {
	f := c.sw.f
	f.At(f.Now()+c.Config.Delay, func() {
		v, err := c.read(names)
		f.At(f.Now()+c.Config.Delay, func() {
			done(v, err)
			c.timer.Arm()
		})
	})
}

func (c *Controller) read(names []string) (map[string][]uint64, error) {
	out := map[string][]uint64{}
	for _, name := range names {
		r := dataplane.RegisterOf(c.sw.prog.IR, name)
		if r == nil {
			return nil, fmt.Errorf("register %q: does not exist", name)
		}
		words, err := c.sw.all.Words(r)
		if err != nil {
			return nil, err
		}
		out[name] = words
	}
	return out, nil
}

// Cells implements session.Owner.
func (c *Controller) Cells(cells []p4rtclient.Cell, done func([][]uint64, error)) {
	f := c.sw.f
	f.At(f.Now()+c.Config.Delay, func() {
		v, err := c.readCells(cells)
		f.At(f.Now()+c.Config.Delay, func() {
			done(v, err)
			c.timer.Arm()
		})
	})
}

func (c *Controller) readCells(cells []p4rtclient.Cell) (out [][]uint64, err error) {
	for _, x := range cells {
		r := dataplane.RegisterOf(c.sw.prog.IR, x.Register)
		if r == nil {
			return nil, fmt.Errorf("register %q: does not exist", x.Register)
		}
		fields, err := c.sw.all.ReadRegister(r, x.Index)
		if err != nil {
			return nil, err
		}
		var words []uint64
		for _, b := range fields {
			words = append(words, p4rtclient.ToUint(b))
		}
		out = append(out, words)
	}
	return out, nil
}

// PacketOut implements session.Owner.
func (c *Controller) PacketOut(p *p4.PacketOut) error {
	b, err := c.sw.local.PacketOut(p)
	if err != nil {
		return err
	}
	c.sw.f.At(c.sw.f.Now()+c.Config.Delay, func() { c.sw.inject(b) })
	return nil
}

func (c *Controller) packetIn(p *p4.PacketIn) {
	if p == nil {
		return
	}
	c.sw.f.At(c.sw.f.Now()+c.Config.Delay, func() {
		c.session.HandlePacketIn(p)
		c.timer.Arm()
	})
}

func (c *Controller) digest(l *p4.DigestList) {
	c.sw.f.At(c.sw.f.Now()+c.Config.Delay, func() {
		c.session.HandleDigest(l)
		c.timer.Arm()
	})
}
