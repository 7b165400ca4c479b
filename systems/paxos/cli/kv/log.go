// Package kv is the Paxos log for p4ce kv. The log is in switches, and each server is a host of a
// deployment.
package kv

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/kv"
	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/cli/place"
	"github.com/p4ce/p4ce/systems/paxos/rsm"
)

// name is the value of --log.
const name = "paxos"

// Log is the kind of log.
var Log = kvcli.Log{
	Name:  name,
	About: "switches with p4/paxos (docs/paxos.md)",
	Usage: "--log paxos --deployment FILE --host NAME --link LINK",
	Help: `With --log paxos, the log is in switches that run p4/paxos. The server is a host of a
deployment: a replica and a proposer of the application. The servers have no leader:
each serves clients.`,
	Example: `  p4ce kv --log paxos --deployment net.json --host h1 --link eth1 --data /var/lib/p4ce`,
	New:     func() kvcli.Flags { return &flags{} },
}

// flags are those of the log.
type flags struct {
	place place.Flags
	host  string
	roles string // a file: the roles are programs
}

// Add implements kvcli.Flags.
func (o *flags) Add(f *pflag.FlagSet) {
	o.place.Add(f)
	f.StringVar(&o.host, "host", "", "name of this server in the deployment")
	f.StringVar(&o.roles, "roles", "", "roles that are programs, for a benchmark: a file (JSON), in place of --deployment, --host and --link")
	_ = f.MarkHidden("roles") // it is there
}

// log is that of a server.
type log struct {
	o      *flags
	server kvcli.Server
	m      *place.Host
	node   *rsm.Node
	states net.Listener // where this server gives its state to others
	web    *http.Server
}

// Check implements kvcli.Flags.
func (o *flags) Check(s kvcli.Server, _ func(string) bool) (kvcli.Opener, error) {
	if o.roles != "" {
		m, err := place.Roles(o.roles)
		return &log{o: o, server: s, m: m}, err
	}
	for name, v := range map[string]string{"deployment": o.place.Deployment, "host": o.host, "link": o.place.Link} {
		if v == "" {
			return nil, cli.Usagef("--log paxos needs --deployment, --host and --link: --%s is missing", name)
		}
	}
	if s.SyncEvery <= 0 {
		return nil, cli.Usagef("--sync-every %v: above 0", s.SyncEvery)
	}
	m, err := o.place.Replica(o.host)
	return &log{o: o, server: s, m: m}, err
}

// Attach implements kvcli.Opener.
func (k *log) Attach() (err error) {
	if k.o.roles == "" && (k.m.State == "" || len(k.m.Peers) == 0) {
		k.server.Log.Warn("the deployment does not say where servers give one another their state: one that is away for longer than the switches remember cannot come back", "host", k.o.host)
	}
	if k.m.State != "" {
		k.states, err = kvcli.ListenState(k.m.State, k.server.TLS, k.server.Insecure, k.server.Log)
		if err != nil {
			k.Close()
			if cli.IsUsage(err) {
				return err
			}
			return fmt.Errorf("listen for servers that need the state: %w (the deployment has the address)", err)
		}
	}
	if k.o.roles != "" {
		k.m.Config.Wire, err = k.m.Socket()
	} else {
		k.m.Config.Wire, err = k.o.place.Attach(k.m, k.server.Log)
	}
	if err != nil {
		k.Close()
	}
	return err
}

// Close implements kvcli.Opener.
func (k *log) Close() {
	if k.web != nil {
		_ = k.web.Close()
	} else if k.states != nil {
		_ = k.states.Close()
	}
	if k.node == nil && k.m.Config.Wire != nil {
		_ = k.m.Config.Wire.Close()
	}
}

// Open implements kvcli.Opener.
func (k *log) Open(machine *kv.Machine, reg prometheus.Registerer, clients net.Addr) (kvcli.Replicator, kv.Config, error) {
	s := &k.server
	var err error
	if k.m.Config.Proposer.Client, err = k.m.NextClient(s.Data); err != nil {
		return nil, kv.Config{}, err
	}
	k.m.Config.Proposer.Window = window
	k.m.Config.Replica.Report = report
	dial, err := kvcli.DialState(s.TLS, k.server.Log)
	if err != nil {
		return nil, kv.Config{}, err
	}
	k.node, err = rsm.Open(rsm.Config{
		Log: k.m.Config, Machine: machine, Client: clients.String(), Peers: k.m.Peers, Dial: dial, SyncEvery: s.SyncEvery, Logger: k.server.Log, Registry: reg,
	})
	if err != nil {
		return nil, kv.Config{}, err
	}
	if k.states != nil {
		k.web = &http.Server{Handler: kvcli.OnlyServers(k.m.Peers, k.node), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second}
		go func() { _ = k.web.Serve(k.states) }() // until it is closed
	}
	return k.node, kv.Config{MaxRecord: rsm.MaxRecord, Client: clients.String(), Info: k.info}, nil
}

// A store's values are small and many; and what is in checkpoints is to be known soon, since a
// ring is full in a quarter of a second.
const (
	window = 512
	report = 20 * time.Millisecond
)

// Records implements kvcli.Opener.
func (k *log) Records() uint64 { return k.node.Status().Applied }

// info are lines for section replication of INFO.
func (k *log) info() [][2]string {
	st := k.node.Status()
	return [][2]string{
		{"log", name},
		{"host", k.o.host},
		{"records", fmt.Sprint(st.Applied)},
		{"instance", fmt.Sprint(st.Position)},
		{"heard", fmt.Sprint(st.Heard)},
		{"durable", fmt.Sprint(st.Durable)},
		{"behind", fmt.Sprint(st.Behind)},
		{"values_under_way", fmt.Sprint(st.Pending)},
		{"requests_resent", fmt.Sprint(st.Resent)},
		{"requests_refused", fmt.Sprint(st.Refused)},
		{"states_fetched", fmt.Sprint(st.Fetched)},
	}
}
