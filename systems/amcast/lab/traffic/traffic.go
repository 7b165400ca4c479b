package traffic

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/lab"
	"github.com/p4ce/p4ce/systems/amcast/store"
)

// keys of a partition.
const keys = 8

// Traffic is the store on a network's hosts, and its clients.
type Traffic struct {
	net        *lab.Network
	ctx        context.Context
	cancel     context.CancelFunc
	partitions store.Partitions
	sets       [][]uint8          // partitions of a transaction
	keys       map[uint8][]string // of each partition
	hosts      map[string]*amcast.Host
	clients    map[uint16]string // their hosts
	replicas   []*replica
	start      time.Time
	begun      time.Duration // clients have, and have ended
	over       time.Duration
	stopped    atomic.Bool
	running    sync.WaitGroup // clients
	serving    sync.WaitGroup

	mu    sync.Mutex // of what follows
	dead  map[string]bool
	list  []record
	ended map[uint8]int // transactions, by partition
	all   int
	err   error
}

// record is a transaction, and its message.
type record struct {
	history.Txn
	message
	groups amcast.Groups
	last   bool // it reads what is there in the end
}

// message is what a client has sent. Those of transactions that only read may be alike.
type message struct {
	host, payload string
}

// replica is one of a partition, and what it has executed.
type replica struct {
	group uint8
	host  string

	mu  sync.Mutex
	log []amcast.Delivery
	at  []time.Duration
}

// Start attaches all hosts of a network, which serve their partitions. ctx bounds all that they do.
func Start(ctx context.Context, n *lab.Network) (*Traffic, error) {
	t := &Traffic{net: n, hosts: map[string]*amcast.Host{}, clients: map[uint16]string{}, start: time.Now(), dead: map[string]bool{}, keys: map[uint8][]string{}, ended: map[uint8]int{}}
	t.ctx, t.cancel = context.WithCancel(ctx)
	for _, g := range n.Config().Groups {
		t.partitions = append(t.partitions, g.Number)
	}
	t.sets = subsets(t.partitions)
	for i, full := 0, 0; full < len(t.partitions); i++ {
		k := fmt.Sprint("k", i)
		p := t.partitions.Of(k)
		if t.keys[p] = append(t.keys[p], k); len(t.keys[p]) == keys {
			full++
		}
	}
	if err := t.join(); err != nil {
		t.Close()
		return nil, err
	}
	for _, g := range n.Config().Groups {
		for _, name := range g.Replicas {
			x := &replica{group: g.Number, host: name}
			t.replicas = append(t.replicas, x)
			t.serving.Go(func() { t.fail(name, t.serve(x)) })
		}
	}
	return t, nil
}

// join has all hosts join.
func (t *Traffic) join() error {
	for _, name := range t.net.Hosts() {
		h, err := t.net.Attach(name)
		if err != nil {
			return err
		}
		t.hosts[name] = h
	}
	for name, h := range t.hosts {
		if err := h.Wait(t.ctx); err != nil {
			return fmt.Errorf("host %s: %w", name, err)
		}
		number, _ := h.Client()
		t.clients[number] = name
	}
	return nil
}

// subsets are the destinations that messages may have.
func subsets(list []uint8) (out [][]uint8) {
	for bits := 1; bits < 1<<len(list); bits++ {
		var set []uint8
		for i, n := range list {
			if bits>>i&1 == 1 {
				set = append(set, n)
			}
		}
		if _, err := amcast.NewGroups(set...); err == nil {
			out = append(out, set)
		}
	}
	return out
}

// Close ends clients and hosts.
func (t *Traffic) Close() {
	t.cancel()
	t.running.Wait()
	for _, h := range t.hosts {
		_ = h.Close()
	}
	t.serving.Wait()
}

// fail notes what has failed first, at a host that should go on.
func (t *Traffic) fail(host string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && t.err == nil && t.ctx.Err() == nil && !t.dead[host] {
		t.err = fmt.Errorf("host %s: %w", host, err)
	}
}

func (t *Traffic) serve(x *replica) error {
	return store.Serve(t.ctx, t.hosts[x.host], store.NewPartition(x.group, t.partitions), func(d amcast.Delivery) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.log, x.at = append(x.log, d), append(x.at, time.Since(t.start))
	})
}

// Run has each host run so many clients, which do so many transactions together: one after the other, until Stop if each is 0.
func (t *Traffic) Run(clients, each int) {
	t.begun = time.Since(t.start)
	for i, host := range t.net.Hosts() {
		var number atomic.Int64
		for c := range clients {
			r := rand.New(rand.NewPCG(uint64(i), uint64(c)))
			t.running.Go(func() {
				for !t.stopped.Load() && t.ctx.Err() == nil {
					n := int(number.Add(1))
					if each > 0 && n > each {
						return
					}
					if err := t.do(host, fmt.Sprintf("%s.%d", host, n), t.transaction(r), false); err != nil {
						t.fail(host, err)
						return
					}
				}
			})
		}
	}
}

