// Package place has the flags that select the host of a deployment that a server is, and describe
// how it is attached.
package place

import (
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/attach"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/control"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// Flags say which deployment, which of its logs, and how the host is attached.
type Flags struct {
	Deployment, Application, Link string
}

// Add adds them to a command.
func (o *Flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.Deployment, "deployment", "", "the controller's deployment file (JSON), with the switches and hosts")
	f.StringVar(&o.Application, "application", "", "which log (default: the only one)")
	f.StringVar(&o.Link, "link", "", attach.Usage)
}

// Host is a host of an application.
type Host struct {
	*control.Place
	State string   // where it gives its state to others
	Peers []string // where others do
}

// Replica finds a host in a deployment that is a replica.
func (o *Flags) Replica(name string) (*Host, error) {
	h, err := o.Host(name)
	if err == nil && !h.Replica {
		return nil, cli.Usagef("host %s only proposes, and is not a replica, in %s", name, o.Deployment)
	}
	return h, err
}

// Host finds a host in a deployment that proposes.
func (o *Flags) Host(name string) (*Host, error) {
	text, err := cli.Settings(o.Deployment)
	if err != nil {
		return nil, fmt.Errorf("--deployment: %w", err)
	}
	conf, err := control.ParseConfig(text)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment %s: %w", o.Deployment, err))
	}
	app := 0
	switch i, ok := conf.App(o.Application); {
	case ok:
		app = i
	case o.Application != "":
		return nil, cli.Usagef("--application %s: does not exist in %s", o.Application, o.Deployment)
	case len(conf.Apps) != 1:
		return nil, cli.Usagef("--application is missing: choose one of the %d logs in %s", len(conf.Apps), o.Deployment)
	}
	a := &conf.Apps[app]
	h := &Host{}
	if h.Place, err = conf.Place(app, name); err != nil {
		return nil, cli.Usage(fmt.Errorf("%w in %s", err, o.Deployment))
	}
	h.State = a.State[name]
	for _, r := range a.Replicas {
		if at := a.State[r]; r != name && at != "" {
			h.Peers = append(h.Peers, at)
		}
	}
	return h, nil
}

// Attach opens the link. The log or the guest closes it.
func (o *Flags) Attach(h *Host, log *slog.Logger) (paxos.Wire, error) {
	own, port := netip.AddrFrom4(h.At.IP), h.port()
	l, err := attach.Open(log, o.Link, afxdp.Filter{UDPPort: port, Addr: own}, own, port)
	if err != nil {
		return nil, err
	}
	return h.wire(l), nil
}

// port is the application's.
func (h *Host) port() uint16 {
	if h.Replica {
		return h.Config.Leader.Port()
	}
	return h.Guest.Leader.Port()
}

// wire carries the host's messages on a link.
func (h *Host) wire(l link.Link) paxos.Wire {
	return frames.New(l, frames.Config{
		Addr: netip.AddrPortFrom(netip.AddrFrom4(h.At.IP), h.port()), MAC: h.At.MAC,
		Resolve: func(a netip.Addr) (wire.MAC, bool) { mac, ok := h.MACs[a]; return mac, ok },
	})
}

// NextClient returns an id for what this life of the host proposes: lives are counted in the folder.
func (h *Host) NextClient(dir string) (uint32, error) {
	return paxos.NextClient(filepath.Join(dir, "client"), h.Number)
}
