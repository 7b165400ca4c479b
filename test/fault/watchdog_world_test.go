package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/roce/wire"
	paxoslab "github.com/p4ce/p4ce/systems/paxos/lab"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
	labstore "github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// The worlds of TestWatchdog.
const (
	inRDMA    = "rdma"    // a switch, two controllers with etcd, three servers of a store with disks of their own
	inAlone   = "alone"   // a switch that records packets, and a controller with a folder
	inPaxos   = "paxos"   // a deployment, two controllers with etcd, two servers of a store
	inJournal = "journal" // a deployment, and a controller with a journal
)

// watched is a controller.
type watched struct {
	name   string
	proc   *launch.Process
	client *admin.Client
	at     string // its admin API
}

// world is what the cells of a world are tried in.
type world struct {
	t     *testing.T
	ctx   context.Context
	etcd  *etcd
	disks map[string]*disk

	first, second *watched // first serves the switches, and second, if there is one, stands by
	again         func(*watched) *launch.Process
	agents        map[string]string // where switches serve /healthz, by name
	agent         func(name string) *launch.Process
	asks          *asker

	pending func() // what is to come first when the dependency goes on
	stuck   int    // the server that a cell is about

	// Of worlds with a store.
	servers func() []*kvserver.Server
	load    *load
	settled func() // waits until the store is whole
	last    func() // ends the clients, and checks what they saw

	rdma    *run
	paxos   *paxosRun
	alone   *cluster.Cluster
	network *paxoslab.Network
}

