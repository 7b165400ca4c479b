package multicast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Metrics of figure 8, by workload.
func readLatency(w *workload) string  { return "READ latency (mean), " + w.name }
func writeLatency(w *workload) string { return "latency of a write's copies (mean), " + w.name }

// point is a quantile of sizes: so many bytes or fewer have so much of all messages.
type point struct{ bytes, percent float64 }

// workload is a distribution of sizes, linear between its quantiles.
type workload struct {
	name     string
	points   []point
	scale    float64 // sizes are divided by it
	requests int     // of each client
}

// The quantiles of two published workloads, as they are beside HPCC (SIGCOMM 2019) in
// github.com/alibaba-edu/High-Precision-Congestion-Control, folder traffic_gen: Alibaba's storage
// (AliStorage2019), and web search (Alizadeh et al., DCTCP, SIGCOMM 2010).
var workloads = []workload{
	{"Alibaba storage", []point{
		{0, 0}, {4000, 22.93}, {8000, 69.21}, {16000, 80.61}, {32000, 90.47}, {64000, 93.53}, {128000, 96.77}, {256000, 97.53}, {2000000, 100},
	}, 1, 40},
	{"web search / 16", []point{
		{0, 0}, {10000, 15}, {20000, 20}, {30000, 30}, {50000, 40}, {80000, 53}, {200000, 60}, {1e6, 70}, {2e6, 80}, {5e6, 90}, {10e6, 97}, {30e6, 100},
	}, 16, 20},
}

// draw draws a size.
func (w *workload) draw(r *rand.Rand) int {
	u := 100 * r.Float64()
	for i, p := range w.points[1:] {
		if q := w.points[i]; u < p.percent {
			return max(16, int((q.bytes+(p.bytes-q.bytes)*(u-q.percent)/(p.percent-q.percent))/w.scale))
		}
	}
	return w.most()
}

func (w *workload) most() int { return int(w.points[len(w.points)-1].bytes / w.scale) }

// mean is the mean size.
func (w *workload) mean() (m float64) {
	for i, p := range w.points[1:] {
		q := w.points[i]
		m += (p.percent - q.percent) / 100 * (p.bytes + q.bytes) / 2
	}
	return m / w.scale
}

// store is a store of three copies: clients write to a node, which writes to two others; and READ
// from any of the three.
type store struct {
	net     *rdmafabric.Network
	w       *workload
	rnd     *rand.Rand
	clients []*client
	copies  []*rdmafabric.Channel // of each node, to its two others
	members [][3]int              // nodes that hold what is a node's
	buf     []byte
	ready   int

	left          int // requests under way, or to come
	reads, writes mean
}