// transaction makes one.
func (t *Traffic) transaction(r *rand.Rand) (ops []store.Op) {
	for _, p := range t.sets[r.IntN(len(t.sets))] {
		for _, k := range r.Perm(keys)[:1+r.IntN(2)] {
			ops = append(ops, store.Op{Key: t.keys[p][k], Write: r.IntN(2) == 0})
		}
	}
	return ops
}

// do does a transaction, which writes its name.
func (t *Traffic) do(host, name string, ops []store.Op, last bool) error {
	x := record{Txn: history.Txn{Name: name}, last: last}
	for i := range ops {
		o := history.Op{Key: ops[i].Key}
		if ops[i].Write {
			ops[i].Value, o.Wrote = []byte(name), name
		}
		x.Ops = append(x.Ops, o)
	}
	payload, err := store.Encode(ops)
	if err != nil {
		return err
	}
	x.message = message{host, string(payload)}
	if x.groups, err = t.partitions.Groups(ops); err != nil {
		return err
	}
	t.mu.Lock()
	i := len(t.list)
	x.Begin = int64(time.Since(t.start))
	t.list = append(t.list, x)
	t.mu.Unlock()

	results, err := t.partitions.Do(t.ctx, t.hosts[host], ops...)
	end := int64(time.Since(t.start))
	if err != nil { // what became of it is not known
		return fmt.Errorf("transaction %s: %w", name, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list[i].Fate, t.list[i].End = history.Done, end
	for n, r := range results {
		x.Ops[n].Saw = string(r.Value)
	}
	if !last {
		t.all++
		for _, p := range x.groups.List() {
			t.ended[p]++
		}
	}
	return nil
}

// Progress waits until so many more transactions have ended in each partition.
func (t *Traffic) Progress(ctx context.Context, n int) error {
	count := func() map[uint8]int {
		t.mu.Lock()
		defer t.mu.Unlock()
		m := map[uint8]int{}
		for _, p := range t.partitions {
			m[p] = t.ended[p]
		}
		return m
	}
	first := count()
	return t.until(ctx, func() string {
		for p, now := range count() {
			if now < first[p]+n {
				return fmt.Sprintf("of %d more transactions of partition %d, %d have ended", n, p, now-first[p])
			}
		}
		return ""
	})
}

// Ended waits until so many transactions have ended in all.
func (t *Traffic) Ended(ctx context.Context, n int) error {
	return t.until(ctx, func() string {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.all < n {
			return fmt.Sprintf("of %d transactions, %d have ended", n, t.all)
		}
		return ""
	})
}

// until waits until nothing is missing.
func (t *Traffic) until(ctx context.Context, missing func() string) error {
	for {
		what := missing()
		t.mu.Lock()
		err := t.err
		t.mu.Unlock()
		if err != nil || what == "" {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", ctx.Err(), what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Kill has something die.
func (t *Traffic) Kill(f lab.Fault) {
	t.mu.Lock()
	for _, h := range f.Hosts {
		t.dead[h] = true
	}
	t.mu.Unlock()
	if f.Switch != "" {
		t.net.Kill(f.Switch)
	}
	if f.Controller {
		t.net.Controller().Kill()
	}
	for _, h := range f.Hosts {
		t.net.KillHost(h)
	}
}

// Stop has clients begin no more transactions.
func (t *Traffic) Stop() { t.stopped.Store(true) }

// Settle waits until all clients have ended, reads all keys once more, and waits until all replicas have what they must.
func (t *Traffic) Settle(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		t.running.Wait()
		close(ended)
	}()
	err := t.until(ctx, func() string {
		select {
		case <-ended:
			return ""
		default:
			return "transactions do not end"
		}
	})
	if err != nil {
		return err
	}
	t.over = time.Since(t.start)
	t.mu.Lock()
	live := slices.DeleteFunc(t.net.Hosts(), func(h string) bool { return t.dead[h] })
	t.mu.Unlock()
	for _, p := range t.partitions {
		var reads []store.Op
		for _, k := range t.keys[p] {
			reads = append(reads, store.Op{Key: k})
		}
		if err := t.do(live[0], fmt.Sprintf("last.%d", p), reads, true); err != nil {
			return fmt.Errorf("host %s: %w", live[0], err)
		}
	}
	for _, h := range live {
		if err := t.hosts[h].Flush(ctx); err != nil {
			return fmt.Errorf("host %s: %w", h, err)
		}
	}
	return t.until(ctx, func() string {
		orders := t.orders()
		return cmp.Or(lab.Missing(orders, nil), t.lost(orders))
	})
}

// orders are what replicas have executed.
func (t *Traffic) orders() (out []lab.Order) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.replicas {
		x.mu.Lock()
		out = append(out, lab.Order{Group: x.group, Host: x.host, Log: slices.Clone(x.log), Dead: t.dead[x.host]})
		x.mu.Unlock()
	}
	return out
}
