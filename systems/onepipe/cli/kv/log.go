// Package kv is the 1Pipe log for p4ce kv: the network orders what the servers say to each other, and every
// server takes writes.
package kv

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/attach"
	"github.com/p4ce/p4ce/host/kv"
	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/control"
	"github.com/p4ce/p4ce/systems/onepipe/private"
	"github.com/p4ce/p4ce/systems/onepipe/rsm"
)

// name is the value of --log.
const name = "onepipe"

// Log is the kind of log.
var Log = kvcli.Log{
	Name:  name,
	About: "the servers themselves, in the order of a network with p4/onepipe (docs/onepipe.md)",
	Usage: "--log onepipe --deployment FILE --host NAME --link LINK",
	Help: `With --log onepipe, switches that run p4/onepipe order the messages of the servers. The
server is a host of the network. The servers have no leader: each serves clients.`,
	Example: `  p4ce kv --log onepipe --deployment network.json --host h1 --link eth1 --data /var/lib/p4ce`,
	New:     func() kvcli.Flags { return &flags{} },
}

// flags are those of the log.
type flags struct {
	deployment, host, link string
	begin, fsync           bool
	interval               time.Duration
}

// Add implements kvcli.Flags.
func (o *flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.deployment, "deployment", "", "the controller's deployment file (JSON), with the switches and hosts")
	f.StringVar(&o.host, "host", "", "name of this server in the deployment")
	f.StringVar(&o.link, "link", "", attach.Usage)
	f.DurationVar(&o.interval, "beacon-interval", 100*time.Microsecond, "pause after which a silent host sends a beacon: messages wait for those of all hosts. Longer takes less of the CPUs")
	f.BoolVar(&o.fsync, "fsync", false, kvcli.FsyncUsage)
	f.BoolVar(&o.begin, "begin", false, "begin with the state of this server, without waiting for the others. What only they have is lost")
}

// log is that of a server.
type log struct {
	o      *flags
	server kvcli.Server
	conf   *control.Config
	place  *control.Place
	first  link.Link    // the host's, until it is opened
	states net.Listener // where this server gives its state to others
	node   atomic.Pointer[rsm.Node]
	web    *http.Server
}

// Check implements kvcli.Flags.
func (o *flags) Check(s kvcli.Server, _ func(string) bool) (kvcli.Opener, error) {
	for name, v := range map[string]string{"deployment": o.deployment, "host": o.host, "link": o.link} {
		if v == "" {
			return nil, cli.Usagef("--log onepipe needs --deployment, --host and --link: --%s is missing", name)
		}
	}
	if o.interval < time.Microsecond || o.interval > time.Second {
		return nil, cli.Usagef("--beacon-interval %v: want 1us to 1s", o.interval)
	}
	if s.SyncEvery <= 0 {
		return nil, cli.Usagef("--sync-every %v: above 0", s.SyncEvery)
	}
	text, err := cli.Settings(o.deployment)
	if err != nil {
		return nil, fmt.Errorf("--deployment: %w", err)
	}
	k := &log{o: o, server: s}
	if k.conf, _, err = control.ParseConfig(text); err == nil {
		k.place, err = k.conf.Place(o.host)
	}
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment %s: %w", o.deployment, err))
	}
	if k.conf.State[o.host] == "" {
		return nil, cli.Usagef("--deployment %s: host %s: state is missing [the address at which the server gives its state to others, HOST:PORT or unix:PATH]", o.deployment, o.host)
	}
	return k, nil
}

// Attach implements kvcli.Opener.
func (k *log) Attach() (err error) {
	k.states, err = kvcli.ListenState(k.conf.State[k.o.host], k.server.TLS, k.server.Insecure, k.server.Log)
	if err != nil {
		if cli.IsUsage(err) {
			return err
		}
		return fmt.Errorf("listen for servers that need the state: %w (the deployment has the address)", err)
	}
	if k.first, err = k.open(); err != nil {
		k.Close()
	}
	return err
}

func (k *log) open() (link.Link, error) {
	return attach.Open(k.o.link, afxdp.Filter{}, netip.AddrFrom4(k.place.IP), onepipe.Port, private.Port)
}

// Close implements kvcli.Opener.
func (k *log) Close() {
	if k.web != nil {
		_ = k.web.Close()
	} else if k.states != nil {
		_ = k.states.Close()
	}
	if k.first != nil {
		_ = k.first.Close()
	}
}

// Open implements kvcli.Opener.
func (k *log) Open(machine *kv.Machine, reg prometheus.Registerer, clients net.Addr) (kvcli.Replicator, kv.Config, error) {
	s := &k.server
	dial, err := kvcli.DialState(s.TLS, s.Log)
	if err != nil {
		return nil, kv.Config{}, err
	}
	node, err := rsm.Open(rsm.Config{
		Name: k.o.host, Servers: k.conf.State, Open: k.openHost, Machine: machine, Client: clients.String(), Dial: dial,
		SyncEvery: s.SyncEvery, Fsync: k.o.fsync, Begin: k.o.begin, Logger: s.Log, Registry: reg,
	})
	if err != nil {
		return nil, kv.Config{}, err
	}
	k.node.Store(node)
	var peers []string
	for name, at := range k.conf.State {
		if name != k.o.host {
			peers = append(peers, at)
		}
	}
	k.web = &http.Server{Handler: kvcli.OnlyServers(peers, node), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second}
	go func() { _ = k.web.Serve(k.states) }() // until it is closed
	return node, kv.Config{MaxRecord: rsm.MaxRecord, Client: clients.String(), Info: k.info}, nil
}

// openHost opens the host, for the first time or again.
func (k *log) openHost(events onepipe.Events) (*onepipe.Host, error) {
	l := k.first
	k.first = nil
	if l == nil {
		var err error
		if l, err = k.open(); err != nil {
			return nil, err
		}
	}
	h, err := onepipe.Open(l, onepipe.Config{
		Addr: k.place.IP, MAC: k.place.MAC, Controller: k.place.Gateway.IP, Resolve: k.place.Resolve, Interval: k.o.interval,
	}, events)
	if err != nil {
		_ = l.Close()
	}
	return h, err
}

// Records implements kvcli.Opener.
func (k *log) Records() uint64 { return k.node.Load().Status().Records }

// info are lines for section replication of INFO.
func (k *log) info() [][2]string {
	st := k.node.Load().Status()
	role := "waits"
	if st.Serving {
		role = "serves"
	}
	return [][2]string{
		{"log", name},
		{"host", k.o.host},
		{"state", role},
		{"view", fmt.Sprint(st.View)},
		{"members", fmt.Sprint(st.Members)},
		{"records", fmt.Sprint(st.Records)},
		{"messages_refused", fmt.Sprint(st.Refused)},
		{"messages_resent", fmt.Sprint(st.Resent)},
		{"states_fetched", fmt.Sprint(st.Fetched)},
	}
}
