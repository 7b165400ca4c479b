// Package demo has the demo of atomic multicast: p4ce demo amcast.
package demo

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// Demos are the system's.
var Demos = []demo.Demo{{
	Command: command,
	About: `p4ce demo amcast builds two leaves and two spines that order messages to three groups of
replicas. Six hosts send to one, two or three groups at the same time. All replicas of a group
deliver the same messages in the same order. With --kill, a switch or a host dies meanwhile.`,
}}

// victims are what --kill may say: what dies, and the hosts that are lost with it.
var victims = map[string]struct {
	name, text string
	hosts      []string
}{
	"leader": {"leaf1", "leaf1, which leads groups 1 and 3,", []string{"h1", "h2", "h3"}},
	"spine":  {"spine1", "spine1, a follower of all groups,", nil},
	"host":   {"h2", "Host h2, a replica of group 2,", []string{"h2"}},
}

func command() *cobra.Command {
	var kill string
	c := demo.Switches{
		Name: "amcast", Short: "Deliver messages to several groups in one order, with switches as their leaders and members",
		Long: `Build a network of two leaves and two spines that run atomic multicast (see docs/amcast.md), and six
hosts. Each of three groups has three switches as members and two hosts as replicas. All hosts send messages to
one, two or three groups, at the same time. The demo prints in which order each replica has delivered, and checks
that the replicas of a group agree, and that the order is acyclic over all groups.

--kill leader, spine or host kills one while the hosts send.`,
		Window: amcast.Window,
		Count:  3000,
		Run: func(ctx context.Context, r *demo.Run) error {
			if _, ok := victims[kill]; !ok && kill != "" {
				return cli.Usagef("--kill %q: leader, spine or host", kill)
			}
			if r.Window&(r.Window-1) != 0 {
				return cli.Usagef("--window %d: want a power of two", r.Window)
			}
			return show(ctx, r, kill)
		},
	}.Command()
	c.Flags().StringVar(&kill, "kill", "", "what dies while the hosts send: leader, spine or host")
	_ = c.Flags().Set("window", fmt.Sprint(amcast.Window)) // all that the switches have
	c.Flags().Lookup("window").DefValue = fmt.Sprint(amcast.Window)
	return c
}

// replica is a replica of the demo, and what it has delivered.
type replica struct {
	group uint8
	host  string

	mu    sync.Mutex
	order []amcast.Delivery
	took  *latency.Histogram // from Multicast to Deliver
	last  time.Time
	gap   time.Duration // the longest between two messages
}

// network is that of the demo.
type network struct {
	*demo.Run
	net      *lab.Network
	hosts    map[string]*amcast.Host
	replicas []*replica
	start    time.Time
	sent     map[amcast.ID]amcast.Groups
	mu       sync.Mutex // of sent
	dead     []string
}

// show runs the demo.
func show(ctx context.Context, r *demo.Run, kill string) (err error) {
	d := &network{Run: r, hosts: map[string]*amcast.Host{}, sent: map[amcast.ID]amcast.Groups{}, start: time.Now()}
	fmt.Fprintf(r.Stdout, "Two leaves and two spines, each a process, on %s. Three groups, each with three of the\nswitches as members. Six hosts send to one, two or three groups, %d messages at once each.\n\n", r.Where(), r.Window)
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	if d.net, err = lab.Start(setup, lab.Options{Binary: r.Self, Dir: r.Dir, Target: r.Target, Log: r.Log(), Window: r.Window}); err != nil {
		return err
	}
	defer d.net.Close()
	var delivering sync.WaitGroup
	defer delivering.Wait()
	defer func() {
		for _, h := range d.hosts {
			_ = h.Close()
		}
	}()
	for _, name := range d.net.Hosts() {
		if d.hosts[name], err = d.net.Attach(name); err != nil {
			delete(d.hosts, name)
			return err
		}
	}
	for _, h := range d.hosts {
		if err := h.Wait(setup); err != nil {
			return err
		}
	}
	for _, g := range d.net.Config().Groups {
		for _, name := range g.Replicas {
			x := &replica{group: g.Number, host: name, took: latency.New()}
			d.replicas = append(d.replicas, x)
			delivering.Go(func() { d.deliver(x, d.hosts[name]) })
		}
	}
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return d.run(limit, kill)
}

