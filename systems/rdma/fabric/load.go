package fabric

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// DCQCN are the parameters of the loads of a scenario that react to congestion. What is not there has
// the default of package dcqcn.
type DCQCN struct {
	G             float64      `yaml:"g"`
	AlphaInterval fabric.Span  `yaml:"alpha-interval"`
	IncreaseTimer fabric.Span  `yaml:"increase-timer"`
	ByteCounter   fabric.Bytes `yaml:"byte-counter"`
	FastRecovery  int          `yaml:"fast-recovery"`
	RateAI        fabric.Rate  `yaml:"rate-ai"`
	RateHAI       fabric.Rate  `yaml:"rate-hai"`
	MinRate       fabric.Rate  `yaml:"min-rate"`
}

// params are those for a line rate that the sender's link says.
func (d *DCQCN) params() *dcqcn.Params {
	return &dcqcn.Params{
		G: d.G, AlphaInterval: fabric.Time(d.AlphaInterval).Duration(), IncreaseTimer: fabric.Time(d.IncreaseTimer).Duration(), ByteCounter: uint64(d.ByteCounter),
		FastRecovery: d.FastRecovery, RateAI: uint64(d.RateAI), RateHAI: uint64(d.RateHAI), MinRate: uint64(d.MinRate),
	}
}

