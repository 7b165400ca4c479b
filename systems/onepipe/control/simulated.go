package control

import (
	"context"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/ctrl/fleet"
)

// Simulated is a network whose time and events are somebody else's (package sim/fabric).
type Simulated struct {
	*Network
	*fleet.Simulated[Record, Output]
}

// NewSimulated makes one.
func NewSimulated(conf *Config, now func() time.Duration, log *slog.Logger) (*Simulated, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Simulated{}
	s.Simulated = fleet.NewSimulated[Record](now, func(o Output) { s.out(o) })
	var err error
	if s.Network, err = newNetwork(context.Background(), conf, s.Journal(), s.Simulated, log); err != nil {
		return nil, err
	}
	s.Start(s.Core)
	return s, nil
}
