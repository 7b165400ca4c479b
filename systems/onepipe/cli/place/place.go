// Package place has the flags that select the host of a network that a server is, and how it is attached.
package place

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/attach"
	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/control"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// Flags say which host of which network the server is, and how it is attached.
type Flags struct {
	Deployment, Name, Link string
	Interval               time.Duration
}

// Add adds them to a command.
func (o *Flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.Deployment, "deployment", "", "the controller's deployment file (JSON), with the switches and hosts")
	f.StringVar(&o.Name, "host", "", "name of this server in the deployment")
	f.StringVar(&o.Link, "link", "", attach.Usage)
	f.DurationVar(&o.Interval, "beacon-interval", 100*time.Microsecond, "pause after which a silent host sends a beacon: messages wait for those of all hosts. Longer takes less of the CPUs")
}

// Security is how servers that ask one another know who asks.
type Security struct {
	TLS      certs.Files
	Insecure bool
	Log      *slog.Logger
}

// Host is a host of the network that is a server: one with an address at which other servers ask it something.
type Host struct {
	// Servers are all servers, by name: where each is asked.
	Servers map[string]string

	o     *Flags
	s     Security
	place *control.Place
	first link.Link    // the host's, until it is opened
	asked net.Listener // where other servers ask
	web   *http.Server // that answers them
}

// Host finds the host in the deployment. It opens nothing. what is the command, for an error.
func (o *Flags) Host(what string, s Security) (*Host, error) {
	for _, f := range [][2]string{{"deployment", o.Deployment}, {"host", o.Name}, {"link", o.Link}} {
		if f[1] == "" {
			return nil, cli.Usagef("%s needs --deployment, --host and --link: --%s is missing", what, f[0])
		}
	}
	if o.Interval < time.Microsecond || o.Interval > time.Second {
		return nil, cli.Usagef("--beacon-interval %v: want 1us to 1s", o.Interval)
	}
	text, err := cli.Settings(o.Deployment)
	if err != nil {
		return nil, fmt.Errorf("--deployment: %w", err)
	}
	h := &Host{o: o, s: s}
	conf, _, err := control.ParseConfig(text)
	if err == nil {
		h.place, err = conf.Place(o.Name)
	}
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment %s: %w", o.Deployment, err))
	}
	if h.Servers = conf.State; h.Servers[o.Name] == "" {
		return nil, cli.Usagef("--deployment %s: host %s: state is missing [the address at which the server answers other servers, HOST:PORT or unix:PATH]", o.Deployment, o.Name)
	}
	return h, nil
}

// Attach opens the link, and where other servers ask this one. If it fails, nothing remains open.
func (h *Host) Attach() (err error) {
	h.asked, err = kvcli.ListenState(h.Servers[h.o.Name], h.s.TLS, h.s.Insecure, h.s.Log)
	if err != nil {
		if cli.IsUsage(err) {
			return err
		}
		return fmt.Errorf("listen for other servers: %w (the deployment has the address)", err)
	}
	if h.first, err = h.open(); err != nil {
		h.Close()
	}
	return err
}

// Dial is how to ask another server.
func (h *Host) Dial() (func(ctx context.Context, server string) (net.Conn, error), error) {
	return kvcli.DialState(h.s.TLS, h.s.Log)
}

// Answer has a handler answer other servers, until Close.
func (h *Host) Answer(with http.Handler) {
	var others []string
	for name, at := range h.Servers {
		if name != h.o.Name {
			others = append(others, at)
		}
	}
	h.web = &http.Server{Handler: kvcli.OnlyServers(others, with), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second}
	go func() { _ = h.web.Serve(h.asked) }() // until it is closed
}

// Close closes what Attach has opened, after the host was closed.
func (h *Host) Close() {
	if h.web != nil {
		_ = h.web.Close()
	} else if h.asked != nil {
		_ = h.asked.Close()
	}
	if h.first != nil {
		_ = h.first.Close()
	}
}

// Open opens the host with so many processes, for the first time or again.
func (h *Host) Open(processes int, events onepipe.Events) (*onepipe.Host, error) {
	l := h.first
	h.first = nil
	if l == nil {
		var err error
		if l, err = h.open(); err != nil {
			return nil, err
		}
	}
	host, err := onepipe.Open(l, onepipe.Config{
		Addr: h.place.IP, MAC: h.place.MAC, Controller: h.place.Gateway.IP, Resolve: h.place.Resolve, Interval: h.o.Interval, Processes: processes,
	}, events)
	if err != nil {
		_ = l.Close()
	}
	return host, err
}

func (h *Host) open() (link.Link, error) {
	return attach.Open(h.s.Log, h.o.Link, afxdp.Filter{}, netip.AddrFrom4(h.place.IP), onepipe.Port, private.Port)
}