// Check implements fabric.Settings.
func (s *Settings) Check(t *fabric.TopologyConfig) error {
	for _, rate := range []uint64{t.HostLink.Rate, t.FabricLink.Rate} {
		p := *s.DCQCN.params()
		if p.LineRate = rate; rate > 0 {
			if err := p.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// LoadSettings say how a load reaches its receivers.
type LoadSettings struct {
	Via    string         // ViaGroup, ViaFanOut or ViaChain
	Policy private.Policy // when a request is answered
	QP     QPConfig
}

// LoadConfig is a load of this system.
type LoadConfig struct {
	fabric.LoadConfig
	LoadSettings
}

// NewLoad makes a load; it begins by itself. number tells loads of one run apart.
func (n *Network) NewLoad(number int, c LoadConfig) (*fabric.Load, error) {
	return n.Fabric.NewLoad(number, c.LoadConfig, &c.LoadSettings)
}

func (s *LoadSettings) settings() *LoadSettings { return s }

// Labels implements fabric.LoadSettings.
func (s *LoadSettings) Labels() []string { return []string{s.Via, s.Policy.String()} }

// Check implements fabric.LoadSettings.
func (s *LoadSettings) Check(c *fabric.LoadConfig) error {
	switch {
	case s.Via != ViaGroup && s.Via != ViaFanOut && s.Via != ViaChain:
		return fmt.Errorf("via %q: want %s, %s or %s", s.Via, ViaGroup, ViaFanOut, ViaChain)
	case len(c.To) > private.MaxReplicas && s.Via == ViaGroup:
		return fmt.Errorf("%d receivers: a group has at most %d", len(c.To), private.MaxReplicas)
	case c.Size > 1<<24 || c.Outstanding > 4096:
		return nil // which is wrong anyhow
	case regionSize(c) > 1<<30:
		return errors.New("size and outstanding: receivers would need more than 1 GiB")
	}
	return nil
}

// scenarioLoad is the same as people write it.
type scenarioLoad struct {
	Via        string      `yaml:"via"`
	Policy     string      `yaml:"policy"`
	MTU        int         `yaml:"mtu"`
	Window     int         `yaml:"window"`
	AckTimeout fabric.Span `yaml:"ack-timeout"`
	ECN        bool        `yaml:"ecn"`
	Class      int         `yaml:"class"`
	DCQCN      bool        `yaml:"dcqcn"`

	read LoadSettings // what it says, after Check
}

func defaultLoad() *scenarioLoad {
	return &scenarioLoad{Via: ViaGroup, Policy: "quorum", Window: 128, MTU: 1024, AckTimeout: fabric.Span(fabric.Millisecond)}
}

func (s *scenarioLoad) settings() *LoadSettings { return &s.read }

// Labels implements fabric.LoadSettings.
func (s *scenarioLoad) Labels() []string { return s.read.Labels() }

// Check implements fabric.LoadSettings.
func (s *scenarioLoad) Check(c *fabric.LoadConfig) error {
	policy, err := private.ParsePolicy(s.Policy)
	if err == nil && (s.Class < 0 || s.Class >= fabric.Classes) {
		err = fmt.Errorf("class %d: want 0 to %d", s.Class, fabric.Classes-1)
	}
	if err == nil && (s.AckTimeout <= 0 || s.Window < 1 || s.Window > 1<<20) {
		err = errors.New("ack-timeout and window: want more than 0, and at most 1048576 packets")
	}
	switch s.MTU {
	case 256, 512, 1024, 2048, 4096:
	default:
		err = errors.Join(err, fmt.Errorf("mtu %d: want 256, 512, 1024, 2048 or 4096", s.MTU))
	}
	s.read = LoadSettings{
		Via: s.Via, Policy: policy,
		QP: QPConfig{MTU: s.MTU, Window: s.Window, AckTimeout: fabric.Time(s.AckTimeout).Duration(), ECN: s.ECN, Class: s.Class},
	}
	return errors.Join(err, s.read.Check(c))
}

// firstPort is the service port of the first load's receivers; the next load has the next one.
const firstPort = 7000

// ring is how many requests the receivers' memory has room for: so many that what is
// overwritten has been answered.
func ring(c *fabric.LoadConfig) int { return 2 * c.Outstanding }

// regionSize is a power of two: what a switch takes.
func regionSize(c *fabric.LoadConfig) int {
	n := 4096
	for n < ring(c)*c.Size {
		n *= 2
	}
	return n
}

// client writes the requests of a load.
type client struct {
	*Channel
	load   *fabric.Load
	writes []Writing // by slot
}

// Client implements fabric.Instance.
func (n *Network) Client(l *fabric.Load, own fabric.LoadSettings) (fabric.Client, error) {
	c := &l.Config
	s := own.(interface{ settings() *LoadSettings }).settings()
	qp := s.QP
	if y, ok := own.(*scenarioLoad); ok && y.DCQCN {
		qp.Congestion = n.set.DCQCN.params()
	}
	ch, err := n.NewChannel(ChannelConfig{
		Name: "load " + c.Name, From: l.From, To: l.To, Via: s.Via, Policy: s.Policy, Port: uint16(firstPort + l.Number),
		Region: regionSize(c), Queue: c.Outstanding, QP: qp,
	}, l.Connected, l.End)
	if err != nil {
		return nil, err
	}
	return &client{ch, l, make([]Writing, c.Outstanding)}, nil
}

// Send implements fabric.Client.
func (c *client) Send(r *fabric.Request) {
	w := &c.writes[r.Slot]
	if w.Data == nil {
		w.Data, w.Answered, w.Free = r.Data, r.Answered, r.Free
	}
	w.Off = r.Number % ring(&c.load.Config) * c.load.Config.Size
	c.Write(w)
}

// Held implements fabric.Client: as many receivers hold a request, or what has come to its place since,
// as the policy says.
func (c *client) Held(r *fabric.Request) bool {
	off, n := c.writes[r.Slot].Off, 0
	for _, to := range c.receivers {
		if to.mr == nil {
			continue
		}
		to.mr.Read(func(b []byte) {
			if r.In(b[off : off+len(r.Data)]) {
				n++
			}
		})
	}
	return n >= c.need
}

// Counts implements fabric.Client: of the sender packets, repeats, time-outs, NAKs; of all receivers
// marked packets; of the sender notifications.
func (c *client) Counts() []uint64 {
	var sent, resent, timeouts, naks, ce, cnp uint64
	for _, q := range c.Senders() {
		n := q.RC().Counters()
		sent, resent, timeouts, naks, cnp = sent+n.PacketsOut, resent+n.Retransmitted, timeouts+n.Timeouts, naks+n.NaksIn, cnp+n.CNPIn
	}
	for _, to := range c.receivers {
		for _, q := range to.qps {
			ce += q.RC().Counters().CEIn
		}
	}
	return []uint64{sent, resent, timeouts, naks, ce, cnp}
}
