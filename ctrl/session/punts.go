package session

import (
	"context"
	"errors"
	"fmt"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// Of p4/lib/punt.p4: a meter with a cell per port and reason.
const (
	meterPuntRate    = "punt_rate"
	DefaultPuntRate  = 2000
	maxPuntRate      = 1 << 30
	unlimitedPunts   = -1
	puntBurstSeconds = 1
)

// checkPuntRate fills in the default of Config.PuntRate.
func (c *Config) checkPuntRate() error {
	switch {
	case c.PuntRate == 0:
		c.PuntRate = DefaultPuntRate
	case c.PuntRate < unlimitedPunts || c.PuntRate > maxPuntRate:
		return fmt.Errorf("punt rate %d: 1 to %d packets per second, or %d for no limit", c.PuntRate, maxPuntRate, unlimitedPunts)
	}
	return nil
}

// limitPunts configures how much each port may send to the controller. A switch that cannot do
// that goes on without.
func (s *Session) limitPunts(ctx context.Context) error {
	if !s.info.HasMeter(meterPuntRate) {
		return nil
	}
	var config *p4.MeterConfig
	if n := int64(s.conf.PuntRate); n > 0 {
		config = &p4.MeterConfig{Cir: n, Cburst: n * puntBurstSeconds, Pir: n, Pburst: n * puntBurstSeconds}
	}
	e, err := s.info.Meter(meterPuntRate, -1, config)
	if err != nil {
		return err
	}
	err = s.client.Write(ctx, p4rtclient.Modify(e))
	var we *p4rtclient.WriteError
	if errors.As(err, &we) && we.Only(codes.Unimplemented) {
		s.log.Warn("the switch does not limit what ports send to the controller", "err", err)
		return nil
	}
	return err
}