// deliver takes what a replica delivers, until its host ends.
func (d *network) deliver(x *replica, h *amcast.Host) {
	for {
		m, err := h.Deliver(context.Background(), x.group)
		if err != nil {
			return
		}
		now := time.Now()
		x.mu.Lock()
		x.order = append(x.order, m)
		if len(m.Payload) == 8 {
			x.took.Add(now.Sub(d.start) - time.Duration(binary.BigEndian.Uint64(m.Payload)))
		}
		if !x.last.IsZero() {
			x.gap = max(x.gap, now.Sub(x.last))
		}
		x.last = now
		x.mu.Unlock()
	}
}

// sets are destinations.
var sets = [][]uint8{{1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}}

// send has a host send so many messages. halfway is called when it has sent half of them.
func (d *network) send(ctx context.Context, name string, n int, halfway func()) error {
	for i := range n {
		if i == n/2 && halfway != nil {
			halfway()
		}
		groups, err := amcast.NewGroups(sets[i%len(sets)]...)
		if err != nil {
			return err
		}
		payload := binary.BigEndian.AppendUint64(nil, uint64(time.Since(d.start)))
		id, err := d.hosts[name].Multicast(ctx, groups, payload)
		if err != nil {
			if slices.Contains(d.victims(), name) && (errors.Is(err, net.ErrClosed) || errors.Is(err, amcast.ErrEnded)) {
				return nil
			}
			return fmt.Errorf("host %s: %w", name, err)
		}
		d.mu.Lock()
		d.sent[id] = groups
		d.mu.Unlock()
	}
	return nil
}

func (d *network) victims() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.dead)
}

