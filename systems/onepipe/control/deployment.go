package control

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/fleet"
)

// Deployment is a Network on a loop of its own, with a journal.
type Deployment struct {
	*Network
	loop *fleet.Loop[Record, Output]
}

// NewDeployment makes one that goes on where the journal ends. It ends with ctx, which is to be that of its
// sessions. Close waits for it, after them.
func NewDeployment(ctx context.Context, conf *Config, j Journal, log *slog.Logger) (*Deployment, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	d := &Deployment{}
	d.loop = fleet.New(ctx, fleet.Config[Record, Output]{
		Journal: j, Log: log,
		Out:     func(o Output) { d.out(o) },
		Anytime: func(o Output) bool { _, note := o.(Note); return note },
	})
	var err error
	if d.Network, err = newNetwork(ctx, conf, d.loop.Journal(), d.loop, log); err != nil {
		return nil, err
	}
	d.loop.Start(d.Core)
	return d, nil
}

// Close ends the deployment. The journal is not used any more when it returns.
func (d *Deployment) Close() { d.loop.Close() }

// Status is what the controller knows, for people.
type Status struct {
	Links      []LinkStatus       `json:"links"`
	Processes  []ProcessStatus    `json:"processes"`
	Failures   []FailureStatus    `json:"failures"`
	Forwarding []ForwardingStatus `json:"forwarding"`
}

// status asks the core.
func (n *Network) status(ctx context.Context) (st Status, err error) {
	look, ok := n.loop.(interface {
		Look(ctx context.Context, fn func()) error
	})
	if !ok {
		return n.Core.status(), nil
	}
	err = look.Look(ctx, func() { st = n.Core.status() })
	return st, err
}

func (c *Core) status() Status { return Status{c.Links(), c.Processes(), c.Failures(), c.Forwarding()} }

// lookTimeout bounds a look at the core.
const lookTimeout = time.Second

// StatusOf is what the application says in a switch's status.
func StatusOf(s *admin.SwitchStatus) (*Status, error) {
	if s.Program != Program {
		return nil, fmt.Errorf("switch %s: runs %s, not %s", s.Name, s.Program, Program)
	}
	var out Status
	if err := json.Unmarshal(s.State, &out); err != nil {
		return nil, fmt.Errorf("switch %s: status: %w", s.Name, err)
	}
	return &out, nil
}