// soon waits until something is so.
func (w *world) soon(what string, is func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			require.Fail(w.t, "it does not come to this: "+what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// health asks at an address for /healthz.
func (w *world) health(at string) (code int, text string, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
	defer cancel()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", strings.TrimPrefix(at, "unix:"))
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://it/healthz", nil)
	if err != nil {
		return 0, "", err
	}
	r, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, string(b), err
}

// isWell waits until /healthz says ok. It answers all the time.
func (w *world) isWell(at string) {
	w.t.Helper()
	var text string
	w.soon(at+" is well", func() bool {
		code, now, err := w.health(at)
		require.NoError(w.t, err)
		if now != text && code != http.StatusOK {
			w.t.Logf("%s: %d %s", filepath.Base(at), code, strings.TrimSpace(now))
		}
		text = now
		return code == http.StatusOK && now == "ok\n"
	})
}

// isUnwell waits until /healthz says 503 and why.
func (w *world) isUnwell(at, why string) {
	w.t.Helper()
	pattern := regexp.MustCompile(why)
	var text string
	w.soon(at+" says: "+why, func() bool {
		code, now, err := w.health(at)
		require.NoError(w.t, err)
		text = now
		return code == http.StatusServiceUnavailable && pattern.MatchString(now)
	})
	w.t.Logf("%s: %s", filepath.Base(at), strings.TrimSpace(text))
}

// status asks a controller, which must answer.
func (w *world) status(c *watched) *admin.Status {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
	defer cancel()
	st, err := c.client.Status(ctx)
	require.NoError(w.t, err, "%s does not answer", c.name)
	return st
}

// has says whether a controller has the switches.
func (w *world) has(c *watched) bool {
	st := w.status(c)
	for _, u := range st.Units {
		if !u.Here {
			return false
		}
	}
	for _, s := range st.Switches {
		if !s.InControl {
			return false
		}
	}
	return len(st.Switches) > 0
}

// takesOver waits until the second controller has the switches.
func (w *world) takesOver() {
	w.t.Helper()
	w.soon(w.second.name+" has the switches", func() bool { return w.has(w.second) })
	w.first, w.second = w.second, w.first
}

// answersARP waits for an answer to ARP.
func (w *world) answersARP() {
	w.t.Helper()
	w.soon("ARP is answered", w.asks.ask)
}

// serves waits until clients of the store were served.
func (w *world) serves() {
	w.t.Helper()
	w.load.progress(w.t, 100)
}

// well waits until everything works.
func (w *world) well() {
	w.t.Helper()
	if f := w.pending; f != nil {
		w.pending = nil
		f()
	}
	switch {
	case w.second == nil:
		w.soon(w.first.name+" has the switches", func() bool { return w.has(w.first) })
	default:
		w.soon("one controller has the switches, and the other one stands by", func() bool {
			if w.has(w.second) {
				w.first, w.second = w.second, w.first
			}
			st := w.status(w.second)
			return w.has(w.first) && len(st.Units) == 1 && !st.Units[0].Here && st.Units[0].Holder == w.first.name
		})
		w.isWell(w.second.at)
	}
	w.isWell(w.first.at)
	w.answersARP()
	for _, at := range w.agents {
		w.isWell(at)
	}
	if w.servers == nil {
		return
	}
	w.settled()
	for _, s := range w.servers() {
		w.isWell(s.Metrics())
	}
	w.serves()
}

// end has nobody read what the programs print, and ends them.
func (w *world) end() {
	var all []*launch.Process
	if w.servers != nil {
		w.last()
		for _, s := range w.servers() {
			all = append(all, s.Proc)
		}
	}
	all = append(all, w.first.proc)
	if w.second != nil {
		all = append(all, w.second.proc)
	}
	for name := range w.agents {
		all = append(all, w.agent(name))
	}
	goOn := unread(w.t, all...)
	for _, p := range all {
		require.NoError(w.t, p.Signal(syscall.SIGTERM))
		w.soon(p.Name+" ends", p.Dying)
	}
	goOn()
	for _, p := range all {
		<-p.Done()
		if !errors.Is(p.Err(), exec.ErrWaitDelay) { // that is us, who did not read
			require.NoError(w.t, p.Err(), "%s does not end in order", p.Name)
		}
	}
}

// worldDir is a folder with a path that is short enough for sockets.
func worldDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "p4ce-watch-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func adminOf(p string) *admin.Client { return admin.NewClient(p) }

const worldTime = 6 * time.Minute

func openRDMA(t *testing.T) *world {
	wanted(t)
	dir := worldDir(t)
	w := &world{t: t, disks: map[string]*disk{}}
	for i := range 3 {
		name := fmt.Sprint("data", i)
		w.disks[name] = newDisk(t, filepath.Join(dir, name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), worldTime)
	t.Cleanup(cancel)
	w.etcd = startEtcd(t, ctx)
	flags := func(name string) []string {
		return []string{"--name", name, "--store", "etcd:" + w.etcd.endpoint, "--cluster", "1=" + secret(t, 0x5eed)}
	}
	metrics := "unix:" + filepath.Join(dir, "switch.metrics")
	w.rdma = openWith(t, worldTime, labstore.Options{
		Dir: dir, Servers: 3, Others: 1, Flags: []string{"--heartbeat", "60ms", "--fsync"},
		Cluster: cluster.Options{Controller: flags("c1"), Switch: []string{"--metrics", metrics}},
	})
	r := w.rdma
	w.ctx = r.ctx
	at := r.AdminOf
	w.first = &watched{"c1", r.Controller(), adminOf(r.AdminOf(runner.Controller)), r.AdminOf(runner.Controller)}
	begin := func(name string) *launch.Process {
		p, _, err := r.StartAnother(r.ctx, name, flags(name)...)
		r.ok(err)
		return p
	}
	w.second = &watched{"c2", begin("c2"), adminOf(at("c2")), at("c2")}
	w.again = func(c *watched) *launch.Process {
		c.at = at(c.name)
		c.client = adminOf(c.at)
		return begin(c.name)
	}
	w.agents = map[string]string{"switch": metrics}
	w.agent = func(string) *launch.Process { return r.Switch() }
	other := r.Lab.Hosts[3]
	of, _ := wire.AddrFrom(lab.SwitchIP)
	w.asks = newAsker(t, func(f func() error) error { return r.Lab.InHost(other, f) }, lab.Interface, host(other), of)
	w.servers = func() (all []*kvserver.Server) {
		for i := range r.Servers() {
			all = append(all, r.Server(i))
		}
		return all
	}
	r.load = startLoad(r.ctx, r.Store)
	w.load = r.load
	w.settled = func() {
		r.t = w.t
		_, err := r.Whole(r.ctx, "accelerated")
		r.ok(err)
	}
	w.last = func() { r.t = w.t; r.finish() }
	return w
}

// openAlone is a switch and one controller.
func openAlone(t *testing.T) *world {
	wanted(t)
	dir := worldDir(t)
	w := &world{t: t, disks: map[string]*disk{}}
	for _, name := range []string{"store", "capture"} {
		w.disks[name] = newDisk(t, filepath.Join(dir, name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), worldTime)
	w.ctx = ctx
	t.Cleanup(cancel)
	l, err := lab.New(2)
	require.NoError(t, err)
	log := &lab.Log{}
	t.Cleanup(func() {
		l.Close()
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	metrics := "unix:" + filepath.Join(dir, "switch.metrics")
	o := cluster.Options{
		Options: runner.Options{Lab: l, Binary: binary, Dir: dir, Log: log}, Controller: []string{"--store", w.disks["store"].dir},
		Switch: []string{"--metrics", metrics, "--capture", filepath.Join(w.disks["capture"].dir, "packets")},
	}
	w.alone, err = cluster.Start(ctx, o)
	require.NoError(t, err)
	t.Cleanup(w.alone.Close)
	w.first = &watched{"controller", w.alone.Controller(), adminOf(w.alone.AdminOf(runner.Controller)), w.alone.AdminOf(runner.Controller)}
	w.agents = map[string]string{"switch": metrics}
	w.agent = func(string) *launch.Process { return w.alone.Switch() }
	of, _ := wire.AddrFrom(lab.SwitchIP)
	w.asks = newAsker(t, func(f func() error) error { return l.InHost(l.Hosts[1], f) }, lab.Interface, host(l.Hosts[1]), of)
	return w
}

// ofNetwork fills in what a world with a deployment has.
func (w *world) ofNetwork(n *paxoslab.Network) {
	w.network = n
	w.agents = map[string]string{}
	for _, name := range []string{"t", "l", "a1", "a2", "a3"} {
		w.agents[name] = n.Metrics(name)
	}
	w.agent = n.Switch
	// The leader's address, by the name of the host that the interface belongs to.
	w.asks = newAsker(w.t, n.Lab().InSwitch, n.HostEnd("h1"), party{wire.Addr{10, 0, 3, 1}, wire.MAC{2, 0, 0, 0, 3, 1}}, wire.Addr{10, 0, 0, 100})
}

func openPaxos(t *testing.T) *world {
	wanted(t)
	dir := worldDir(t)
	w := &world{t: t, disks: map[string]*disk{}}
	for _, name := range []string{"data-h1", "data-h2"} {
		w.disks[name] = newDisk(t, filepath.Join(dir, name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), worldTime)
	t.Cleanup(cancel)
	w.etcd = startEtcd(t, ctx)
	kept := func(name string) []string { return []string{"--name", name, "--store", "etcd:" + w.etcd.endpoint} }
	w.paxos = startPaxosIn(t, worldTime, paxoslab.Options{Dir: dir, Deployment: paxoslab.Small, Kept: kept("controller")})
	r := w.paxos
	w.ctx = r.ctx
	w.first = &watched{"controller", r.Controller(), adminOf(r.AdminOf("controller")), r.AdminOf("controller")}
	begin := func(name string) *launch.Process {
		p, err := r.StartStandby(r.ctx, name, kept(name)...)
		r.ok(err)
		return p
	}
	w.second = &watched{"second", begin("second"), adminOf(r.AdminOf("second")), r.AdminOf("second")}
	w.again = func(c *watched) *launch.Process { return begin(c.name) }
	w.ofNetwork(r.Network)
	w.servers = func() (all []*kvserver.Server) {
		for i := range r.Servers() {
			all = append(all, r.Server(i))
		}
		return all
	}
	w.load = r.load
	w.settled = func() {
		r.t = w.t
		r.Ask(w.first.name)
		r.begins("l")
	}
	w.last = func() { r.t = w.t; r.finish() }
	return w
}

func openJournal(t *testing.T) *world {
	wanted(t)
	dir := worldDir(t)
	w := &world{t: t, disks: map[string]*disk{"journal": newDisk(t, filepath.Join(dir, "journal"))}}
	ctx, cancel := context.WithTimeout(context.Background(), worldTime)
	w.ctx = ctx
	t.Cleanup(cancel)
	log := &lab.Log{}
	n, err := paxoslab.Start(ctx, paxoslab.Options{Binary: binary, Dir: dir, Target: "xdp", Log: log})
	t.Cleanup(func() {
		if n != nil {
			n.Close()
		}
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	require.NoError(t, err)
	w.first = &watched{"controller", n.Controller(), adminOf(n.AdminOf("controller")), n.AdminOf("controller")}
	w.ofNetwork(n)
	return w
}
