package multicast

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Iteration is the metric of figure 9.
const Iteration = "time of an iteration"

// server is a parameter server: it waits for a message from each worker, and sends one to all.
type server struct {
	net     *rdmafabric.Network
	workers []*rdmafabric.Channel // to the server
	model   *rdmafabric.Channel   // to the workers
	data    []byte
	ready   int
	arrived int
	rounds  int // to be done
	end     fabric.Time
}

const perServer = 6 // workers

// newServer makes a server, and its workers' connections. The programs take no time to compute.
func newServer(net *rdmafabric.Network, number int, h *fabric.Host, workers []*fabric.Host, system string, size int) (*server, error) {
	s := &server{net: net, data: make([]byte, size)}
	port := uint16(7000 + 16*number)
	region := 4096
	for region < size {
		region *= 2
	}
	conf := func(from *fabric.Host, to []*fabric.Host, via string) rdmafabric.ChannelConfig {
		port++
		return rdmafabric.ChannelConfig{
			Name: fmt.Sprintf("%s's", from.Name()), From: from, To: to, Via: via, Policy: private.PolicyAll, Port: port, Region: region, Queue: 4,
			QP: rdmafabric.QPConfig{MTU: 4096, Window: 1024, AckTimeout: 50 * time.Millisecond, Congestion: congestion()},
		}
	}
	up := func() { s.ready++ }
	fail := func(err error) { net.Fail(err) }
	var err error
	if s.model, err = net.NewChannel(conf(h, workers, viaOf(system)), up, fail); err != nil {
		return nil, err
	}
	for _, w := range workers {
		ch, err := net.NewChannel(conf(w, []*fabric.Host{h}, rdmafabric.ViaFanOut), up, fail)
		if err != nil {
			return nil, err
		}
		ch.Arrived = func(int, *rdmafabric.Writing) { s.gradient() }
		s.workers = append(s.workers, ch)
	}
	return s, nil
}

// round has all workers send what they have worked out.
func (s *server) round() {
	s.arrived = 0
	for _, w := range s.workers {
		w.Write(&rdmafabric.Writing{Data: s.data})
	}
}

// gradient is told when one has come; with all, the model goes out, and when all workers have it the
// next iteration begins.
func (s *server) gradient() {
	if s.arrived++; s.arrived < len(s.workers) {
		return
	}
	s.net.At(s.net.Now()+interfaceTime, func() {
		s.model.Write(&rdmafabric.Writing{Data: s.data, Answered: func() {
			s.end = s.net.Now()
			if s.rounds--; s.rounds > 0 {
				s.round()
			}
		}})
	})
}

// training is figure 9: five servers in one pod, six workers of each in others.
func training(o Options) *figures.Figure {
	systems := []string{Group, ToROnly, FanOut, Chain}
	f := &figures.Figure{Result: &report.Result{
		Name: "multicast-fig9", Title: "Parameter servers", Systems: systems, Axis: report.Metric{Name: "message", Unit: "MB"},
		Metrics: []report.Metric{{Name: Iteration, Unit: "ms"}},
	}}
	f.Draw = []report.Figure{{Name: "multicast-fig9", Title: "Time of an iteration, five servers with six workers each (figure 9)", Metric: Iteration}}
	sizes, rounds := []int{1, 4, 8}, 1
	if o.Quick {
		sizes, rounds = []int{1}, 1
	}
	f.Set("iterations", rounds)
	for _, mb := range sizes {
		for _, system := range systems {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				net, err := build(seed, fatTree(system), rdmafabric.Settings{})
				if err != nil {
					return nil, err
				}
				if err := net.Run(start); err != nil {
					return nil, err
				}
				var servers []*server
				for i := range 5 {
					h := net.Hosts[i%3*3+i/3] // of the first pod, of all its racks
					s, err := newServer(net, i, h, net.Hosts[9+i*perServer:9+(i+1)*perServer], system, mb*1e6)
					if err != nil {
						return nil, err
					}
					s.rounds = rounds
					servers = append(servers, s)
				}
				wait := func(more func(s *server) bool) error {
					return net.RunWhile(limit, func() bool {
						for _, s := range servers {
							if more(s) {
								return true
							}
						}
						return false
					})
				}
				if err := wait(func(s *server) bool { return s.ready < 1+perServer }); err != nil {
					return nil, err
				}
				begin := net.Now()
				for _, s := range servers {
					s.round()
				}
				if err := wait(func(s *server) bool { return s.rounds > 0 }); err != nil {
					return nil, err
				}
				mean := 0.
				for _, s := range servers {
					if s.rounds > 0 {
						return nil, fmt.Errorf("%s: an iteration does not end", system)
					}
					mean += float64(s.end-begin) / float64(fabric.Millisecond) / float64(rounds) / float64(len(servers))
				}
				return []figures.Sample{figures.Value(Iteration, "", float64(mb), system, mean)}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		p := report.Point{Metric: Iteration, X: float64(sizes[len(sizes)-1])}
		f.AtMost("figure 9: iteration with 8 MB, multicast / fan-out", p, Group, FanOut, wanted9.fanOut, "")
		f.AtMost("figure 9: iteration with 8 MB, multicast / chain", p, Group, Chain, wanted9.chain, "")
	}
	return f
}
