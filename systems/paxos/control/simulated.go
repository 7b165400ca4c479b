package control

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/ctrl/fleet"
)

// Simulated is a deployment whose time and events are somebody else's (package sim/fabric). Its switches take every update that is
// right, so none is read back because it has refused one.
type Simulated struct {
	*deployment
	*fleet.Simulated[Record, Output]
}

// NewSimulated makes one. Its switches hold nothing. Lives are drawn from random; log may be nil.
func NewSimulated(conf *Config, now func() time.Duration, random *rand.Rand, log *slog.Logger) (*Simulated, error) {
	s := &Simulated{deployment: newDeployment(conf, log)}
	s.Simulated = fleet.NewSimulated[Record](now, s.carryOut)
	s.loop = s.Simulated
	var err error
	if s.core, err = New(conf, s.Journal(), random.Uint32, now()); err != nil {
		return nil, err
	}
	s.Start(s.core)
	return s, nil
}

// Info says what there is to say of each application.
func (s *Simulated) Info() []Info { return s.core.Info() }

// Lead has a switch lead an application.
func (s *Simulated) Lead(application, name string) (err error) {
	s.Post(func() { err = s.core.Lead(s.Now(), application, name) })
	return err
}

// Lost says that a switch is out of the controller's hands.
func (s *Simulated) Lost(name string) {
	s.Post(func() { s.core.Lost(s.Now(), name) })
}

// Begins says that a switch is in the controller's hands, and holds nothing.
func (s *Simulated) Begins(name string) { s.apps[name].begin() }

// Running reports whether all applications have a leader, and all switches what was written.
func (s *Simulated) Running() bool {
	for _, a := range s.core.apps {
		if a.take != nil || a.leads == nil || !s.core.usable(a, a.leads.on) {
			return false
		}
	}
	for name := range s.core.switches {
		if x := s.core.switches[name]; x.up && len(x.waiting) > 0 {
			return false
		}
	}
	return true
}

// Begin is for a switch that holds nothing: sim/fabric calls it in place of Sync.
func (a *App) Begin() error {
	a.begin()
	return nil
}

func (a *App) begin() {
	epoch, _ := a.next()
	a.synced(epoch, false, &Image{Room: room(a.Info())})
}
