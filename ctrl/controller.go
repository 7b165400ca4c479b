package ctrl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/p4ce/p4ce/ctrl/session"
)

// Controller serves its switches.
type Controller struct {
	conf     Config
	switches []*session.Session // of one that is alone
	units    []*unit            // of one that is not
	waiting  sync.WaitGroup     // for the units
}

// New makes a controller; nothing is sent before Run.
func New(conf Config) (*Controller, error) {
	if conf.Replicated == nil {
		switches, err := conf.sessions()
		if err != nil {
			return nil, err
		}
		return &Controller{conf: conf, switches: switches}, nil
	}
	if conf.Log == nil {
		conf.Log = slog.New(slog.DiscardHandler)
	}
	c := &Controller{conf: conf}
	names := map[string]bool{}
	for _, u := range conf.Replicated.Units {
		if names[u.Name] {
			return nil, fmt.Errorf("controller: unit %s: given twice", u.Name)
		}
		names[u.Name] = true
		c.waiting.Add(1)
		n, err := newUnit(u, conf.Replicated, &c.conf, c.waiting.Done)
		if err != nil {
			return nil, err
		}
		c.units = append(c.units, n)
	}
	if len(c.units) == 0 {
		return nil, errors.New("controller: no unit")
	}
	return c, nil
}

// sessions are those of the switches that this controller acts on now.
func (c *Controller) sessions() []*session.Session {
	out := c.switches
	for _, u := range c.units {
		out = append(out, u.live()...)
	}
	return out
}

// Run makes a controller and runs it until ctx ends, which is not an error.
func Run(ctx context.Context, conf Config) error {
	c, err := New(conf)
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// Run serves all switches until ctx ends, which is not an error. A Controller
// runs once.
func (c *Controller) Run(ctx context.Context) error {
	servers, err := c.listen()
	if err != nil {
		closeAll(c.switches)
		return fmt.Errorf("controller: %w", err)
	}
	defer servers.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all, ready sync.WaitGroup
	for _, s := range c.switches {
		ready.Add(1)
		s.OnReady(ready.Done)
		all.Add(1)
		go func() {
			defer all.Done()
			_ = s.Run(ctx) // ctx's error
		}()
	}
	for _, u := range c.units {
		all.Go(func() { u.run(ctx) })
	}
	if c.conf.Ready != nil {
		go func() { // ends with the process at the latest: a switch may never come
			ready.Wait()
			c.waiting.Wait()
			if ctx.Err() == nil {
				c.conf.Ready()
			}
		}()
	}
	errs := servers.serve()
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-errs:
		failed = fmt.Errorf("controller: %w", failed)
	}
	cancel()
	all.Wait()
	return failed
}
