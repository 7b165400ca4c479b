package simulated

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
	"github.com/p4ce/p4ce/systems/onepipe/bench/twophase"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
	txnfabric "github.com/p4ce/p4ce/systems/onepipe/txn/fabric"
)

// What transactions are: half of them only read, the others write each key or read it.
const (
	txnHosts = 16 // each with a shard and a client
	txnKeys  = 100000
	txnSize  = 4    // keys of a transaction
	zipf     = 0.99 // YCSB's
	// backoff is the mean pause before a transaction is tried again that was refused once; it doubles.
	backoff    = 5 * fabric.Microsecond
	maxBackoff = 6 // doublings
)

// Systems and metrics of the figure of transactions.
const (
	Transactions = "transactions"
	Median       = "latency (median)"
	locking      = "2PC"
	ordering     = "1Pipe"
)

// store is shards and clients in a network.
type store struct {
	*fabric.Fabric
	// begin has a client begin a transaction, and returns its number.
	begin func(client int, ops []txn.Op) (uint64, error)
	// done is told how one has ended.
	done func(client int, number uint64, saw []txn.Value, err error)
}

// newOrdering is a store on 1Pipe.
func newOrdering(seed uint64) (*store, error) {
	b := &bed{processes: 2 * txnHosts, each: 2, rate: fabricRate}
	n, err := newNetwork(seed, b, options{window: 128})
	if err != nil {
		return nil, err
	}
	c, err := txnfabric.New(n, 1)
	if err != nil {
		return nil, err
	}
	if err := b.build(); err != nil {
		return nil, err
	}
	if err := n.RunWhile(join, func() bool { return !c.Ready() }); err != nil {
		return nil, err
	}
	s := &store{Fabric: n.Fabric, begin: func(client int, ops []txn.Op) (uint64, error) { return c.Begin(client, ops...) }}
	c.Done = func(client int, o txn.Outcome) { s.done(client, o.Number, o.Saw, o.Err) }
	return s, nil
}

// newLocking is a store with two-phase commit. Process 2n is shard n, the next one is client n.
func newLocking(seed uint64) (*store, error) {
	b := &bed{processes: 2 * txnHosts, each: 2, rate: fabricRate}
	c := &cluster{processes: b.processes}
	if err := c.newBaseline(seed, b, baseline.Unordered); err != nil {
		return nil, err
	}
	s := &store{Fabric: c.Fabric}
	// A process that receives sends in an event of its own.
	send := func(from, to int, data []byte) {
		c.At(c.Now(), func() {
			if err := c.send(from, to, data); err != nil {
				c.Fail(err)
			}
		})
	}
	shards, clients := make([]*twophase.Participant, txnHosts), make([]*twophase.Coordinator, txnHosts)
	for i := range clients {
		shards[i] = twophase.NewParticipant()
		x, r := twophase.NewCoordinator(txnHosts), c.Rand(fmt.Sprint("backoff ", i))
		x.Send = func(shard int, data []byte) { send(2*i+1, 2*shard, data) }
		x.Retry = func(refusals int, again func()) {
			pause := r.ExpFloat64() * float64(backoff<<min(refusals-1, maxBackoff))
			c.At(c.Now()+fabric.Time(pause), again)
		}
		x.Done = func(number uint64, saw []txn.Value) { s.done(i, number, saw, nil) }
		clients[i] = x
	}
	c.deliver = func(at, from int, data []byte) {
		if at%2 == 1 {
			clients[at/2].Take(from/2, slices.Clone(data))
		} else if a := shards[at/2].Take(from, data); a != nil {
			send(at, from, a)
		}
	}
	s.begin = func(client int, ops []txn.Op) (uint64, error) { return clients[client].Begin(ops...), nil }
	return s, nil
}

// popularity picks keys.
type popularity []float64

