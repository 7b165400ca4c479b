package ctrl

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/link/certs"
)

// Config says which switches a controller serves.
type Config struct {
	Switches []SwitchConfig
	// Replicated, when not nil, replaces Switches.
	Replicated *Replicated
	// Admin is where the admin API and /metrics listen: "unix:PATH" or
	// "ADDRESS:PORT"; "" means nowhere.
	Admin string
	// AdminTLS has the API's certificate, and the authority of its clients' certificates. An address
	// other than a unix socket needs both, or Insecure, which lets every client that reaches it do
	// everything.
	AdminTLS certs.Files
	Insecure bool
	// AdminRights is a file that says what clients may do (certs.Rights): GET reads and every other
	// method writes the path after the switch's name, as in "groups/7"; "": clients may do everything.
	AdminRights string
	// Metrics is where /metrics and /healthz listen, in addition to the API: "ADDRESS:PORT"; "" means
	// nowhere.
	Metrics string
	// PuntRate is how many packets per second each port of a switch may send to the controller, for
	// each reason (session.Config).
	PuntRate int
	// ECN says when switches mark packets; LinkRates has the rates, in bit/s, of links of one switch alone, by its name
	// and port.
	ECN       session.ECN
	LinkRates map[string]map[uint16]uint64
	Log       *slog.Logger
	// Ready, when not nil, is called when the controller has taken over every switch for the first
	// time, or stands by for another controller that has.
	Ready func()
}

// SwitchConfig says how to reach a switch, and which application serves it.
type SwitchConfig struct {
	// Name is the name of the switch in logs, metrics and the store; default is the address.
	Name string
	P4RT p4rtclient.Options
	// App belongs to this switch: each switch needs an App of its own.
	App session.App
	// Pipeline is pushed to the switch; nil means the program of the App's name, for the targets of
	// p4ce. Ids may be any; names are those of the program.
	Pipeline *p4.ForwardingPipelineConfig
}

// sessions makes the session of every switch.
func (c *Config) sessions() (out []*session.Session, err error) {
	defer func() {
		if err != nil {
			closeAll(out)
		}
	}()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if len(c.Switches) == 0 {
		return nil, errors.New("controller: no switch")
	}
	names := map[string]bool{}
	for i, sw := range c.Switches {
		if sw.Name == "" {
			sw.Name = sw.P4RT.Address
		}
		if sw.Name == "" {
			return out, fmt.Errorf("controller: switch %d: no address", i)
		}
		if names[sw.Name] {
			return out, fmt.Errorf("controller: switch %s: given twice", sw.Name)
		}
		names[sw.Name] = true
		if sw.App == nil {
			return out, fmt.Errorf("controller: switch %s: no application", sw.Name)
		}
		if sw.Pipeline == nil {
			if sw.Pipeline, err = pipeline.Load(session.Pipeline(sw.App)); err != nil {
				return out, fmt.Errorf("controller: switch %s: %w", sw.Name, err)
			}
		}
		ecn := c.ECN
		if own := c.LinkRates[sw.Name]; len(own) > 0 {
			ecn.Ports = maps.Clone(ecn.Ports)
			if ecn.Ports == nil {
				ecn.Ports = map[uint16]uint64{}
			}
			maps.Copy(ecn.Ports, own)
		}
		s, err := session.New(session.Config{Name: sw.Name, P4RT: sw.P4RT, Pipeline: sw.Pipeline, PuntRate: c.PuntRate, ECN: ecn, Log: c.Log}, sw.App)
		if err != nil {
			return out, fmt.Errorf("controller: switch %s: %w", sw.Name, err)
		}
		out = append(out, s)
	}
	for _, name := range slices.Sorted(maps.Keys(c.LinkRates)) {
		if !names[name] {
			return out, fmt.Errorf("controller: link rate of switch %s: no such switch", name)
		}
	}
	return out, nil
}

func closeAll(list []*session.Session) {
	for _, s := range list {
		s.Close()
	}
}