type client struct {
	nodes []*rdmafabric.Channel
	buf   []byte
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(t fabric.Time) { m.sum, m.n = m.sum+float64(t)/float64(fabric.Microsecond), m.n+1 }

// newStore makes the store: the hosts of the first three pods are clients, the others nodes.
func newStore(net *rdmafabric.Network, seed uint64, system string, w *workload, clients int) (*store, error) {
	s := &store{net: net, w: w, rnd: rand.New(rand.NewPCG(seed, 8)), buf: make([]byte, w.most())}
	hosts := net.Hosts
	nodes := hosts[27:]
	port := uint16(7000)
	up := func() { s.ready++ }
	fail := func(err error) { s.net.Fail(err) }
	region := 4096
	for region < w.most() {
		region *= 2
	}
	channel := func(from *fabric.Host, to []*fabric.Host, via string, queue int) (*rdmafabric.Channel, error) {
		port++
		return net.NewChannel(rdmafabric.ChannelConfig{
			Name: fmt.Sprintf("%s's", from.Name()), From: from, To: to, Via: via, Policy: private.PolicyAll, Port: port, Region: region, Queue: queue,
			QP: rdmafabric.QPConfig{MTU: 4096, Window: 1024, AckTimeout: 50 * time.Millisecond, Congestion: congestion()},
		}, up, fail)
	}
	for i, n := range nodes {
		// The others are in the other two pods of the nodes, which have nine each.
		a := (i/9*9 + 9 + s.rnd.IntN(9)) % 27
		b := (i/9*9 + 18 + s.rnd.IntN(9)) % 27
		s.members = append(s.members, [3]int{i, a, b})
		ch, err := channel(n, []*fabric.Host{nodes[a], nodes[b]}, viaOf(system), 4096)
		if err != nil {
			return nil, err
		}
		s.copies = append(s.copies, ch)
	}
	for _, h := range hosts[:clients] {
		c := &client{buf: make([]byte, w.most())}
		for i, n := range nodes {
			ch, err := channel(h, []*fabric.Host{n}, rdmafabric.ViaFanOut, 256)
			if err != nil {
				return nil, err
			}
			ch.Arrived = func(_ int, wr *rdmafabric.Writing) { s.arrived(i, wr) }
			c.nodes = append(c.nodes, ch)
		}
		s.clients = append(s.clients, c)
	}
	return s, nil
}

// arrived has a node copy what a client has written to it.
func (s *store) arrived(node int, w *rdmafabric.Writing) {
	due := s.net.Now()
	s.net.At(due+interfaceTime, func() {
		s.copies[node].Write(&rdmafabric.Writing{Data: s.buf[:len(w.Data)], Answered: func() {
			s.writes.add(s.net.Now() - due)
			s.left--
		}})
	})
}

// begin has each client make its requests at random instants, half of them WRITEs, so that nodes
// receive a part, load, of what their links carry.
func (s *store) begin(load float64) {
	perSecond := load * 100e9 / 8 / s.w.mean() / 3 * 2 // a WRITE comes to three nodes, and as many requests are READs
	for _, c := range s.clients {
		at := float64(s.net.Now())
		for range s.w.requests {
			at += s.rnd.ExpFloat64() / perSecond * float64(fabric.Second)
			node, size, read, which := s.rnd.IntN(27), s.w.draw(s.rnd), s.rnd.IntN(2) == 0, s.rnd.IntN(3)
			s.left++
			s.net.At(fabric.Time(at), func() {
				if !read {
					c.nodes[node].Write(&rdmafabric.Writing{Data: s.buf[:size]})
					return
				}
				due := s.net.Now()
				c.nodes[s.members[node][which]].Read(0, 0, c.buf[:size], func() {
					s.reads.add(s.net.Now() - due)
					s.left--
				})
			})
		}
	}
}

// storage is figure 8.
func storage(o Options) *figures.Figure {
	systems := []string{Group, ToROnly, FanOut, Chain}
	f := &figures.Figure{Result: &report.Result{
		Name: "multicast-fig8", Title: "A store of three copies on 54 hosts", Systems: systems, Axis: report.Metric{Name: "load", Unit: "tenths"},
	}}
	for i, name := range []string{"alibaba", "web"} {
		w := &workloads[i]
		f.Metrics = append(f.Metrics, report.Metric{Name: readLatency(w), Unit: "us"}, report.Metric{Name: writeLatency(w), Unit: "us"})
		f.Draw = append(f.Draw, report.Figure{Name: "multicast-fig8-" + name, Title: "READ latency by load, 54 hosts, k = 6: " + w.name + " (figure 8)", Metric: readLatency(w)},
			report.Figure{Name: "multicast-fig8-" + name + "-write", Title: "Latency of a write's copies by load: " + w.name, Metric: writeLatency(w)})
	}
	list, clients := []float64{2, 5, 8}, 27
	if o.Quick {
		list, clients = []float64{4}, 5
	}
	for wi := range workloads {
		w := workloads[wi]
		if o.Quick {
			w.requests = 10
		}
		w.requests *= max(1, o.Longer)
		f.Set(w.name, fmt.Sprintf("mean of %.0f kB, %d requests of each of %d clients", w.mean()/1e3, w.requests, clients))
		for _, load := range list {
			for _, system := range systems {
				f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
					net, err := build(seed, fatTree(system), rdmafabric.Settings{})
					if err != nil {
						return nil, err
					}
					if err := net.Run(start); err != nil {
						return nil, err
					}
					s, err := newStore(net, seed, system, &w, clients)
					if err != nil {
						return nil, err
					}
					all := len(s.copies) + clients*27
					if err := net.RunWhile(limit, func() bool { return s.ready < all }); err != nil {
						return nil, err
					}
					s.begin(load / 10)
					if err := net.RunWhile(limit, func() bool { return s.left > 0 }); err != nil {
						return nil, err
					}
					if s.ready < all || s.left > 0 {
						return nil, fmt.Errorf("%s: %d of %d connections, %d requests without an answer", system, s.ready, all, s.left)
					}
					r, wr := s.reads.sum/math.Max(1, float64(s.reads.n)), s.writes.sum/math.Max(1, float64(s.writes.n))
					return []figures.Sample{figures.Value(readLatency(&w), "", load, system, r), figures.Value(writeLatency(&w), "", load, system, wr)}, nil
				})
			}
		}
	}
	f.Then = func(f *figures.Figure) {
		most := list[len(list)-1]
		ali := report.Point{Metric: readLatency(&workloads[0]), X: most}
		web := report.Point{Metric: readLatency(&workloads[1]), X: most}
		for _, by := range []string{FanOut, Chain} {
			f.AtMost(fmt.Sprintf("figure 8: READ latency, Alibaba storage, load %g, multicast / %s", most, by), ali, Group, by, wanted8.alibaba, "")
			f.AtMost(fmt.Sprintf("figure 8: READ latency, web search, load %g, multicast / %s", most, by), web, Group, by, wanted8.webSearch, "")
		}
		f.AtMost(fmt.Sprintf("figure 8: READ latency, Alibaba storage, load %g, relays everywhere / ToR-only", most), ali, Group, ToROnly, wanted8.full, "")
	}
	return f
}