// run has all hosts send, and shows what was delivered.
func (d *network) run(ctx context.Context, kill string) error {
	v := victims[kill]
	senders := d.net.Hosts()
	if kill == "leader" { // those behind it can say nothing
		senders = slices.DeleteFunc(slices.Clone(senders), func(h string) bool { return slices.Contains(v.hosts, h) })
	}
	each := max(2, d.Count/len(senders))
	var halfway func()
	if kill != "" {
		halfway = func() {
			d.mu.Lock()
			d.dead = v.hosts
			d.mu.Unlock()
			if kill == "host" {
				d.net.KillHost(v.name)
			} else {
				d.net.Kill(v.name)
			}
		}
	}
	begin := time.Now()
	var all sync.WaitGroup
	errs := make([]error, len(senders))
	for i, name := range senders {
		call := halfway
		if i != len(senders)-1 {
			call = nil
		}
		all.Go(func() { errs[i] = d.send(ctx, name, each, call) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	dead := d.victims()
	for _, name := range d.net.Hosts() {
		if slices.Contains(dead, name) {
			continue
		}
		if err := d.hosts[name].Flush(ctx); err != nil {
			return fmt.Errorf("host %s: %w", name, err)
		}
	}
	took := time.Since(begin)
	n, err := d.settle(ctx, dead)
	if err != nil {
		return err
	}
	d.print(dead, took)
	if err := d.judge(dead); err != nil {
		return err
	}
	fmt.Fprintf(d.Stdout, "\nThe replicas of a group that live have delivered the same %d messages in all, each once, in the same order.\nOver all groups, no message comes after itself.\n", n)
	if kill == "" {
		return nil
	}
	var gap time.Duration
	for _, x := range d.replicas {
		if !slices.Contains(dead, x.host) {
			gap = max(gap, x.gap)
		}
	}
	fmt.Fprintf(d.Stdout, "\n%s was killed while the hosts sent; the longest that a replica waited was %v.\n", v.text, gap.Round(time.Millisecond))
	return d.leaders(ctx)
}

// settle waits until all replicas that live have delivered what one of them has, or what a sender that lives has sent, and
// says how many messages that is.
func (d *network) settle(ctx context.Context, dead []string) (int, error) {
	for {
		n, missing := d.count(dead)
		if missing == "" {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return n, fmt.Errorf("%w: %s", ctx.Err(), missing)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (d *network) count(dead []string) (n int, missing string) {
	clients := map[uint16]bool{}
	for _, name := range dead {
		if c, ok := d.hosts[name].Client(); ok {
			clients[c] = true
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	must := map[amcast.ID]amcast.Groups{}
	for id, groups := range d.sent {
		if !clients[id.Client] {
			must[id] = groups
		}
	}
	has := make([]map[amcast.ID]bool, len(d.replicas))
	for i, x := range d.replicas {
		has[i] = map[amcast.ID]bool{}
		x.mu.Lock()
		for _, m := range x.order {
			has[i][m.ID] = true
			if !slices.Contains(dead, x.host) {
				must[m.ID] = m.Groups
			}
		}
		x.mu.Unlock()
	}
	for id, groups := range must {
		for i, x := range d.replicas {
			if groups.Has(x.group) && !slices.Contains(dead, x.host) && !has[i][id] {
				missing = fmt.Sprintf("replica %s of group %d has not delivered message %v", x.host, x.group, id)
			}
		}
	}
	return len(must), missing
}

// print shows what each replica has delivered.
func (d *network) print(dead []string, took time.Duration) {
	tab := tabwriter.NewWriter(d.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "GROUP\tREPLICA\tDELIVERED\tPER SECOND\tLATENCY P50\tP99\tORDER (CLIENT/NUMBER), ITS LAST MESSAGES, AND A DIGEST OF ALL")
	for _, x := range d.replicas {
		x.mu.Lock()
		var last []string
		for _, m := range x.order[max(0, len(x.order)-4):] {
			last = append(last, m.ID.String())
		}
		s := x.took.Summary()
		name := x.host
		if slices.Contains(dead, name) {
			name += " (killed)"
		}
		fmt.Fprintf(tab, "%d\t%s\t%d\t%.0f\t%v\t%v\t%s  %016x\n", x.group, name, len(x.order), float64(len(x.order))/took.Seconds(), demo.Micros(s.P50), demo.Micros(s.P99), strings.Join(last, " "), digest(x.order))
		x.mu.Unlock()
	}
	tab.Flush()
}

// digest is a number for what a replica has delivered, in its order.
func digest(order []amcast.Delivery) uint64 {
	h := fnv.New64a()
	for _, m := range order {
		fmt.Fprintln(h, m.Final, m.ID)
	}
	return h.Sum64()
}

// judge checks that replicas of a group agree, that each message comes once, and that no message comes after itself.
func (d *network) judge(dead []string) error {
	after := map[amcast.ID][]amcast.ID{}
	first := map[uint8]*replica{}
	for _, x := range d.replicas {
		for i := 1; i < len(x.order); i++ {
			if !x.order[i-1].Before(&x.order[i]) {
				return fmt.Errorf("replica %s of group %d has delivered %v after %v", x.host, x.group, x.order[i].ID, x.order[i-1].ID)
			}
			after[x.order[i-1].ID] = append(after[x.order[i-1].ID], x.order[i].ID)
		}
		if slices.Contains(dead, x.host) {
			continue // it has a part; its places in the order are checked below
		}
		if first[x.group] == nil {
			first[x.group] = x
		}
		if digest(first[x.group].order) != digest(x.order) {
			return fmt.Errorf("replicas %s and %s of group %d have delivered in different orders", first[x.group].host, x.host, x.group)
		}
	}
	finals := map[amcast.ID]uint32{}
	for _, x := range d.replicas {
		for _, m := range x.order {
			if f, known := finals[m.ID]; known && f != m.Final {
				return fmt.Errorf("message %v has two places in the order: %d and %d", m.ID, f, m.Final)
			}
			finals[m.ID] = m.Final
		}
	}
	state := map[amcast.ID]int{}
	var visit func(amcast.ID) error
	visit = func(id amcast.ID) error {
		switch state[id] {
		case 1:
			return fmt.Errorf("message %v comes after itself", id)
		case 2:
			return nil
		}
		state[id] = 1
		for _, next := range after[id] {
			if err := visit(next); err != nil {
				return err
			}
		}
		state[id] = 2
		return nil
	}
	for id := range after {
		if err := visit(id); err != nil {
			return err
		}
	}
	return nil
}

// leaders shows who leads now.
func (d *network) leaders(ctx context.Context) error {
	list, err := d.net.Await(ctx, func(g *control.GroupStatus) bool { return g.State == "running" })
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b control.GroupStatus) int { return cmp.Compare(a.Number, b.Number) })
	var text []string
	for _, g := range list {
		text = append(text, fmt.Sprintf("%s leads group %d in epoch %d", g.Leader, g.Number, g.Epoch))
	}
	fmt.Fprintf(d.Stdout, "Now %s.\n", strings.Join(text, ", "))
	return nil
}
