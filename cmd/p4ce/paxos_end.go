package main

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	ctrlpaxos "github.com/p4ce/p4ce/systems/paxos/control"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// paxosEnd is a host's place in a deployment of replicated logs.
type paxosEnd struct {
	deployment, application, link string
}

func (o *paxosEnd) flags(f *pflag.FlagSet, prefix string) {
	f.StringVar(&o.deployment, "deployment", "", prefix+"file (JSON) that says which switches and hosts there are: the controller's")
	f.StringVar(&o.application, "application", "", prefix+"which log (default: the only one)")
	f.StringVar(&o.link, "link", "", prefix+"how the host is attached: INTERFACE, xdp:INTERFACE (AF_XDP, past the kernel's packet sockets), or a datagram socket: unix:LOCAL,PEER or udp:LOCAL,PEER")
}

// member is a host of an application.
type member struct {
	*ctrlpaxos.Place
	state string   // where it gives its state to others
	peers []string // where others do
}

// member finds a host in a deployment.
func (o *paxosEnd) member(name string) (*member, error) {
	text, err := files.Read(o.deployment, files.Settings)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment: %w", err))
	}
	conf, err := ctrlpaxos.ParseConfig(text)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment %s: %w", o.deployment, err))
	}
	app := 0
	switch i, ok := conf.App(o.application); {
	case ok:
		app = i
	case o.application != "":
		return nil, cli.Usagef("--application %s: there is no such one in %s", o.application, o.deployment)
	case len(conf.Apps) != 1:
		return nil, cli.Usagef("--application says which of the %d logs in %s", len(conf.Apps), o.deployment)
	}
	a := &conf.Apps[app]
	m := &member{}
	if m.Place, err = conf.Place(app, name); err != nil {
		return nil, cli.Usage(fmt.Errorf("%w in %s", err, o.deployment))
	}
	m.state = a.State[name]
	for _, h := range a.Replicas {
		if at := a.State[h]; h != name && at != "" {
			m.peers = append(m.peers, at)
		}
	}
	return m, nil
}

// openLink opens what --link names.
func (o *paxosEnd) openLink(m *member) (link.Link, error) {
	if name, ok := strings.CutPrefix(o.link, "xdp:"); ok {
		l, err := afxdp.Open(name, afxdp.Filter{UDPPort: m.Config.Leader.Port(), Addr: netip.AddrFrom4(m.At.IP)})
		if err != nil {
			return nil, fmt.Errorf("--link: %w", err)
		}
		return l, nil
	}
	if datagram.IsPort(o.link) {
		p, err := datagram.OpenPort(o.link)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--link: %w", err))
		}
		return p, nil
	}
	p, err := packet.OpenPort(o.link)
	if err != nil {
		return nil, fmt.Errorf("--link: %w", err)
	}
	return p, nil
}

// attach opens the link. The log closes it.
func (o *paxosEnd) attach(m *member) (paxos.Wire, error) {
	l, err := o.openLink(m)
	if err != nil {
		return nil, err
	}
	return m.wire(l), nil
}

// wire carries the host's messages on a link.
func (m *member) wire(l link.Link) paxos.Wire {
	return frames.New(l, frames.Config{
		Addr: netip.AddrPortFrom(netip.AddrFrom4(m.At.IP), m.Config.Leader.Port()), MAC: m.At.MAC,
		Resolve: func(a netip.Addr) (wire.MAC, bool) { mac, ok := m.MACs[a]; return mac, ok },
	})
}

// client returns an id for what this life of the host proposes: lives are counted in the folder.
func (m *member) client(dir string) (uint32, error) {
	return paxos.NextClient(filepath.Join(dir, "client"), m.Number)
}
