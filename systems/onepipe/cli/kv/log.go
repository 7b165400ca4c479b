// Package kv is the 1Pipe log for p4ce kv: the network orders what the servers say to each other, and every
// server takes writes.
package kv

import (
	"fmt"
	"net"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/kv"
	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/cli/place"
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
	place.Flags
	begin, fsync bool
}

// Add implements kvcli.Flags.
func (o *flags) Add(f *pflag.FlagSet) {
	o.Flags.Add(f)
	f.BoolVar(&o.fsync, "fsync", false, kvcli.FsyncUsage)
	f.BoolVar(&o.begin, "begin", false, "begin with the state of this server, without waiting for the others. What only they have is lost")
}

// log is that of a server.
type log struct {
	*place.Host
	o      *flags
	server kvcli.Server
	node   atomic.Pointer[rsm.Node]
}

// Check implements kvcli.Flags.
func (o *flags) Check(s kvcli.Server, _ func(string) bool) (kvcli.Opener, error) {
	if s.SyncEvery <= 0 {
		return nil, cli.Usagef("--sync-every %v: above 0", s.SyncEvery)
	}
	h, err := o.Host("--log onepipe", place.Security{TLS: s.TLS, Insecure: s.Insecure, Log: s.Log})
	if err != nil {
		return nil, err
	}
	return &log{Host: h, o: o, server: s}, nil
}

// Open implements kvcli.Opener.
func (k *log) Open(machine *kv.Machine, reg prometheus.Registerer, clients net.Addr) (kvcli.Replicator, kv.Config, error) {
	s := &k.server
	dial, err := k.Dial()
	if err != nil {
		return nil, kv.Config{}, err
	}
	node, err := rsm.Open(rsm.Config{
		Name: k.o.Name, Servers: k.Servers, Open: func(e onepipe.Events) (*onepipe.Host, error) { return k.Host.Open(1, e) },
		Machine: machine, Client: clients.String(), Dial: dial, SyncEvery: s.SyncEvery, Fsync: k.o.fsync, Begin: k.o.begin, Logger: s.Log, Registry: reg,
	})
	if err != nil {
		return nil, kv.Config{}, err
	}
	k.node.Store(node)
	k.Answer(node)
	return node, kv.Config{MaxRecord: rsm.MaxRecord, Client: clients.String(), Info: k.info}, nil
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
		{"host", k.o.Name},
		{"state", role},
		{"view", fmt.Sprint(st.View)},
		{"members", fmt.Sprint(st.Members)},
		{"records", fmt.Sprint(st.Records)},
		{"messages_refused", fmt.Sprint(st.Refused)},
		{"messages_resent", fmt.Sprint(st.Resent)},
		{"states_fetched", fmt.Sprint(st.Fetched)},
	}
}
