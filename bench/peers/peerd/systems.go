package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/p4ce/p4ce/bench/peers/stores"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	labrunner "github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// system is one of those that are compared.
type system struct {
	name  string
	note  string // what it is, for the report
	run   func(ctx context.Context, r *runner) error
	needs string // a program, as benchOptions.programs names it; "": none
}

// logSize is of our logs: room for more values than there are clients.
const logSize = 16 << 20

// share is how large a WRITE may be that values share: the raft libraries batch, too.
const share = 16 << 10

var systems = []system{
	{"p4ce-direct", "our log, one WRITE per replica, proposals in the leader's process", func(ctx context.Context, r *runner) error { return r.p4ce(ctx, "", 0) }, "p4ce"},
	{"p4ce-accelerated", "our log, one WRITE to the XDP switch", func(ctx context.Context, r *runner) error { return r.p4ce(ctx, lab.SwitchIP.String(), 0) }, "p4ce"},
	{"p4ce-direct-shared", "as p4ce-direct; values that wait share WRITEs", func(ctx context.Context, r *runner) error { return r.p4ce(ctx, "", share) }, "p4ce"},
	{"p4ce-accelerated-shared", "as p4ce-accelerated; values that wait share WRITEs", func(ctx context.Context, r *runner) error { return r.p4ce(ctx, lab.SwitchIP.String(), share) }, "p4ce"},
	{"hashicorp-raft", "hashicorp/raft, in-memory stores, TCP, proposals in the leader's process", func(ctx context.Context, r *runner) error { return r.raft(ctx, "hashicorp") }, ""},
	{"etcd-raft", "etcd-io/raft, in-memory storage, TCP, proposals in the leader's process", func(ctx context.Context, r *runner) error { return r.raft(ctx, "etcd-raft") }, ""},
	{"kv-direct", "p4ce kv in direct mode, clients over TCP", func(ctx context.Context, r *runner) error { return r.kv(ctx, "direct") }, "p4ce"},
	{"kv-accelerated", "p4ce kv behind the XDP switch, clients over TCP", func(ctx context.Context, r *runner) error { return r.kv(ctx, "accelerated") }, "p4ce"},
	{"kv-lease", "as kv-accelerated, reads by the leader's lease", func(ctx context.Context, r *runner) error { return r.kv(ctx, "accelerated", "--reads", "lease") }, "p4ce"},
	{"etcd", "etcd, data on tmpfs, without fsync, clientv3", func(ctx context.Context, r *runner) error { return r.etcd(ctx) }, "etcd"},
	{"redis-wait", "Redis, each SET with a WAIT for a majority; GET at the master", func(ctx context.Context, r *runner) error { return r.redis(ctx, r.servers) }, "redis-server"},
	{"redis-alone", "one Redis, not replicated", func(ctx context.Context, r *runner) error { return r.redis(ctx, 1) }, "redis-server"},
}

// runner runs one system once, in a lab of its own: a host for each server, and the last
// for the clients of stores.
type runner struct {
	o       *benchOptions
	self    string
	servers int
	lab     *lab.Lab
	dir     string // for sockets and data, in memory
	result  func(event)
}

func (r *runner) host(i int) *lab.Host { return r.lab.Hosts[i] }

// clients is the host of those.
func (r *runner) clients() *lab.Host { return r.lab.Hosts[r.servers] }

// second are addresses in the ordinary network, with a port.
func (r *runner) second(n, port int) []string {
	var out []string
	for _, h := range r.lab.Hosts[:n] {
		out = append(out, fmt.Sprintf("%s:%d", h.SecondIP(), port))
	}
	return out
}

func (r *runner) log(name string) io.Writer {
	if r.o.verbose {
		return launch.Prefixed(os.Stderr, name)
	}
	return nil
}

// start starts a server in the namespace of a host.
func (r *runner) start(h *lab.Host, name string, args ...string) (*launch.Process, error) {
	return launch.Start(r.lab, launch.Options{Name: name, Args: args, Host: h, Log: r.log(name)})
}

// measure runs the process that generates the load, to its end. When a server ends
// meanwhile, requests fail, and with them the load.
func (r *runner) measure(ctx context.Context, h *lab.Host, args ...string) error {
	p, err := launch.Start(r.lab, launch.Options{
		Name: "load", Args: append(append([]string{r.self}, args...), r.o.args()...), Host: h, Log: r.log("load"),
		Event: func(_ *launch.Process, line []byte) {
			var e event
			if json.Unmarshal(line, &e) == nil && (e.Event == "result" || e.Event == "failed") {
				r.result(e)
			}
		},
	})
	if err != nil {
		return err
	}
	select {
	case <-p.Gone():
		if p.Err() != nil {
			return fmt.Errorf("the load has ended: %s%s", p.How(), p.Tail())
		}
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("the load: %w%s", context.Cause(ctx), p.Tail())
	}
}