// newPopularity makes the chance of key n that of 1/n to a power: 0 makes all alike.
func newPopularity(power float64) popularity {
	p, sum := make(popularity, txnKeys), 0.
	for i := range p {
		sum += math.Pow(float64(i+1), -power)
		p[i] = sum
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func (p popularity) pick(r *rand.Rand) int { return sort.SearchFloat64s(p, r.Float64()) }

// txnRun has each client keep some transactions under way.
type txnRun struct {
	*store
	r     *rand.Rand
	keys  popularity
	names map[[2]uint64]int // by client and number: the transaction
	list  []history.Txn
	count int
	ended int
	took  []fabric.Time // of those that are measured
	warm  int
	from  fabric.Time
}

func (x *txnRun) next(client int) {
	if x.ended >= x.count {
		return
	}
	t := history.Txn{Name: fmt.Sprint(len(x.list)), Begin: int64(x.Now())}
	var ops []txn.Op
	reads := x.r.IntN(2) == 0
	seen := map[int]bool{}
	for len(ops) < txnSize {
		k := x.keys.pick(x.r)
		if seen[k] {
			continue
		}
		seen[k] = true
		o := txn.Op{Key: fmt.Sprintf("key%06d", k)}
		h := history.Op{Key: o.Key}
		if !reads && x.r.IntN(2) == 0 {
			o.Write, o.Value, h.Wrote = true, fmt.Appendf(nil, "%016s", t.Name), fmt.Sprintf("%016s", t.Name)
		}
		ops, t.Ops = append(ops, o), append(t.Ops, h)
	}
	number, err := x.begin(client, ops)
	if err != nil {
		x.Fail(err)
		return
	}
	x.names[[2]uint64{uint64(client), number}] = len(x.list)
	x.list = append(x.list, t)
}

func (x *txnRun) over(client int, number uint64, saw []txn.Value, err error) {
	if err != nil {
		x.Fail(err)
		return
	}
	t := &x.list[x.names[[2]uint64{uint64(client), number}]]
	t.Fate, t.End = history.Done, int64(x.Now())
	for i, v := range saw {
		t.Ops[i].Saw = string(v.Data)
	}
	if x.ended++; x.ended == x.warm {
		x.from = x.Now()
	}
	if x.ended > x.warm && x.ended <= x.count {
		x.took = append(x.took, x.Now()-fabric.Time(t.Begin))
	}
	x.At(x.Now(), func() { x.next(client) })
}

// transact measures transactions per second, and how long they take, refusals included, in order. What clients have seen must
// be serializable.
func transact(seed uint64, system string, keys popularity, window, rounds int) (perSecond float64, took []fabric.Time, err error) {
	build := newOrdering
	if system == locking {
		build = newLocking
	}
	s, err := build(seed)
	if err != nil {
		return 0, nil, err
	}
	x := &txnRun{store: s, r: rand.New(rand.NewPCG(seed, 13)), keys: keys, names: map[[2]uint64]int{}, count: (rounds + 2) * window * txnHosts, warm: 2 * window * txnHosts}
	s.done = x.over
	for client := range txnHosts {
		for range window {
			x.At(x.Now()+fabric.Time(x.r.Int64N(int64(10*fabric.Microsecond))), func() { x.next(client) })
		}
	}
	if err := x.RunWhile(x.Now()+limit, func() bool { return x.ended < x.count }); err != nil {
		return 0, nil, err
	}
	if x.ended < x.count {
		return 0, nil, fmt.Errorf("%d of %d transactions ended", x.ended, x.count)
	}
	if err := x.Check(); err != nil {
		return 0, nil, err
	}
	if err := history.Check(x.list); err != nil {
		return 0, nil, err
	}
	slices.Sort(x.took)
	return float64(len(x.took)) / (float64(x.Now()-x.from) / float64(fabric.Second)), x.took, nil
}

// transactions compares them with two-phase commit.
func transactions(o Options) *figures.Figure {
	spreads := []struct {
		name  string
		power float64
	}{{"uniform", 0}, {"zipf", zipf}}
	name := func(system, keys string) string { return system + ", " + keys }
	var systems []string
	for _, system := range []string{ordering, locking} {
		for _, k := range spreads {
			systems = append(systems, name(system, k.name))
		}
	}
	f := &figures.Figure{Result: &report.Result{
		Name: "onepipe-transactions", Title: "Transactions of 4 keys on 16 shards", Systems: systems, Axis: report.Metric{Name: "transactions under way of each client"},
		Metrics: []report.Metric{{Name: Transactions, Unit: "M/s"}, {Name: Median, Unit: "us"}, {Name: Latency, Unit: "us"}},
	}}
	f.Draw = []report.Figure{
		{Name: "onepipe-transactions-rate", Title: "Transactions of 16 clients", Metric: Transactions, LogX: true},
		{Name: "onepipe-transactions-latency", Title: "Latency of a transaction (median)", Metric: Median, LogX: true, LogY: true},
	}
	windows, rounds := []int{1, 4, 16, 64}, 20
	if o.Quick {
		windows, rounds = []int{1, 16}, 4
	}
	f.Set("transactions", fmt.Sprintf("%d keys of %d; half only read, the others write half of their keys", txnSize, txnKeys))
	f.Set("shards, clients", fmt.Sprintf("one of each on %d hosts", txnHosts))
	for _, k := range spreads {
		keys := newPopularity(k.power)
		for _, w := range windows {
			for _, system := range []string{ordering, locking} {
				f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
					rate, took, err := transact(seed, system, keys, w, max(2, rounds*4/(3+w)))
					if err != nil {
						return nil, fmt.Errorf("%s, %s keys, %d of each client: %w", system, k.name, w, err)
					}
					x, as := float64(w), name(system, k.name)
					return []figures.Sample{
						figures.Value(Transactions, "", x, as, rate/1e6),
						figures.Value(Median, "", x, as, micros(took[len(took)/2])),
						figures.Value(Latency, "", x, as, micros(mean(took))),
					}, nil
				})
			}
		}
	}
	f.Then = func(f *figures.Figure) {
		for _, w := range windows[1:] {
			at := report.Point{Metric: Transactions, X: float64(w)}
			under := fmt.Sprintf("%d of each client", w)
			f.AtLeast(fmt.Sprintf("transactions: 1Pipe, zipf / uniform, %s (paper: no collapse)", under), at, systems[1], systems[0], wantedTransactions.skew, "")
			f.AtLeast(fmt.Sprintf("transactions: zipf, 1Pipe / 2PC, %s (paper: above)", under), at, systems[1], systems[3], wantedTransactions.above, "")
			f.AtLeast(fmt.Sprintf("transactions: uniform, 1Pipe / 2PC, %s (paper: above)", under), at, systems[0], systems[2], wantedTransactions.above, "")
		}
	}
	return f
}
