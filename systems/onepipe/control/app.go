package control

import (
	"context"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
)

// App is the application of one switch. It is a session.App.
type App struct {
	session.Base
	sw      *session.Session
	plan    *plan
	written func(error)
}

// New makes the application of a switch of a network. written is told when the switch has what it needs.
func New(c *Config, sw string, written func(error)) (*App, error) {
	p, err := c.plan(sw)
	if err != nil {
		return nil, err
	}
	return &App{plan: p, written: written}, nil
}

// Name implements session.App.
func (*App) Name() string { return Program }

// Bind implements session.App.
func (a *App) Bind(s *session.Session) error {
	a.sw = s
	_, err := s.Info().Updates(nil, p4.Update_INSERT, a.plan.entries...)
	return err
}

// Sync implements session.App.
func (a *App) Sync(context.Context, *p4rtclient.Client) (func() error, error) {
	return a.Begin, nil
}

// Begin is for a switch that holds nothing: sim/fabric calls it in place of Sync.
func (a *App) Begin() error {
	var u []*p4.Update
	for _, name := range registers {
		e, err := a.sw.Info().Register(name, -1, uint64(a.plan.start))
		if err != nil {
			return err
		}
		u = append(u, p4rtclient.Modify(e))
	}
	u, err := a.sw.Info().Updates(u, p4.Update_INSERT, a.plan.entries...)
	u = append(u, p4rtclient.Insert(p4rtclient.Group(OutputsGroup, a.plan.outputs)))
	if err != nil {
		return err
	}
	a.sw.Order(u, nil, a.written)
	return nil
}
