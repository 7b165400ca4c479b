package runner

import (
	"context"
	"fmt"

	p4cfgv1 "github.com/p4lang/p4runtime/go/p4/config/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/lab/launch"
)

// The names of the programs of a Star.
const (
	Switch     = "switch"
	Controller = "controller"
)

// Port is a port of a switch.
type Port struct {
	Number    uint16
	Interface string // or a pair of sockets, as p4ce switch --port takes it
}

// Ports are the flags that give a switch its ports.
func Ports(list []Port) (flags []string) {
	for _, p := range list {
		flags = append(flags, "--port", fmt.Sprintf("%d=%s", p.Number, p.Interface))
	}
	return flags
}

// StarOptions say what one switch with its controller is.
type StarOptions struct {
	Program    string          // of the switch
	Info       *p4cfgv1.P4Info // of the program
	Ports      []Port          // nil: those of all hosts of the lab
	Switch     []string        // more flags of p4ce switch
	Controller []string        // more flags of p4ce controller
}

// Star runs one switch and its controller.
type Star struct {
	*Runner
	P4RT *p4rtclient.Client // reads the switch
	Info *p4rtclient.Info   // of the program
	so   StarOptions
}

// NewStar makes a Star that does not run yet.
func NewStar(o Options, so StarOptions) (*Star, error) {
	if so.Ports == nil && o.Lab != nil {
		for _, h := range o.Lab.Hosts {
			so.Ports = append(so.Ports, Port{h.Port, h.PortInterface()})
		}
	}
	r := New(o)
	c, err := r.Reader(Switch)
	return &Star{r, c, p4rtclient.NewInfo(so.Info), so}, err
}

// StartBoth starts the switch and then the controller, and waits until both are ready.
func (s *Star) StartBoth(ctx context.Context) error {
	if err := s.StartSwitch(ctx); err != nil {
		return err
	}
	return s.StartController(ctx)
}

// Switch and Controller are the present lives of both.
func (s *Star) Switch() *launch.Process     { return s.Program(Switch) }
func (s *Star) Controller() *launch.Process { return s.Program(Controller) }

// StartSwitch starts the switch; also again, after its end.
func (s *Star) StartSwitch(ctx context.Context) error {
	return s.Runner.StartSwitch(ctx, Switch, append(Ports(s.so.Ports), s.so.Switch...)...)
}

// StartController starts the controller; also again, after its end.
func (s *Star) StartController(ctx context.Context) error {
	return s.StartAnother(ctx, Controller, s.so.Controller...)
}

// StartAnother starts one more controller, with flags of its own in place of those of the first, and waits until it is
// ready, or stands by.
func (s *Star) StartAnother(ctx context.Context, name string, flags ...string) error {
	all := []string{"--switch", s.P4Runtime(Switch) + "=" + s.so.Program}
	for _, p := range s.so.Ports {
		all = append(all, "--ports", fmt.Sprint(p.Number))
	}
	return s.Runner.StartController(ctx, name, append(all, flags...)...)
}

// Counter reads one cell of a counter of the switch, in packets.
func (s *Star) Counter(ctx context.Context, name string, index int) (uint64, error) {
	v, err := s.P4RT.ReadCounter(ctx, s.Info, name, index)
	if err != nil {
		return 0, err
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("counter %s[%d]: %d values", name, index, len(v))
	}
	return v[0].Packets, nil
}
