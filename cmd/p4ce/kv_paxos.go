package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/cli/place"
	"github.com/p4ce/p4ce/systems/paxos/rsm"
)

// paxosKV is a store's log that is in switches.
type paxosKV struct {
	s      *kvServer
	m      *place.Host
	node   *rsm.Node
	states net.Listener // where this server gives its state to others
	web    *http.Server
}

func (k *paxosKV) check() (err error) {
	o := &k.s.o
	for name, v := range map[string]string{"deployment": o.paxos.Deployment, "host": o.host, "link": o.paxos.Link} {
		if v == "" {
			return cli.Usagef("--log paxos needs --deployment, --host and --link: --%s is missing", name)
		}
	}
	if o.syncEvery <= 0 {
		return cli.Usagef("--sync-every %v: above 0", o.syncEvery)
	}
	k.m, err = o.paxos.Host(o.host)
	return err
}

func (k *paxosKV) attach() (err error) {
	if k.m.State == "" || len(k.m.Peers) == 0 {
		k.s.log.Warn("the deployment does not say where servers give one another their state: one that is away for longer than the switches remember cannot come back", "host", k.s.o.host)
	}
	if k.m.State != "" {
		k.states, err = listenState(k.m.State, k.s.o.tls, k.s.o.insecure, k.s.log)
		if err != nil {
			k.close()
			if cli.IsUsage(err) {
				return err
			}
			return fmt.Errorf("listen for servers that need the state: %w (the deployment says where)", err)
		}
	}
	if k.m.Config.Wire, err = k.s.o.paxos.Attach(k.m); err != nil {
		k.close()
	}
	return err
}

func (k *paxosKV) close() {
	if k.web != nil {
		_ = k.web.Close()
	} else if k.states != nil {
		_ = k.states.Close()
	}
	if k.node == nil && k.m.Config.Wire != nil {
		_ = k.m.Config.Wire.Close()
	}
}

func (k *paxosKV) open(machine *kv.Machine, reg prometheus.Registerer, clients net.Addr) (replicator, kv.Config, error) {
	o := &k.s.o
	var err error
	if k.m.Config.Proposer.Client, err = k.m.NextClient(o.data); err != nil {
		return nil, kv.Config{}, err
	}
	k.m.Config.Proposer.Window = paxosWindow
	k.m.Config.Replica.Report = paxosReport
	dial, err := dialState(o.tls, k.s.log)
	if err != nil {
		return nil, kv.Config{}, err
	}
	k.node, err = rsm.Open(rsm.Config{
		Log: k.m.Config, Machine: machine, Client: clients.String(), Peers: k.m.Peers, Dial: dial, SyncEvery: o.syncEvery, Logger: k.s.log, Registry: reg,
	})
	if err != nil {
		return nil, kv.Config{}, err
	}
	if k.states != nil {
		k.web = &http.Server{Handler: onlyServers(k.m.Peers, k.node), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second}
		go func() { _ = k.web.Serve(k.states) }() // until it is closed
	}
	return k.node, kv.Config{MaxRecord: rsm.MaxRecord, Client: clients.String(), Info: k.info}, nil
}

// A store's values are small and many; and what is in checkpoints is to be known soon, since a
// ring is full in a quarter of a second.
const (
	paxosWindow = 512
	paxosReport = 20 * time.Millisecond
)

func (k *paxosKV) records() uint64 { return k.node.Status().Applied }

// info are lines for section replication of INFO.
func (k *paxosKV) info() [][2]string {
	st := k.node.Status()
	return [][2]string{
		{"log", logPaxos},
		{"host", k.s.o.host},
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