func (r *runner) raft(ctx context.Context, kind string) error {
	servers := strings.Join(r.second(r.servers, 7000), ",")
	for i := 1; i < r.servers; i++ {
		p, err := r.start(r.host(i), fmt.Sprintf("%s %d", kind, i+1), r.self, "serve", "-kind", kind, "-id", fmt.Sprint(i+1), "-servers", servers)
		if err != nil {
			return err
		}
		if err := p.AwaitReady(ctx); err != nil {
			return err
		}
	}
	return r.measure(ctx, r.host(0), "serve", "-kind", kind, "-id", "1", "-servers", servers)
}

// network starts the XDP switch with its controller.
func (r *runner) network(ctx context.Context) (*cluster.Cluster, error) {
	return cluster.Start(ctx, cluster.Options{Options: labrunner.Options{Lab: r.lab, Binary: r.o.p4ce, Dir: r.dir, Logs: r.log}})
}

// p4ce measures our log, through the switch if one is given; share
// is as p4ce node takes it.
func (r *runner) p4ce(ctx context.Context, sw string, share int) error {
	c, err := r.network(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	addresses := []string{r.host(0).IP.String()}
	for i := 1; i < r.servers; i++ {
		addresses = append(addresses, r.host(i).IP.String())
		p, err := r.start(r.host(i), fmt.Sprintf("replica %d", i), r.o.p4ce, "node", "--role", "replica", "--interface", lab.Interface, "--log-size", fmt.Sprint(logSize))
		if err != nil {
			return err
		}
		if err := p.AwaitReady(ctx); err != nil {
			return err
		}
	}
	return r.measure(ctx, r.host(0), "serve", "-kind", "p4ce", "-interface", lab.Interface, "-servers", strings.Join(addresses, ","), "-switch", sw, "-share", fmt.Sprint(share), "-log-size", fmt.Sprint(logSize))
}

// kv measures the store: its servers replicate through the switch's network, and serve
// clients in the ordinary one.
func (r *runner) kv(ctx context.Context, mode string, flags ...string) error {
	c, err := r.network(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	clients := r.second(r.servers, 6379)
	for i := range r.servers {
		args := []string{r.o.p4ce, "kv", "--id", fmt.Sprint(i), "--interface", lab.Interface, "--listen", clients[i], "--insecure", "--data", filepath.Join(r.dir, fmt.Sprintf("data%d", i))}
		args = append(args, flags...)
		if mode == "accelerated" {
			args = append(args, "--switch", lab.SwitchIP.String())
		}
		for k := range r.servers {
			args = append(args, "--member", fmt.Sprintf("%d=%s,%s", k, r.host(k).IP, clients[k]))
		}
		if _, err := r.start(r.host(i), fmt.Sprintf("kv %d", i), args...); err != nil {
			return err
		}
	}
	return r.measure(ctx, r.clients(), append([]string{"load", "-kind", stores.KV, "-mode", mode, "-servers", strings.Join(clients, ",")}, r.o.piped.args()...)...)
}

func (r *runner) etcd(ctx context.Context) error {
	clients, peers := r.second(r.servers, 2379), r.second(r.servers, 2380)
	var all []string
	for i, p := range peers {
		all = append(all, fmt.Sprintf("s%d=http://%s", i, p))
	}
	for i := range r.servers {
		if _, err := r.start(r.host(i), fmt.Sprintf("etcd %d", i), r.o.etcd, "--name", fmt.Sprintf("s%d", i),
			"--data-dir", filepath.Join(r.dir, fmt.Sprintf("etcd%d", i)), "--unsafe-no-fsync", "--logger", "zap", "--log-level", "warn",
			"--listen-client-urls", "http://"+clients[i], "--advertise-client-urls", "http://"+clients[i],
			"--listen-peer-urls", "http://"+peers[i], "--initial-advertise-peer-urls", "http://"+peers[i],
			"--initial-cluster", strings.Join(all, ","), "--initial-cluster-state", "new"); err != nil {
			return err
		}
	}
	return r.measure(ctx, r.clients(), "load", "-kind", stores.Etcd, "-servers", strings.Join(clients, ","))
}

// redis measures n Redis servers without persistence; the first is the master.
func (r *runner) redis(ctx context.Context, n int) error {
	clients := r.second(n, 6379)
	for i := range n {
		dir := filepath.Join(r.dir, fmt.Sprintf("redis%d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		args := []string{
			r.o.redis, "--bind", r.host(i).SecondIP().String(), "--port", "6379", "--protected-mode", "no", "--save", "", "--appendonly", "no", "--dir", dir,
			// A replica is there at once, not after a wait for others.
			"--repl-diskless-sync-delay", "0",
		}
		if i > 0 {
			args = append(args, "--replicaof", r.host(0).SecondIP().String(), "6379")
		}
		if _, err := r.start(r.host(i), fmt.Sprintf("redis %d", i), args...); err != nil {
			return err
		}
	}
	args := []string{"load", "-kind", stores.Redis, "-servers", strings.Join(clients, ",")}
	if n == 1 { // a WAIT would hold up what is behind it
		args = append(args, r.o.piped.args()...)
	}
	return r.measure(ctx, r.clients(), args...)
}
