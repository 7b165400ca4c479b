package fabric

import (
	"embed"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// echo is a system of these tests: a host sends a request to another, which sends it back; what does
// not come back in time is sent again. Its switches are plain.
var echo = &System{
	Name: "echo", Scenarios: Folder(echoFiles, "testdata/scenarios"), Labels: []Column{{CSV: "colour", Table: "colour"}, {CSV: "hidden"}},
	Counts:   []Column{{CSV: "sent", Table: "sent"}, {CSV: "marked"}},
	Settings: func() Settings { return &echoSettings{Again: Span(100 * Microsecond)} },
	Load:     func() LoadSettings { return &echoLoad{Colour: "red"} },
	New: func(f *Fabric, s Settings) (Instance, error) {
		return &echoes{Fabric: f, again: Time(s.(*echoSettings).Again)}, nil
	},
}

//go:embed testdata/scenarios/*.yaml
var echoFiles embed.FS

type echoSettings struct {
	Again Span `yaml:"again"`
}

func (s *echoSettings) Check(*TopologyConfig) error {
	if s.Again <= 0 {
		return errors.New("again: want more than 0")
	}
	return nil
}

type echoLoad struct {
	Colour string `yaml:"colour"`
}

func (l *echoLoad) Labels() []string { return []string{l.Colour, "x"} }

func (l *echoLoad) Check(c *LoadConfig) error {
	if c.Size > 4000 || len(c.To) != 1 {
		return errors.New("want one host, and at most 4000 bytes")
	}
	return nil
}

type echoes struct {
	*Fabric
	again  Time
	broken error
}

func (n *echoes) Endpoint(h *Host) Endpoint  { return &echoEnd{net: n, h: h, wants: map[uint64]*want{}} }
func (n *echoes) Ready() error               { return nil }
func (n *echoes) App(*P4Switch) (App, error) { return nil, errors.New("there is no program") }
func (n *echoes) Verify() error              { return n.broken }
func (n *echoes) Client(l *Load, _ LoadSettings) (Client, error) {
	c := &echoClient{from: l.From.Endpoint().(*echoEnd), to: l.To[0], number: l.Number}
	n.At(n.Now()+Microsecond, l.Connected)
	return c, nil
}

// want is a request that has not come back.
type want struct {
	r     *Request
	frame []byte
	at    time.Duration
}

// echoEnd is what a host runs: a frame with EtherType 0x88b5 is a request, with 0x88b6 an answer.
type echoEnd struct {
	net    *echoes
	h      *Host
	out    [][]byte
	wants  map[uint64]*want
	timer  *Timer
	sent   uint64
	marked uint64
}

const echoAt = wire.EthernetLen + 20 // an IPv4 header that queues may mark, and a key

func (e *echoEnd) Receive(_ time.Duration, b []byte) {
	if len(b) < echoAt+16 || wire.Ethernet(b).Dst() != e.h.mac {
		return
	}
	if b[wire.EthernetLen+1]&3 == 3 {
		e.marked++
	}
	if b[echoAt-1] == 0 { // a request goes back
		back := append([]byte(nil), b...)
		wire.Ethernet(back).SetDst(wire.Ethernet(b).Src())
		wire.Ethernet(back).SetSrc(e.h.mac)
		back[echoAt-1] = 1
		e.out = append(e.out, back)
		e.h.Send()
		return
	}
	key := binary.BigEndian.Uint64(b[echoAt:])
	if w := e.wants[key]; w != nil && string(b[echoAt+8:]) == string(w.frame[echoAt+8:]) {
		delete(e.wants, key)
		w.r.Answered()
		w.r.Free()
	}
}

func (e *echoEnd) Next(_ time.Duration, b []byte) []byte {
	if len(e.out) > 0 {
		b = append(b, e.out[0]...)
		e.out = e.out[1:]
	}
	return b
}

// Deadline and Tick send again, what is oldest first.
func (e *echoEnd) Deadline() time.Duration {
	d := never
	for _, w := range e.wants {
		d = min(d, w.at)
	}
	return d
}

func (e *echoEnd) Tick(now time.Duration) {
	var due []uint64
	for key, w := range e.wants {
		if w.at <= now {
			due = append(due, key)
		}
	}
	for len(due) > 0 {
		least := 0
		for i := range due {
			if due[i] < due[least] {
				least = i
			}
		}
		e.post(e.wants[due[least]], now)
		due = append(due[:least], due[least+1:]...)
	}
}

func (e *echoEnd) post(w *want, now time.Duration) {
	e.sent++
	w.at = now + e.net.again.Duration()
	e.out = append(e.out, w.frame)
	e.h.Send()
	e.timer.Arm()
}

type echoClient struct {
	from   *echoEnd
	to     *Host
	number int
}

func (c *echoClient) Send(r *Request) {
	e := c.from
	if e.timer == nil {
		e.timer = e.h.NewTimer(e)
	}
	b := make([]byte, echoAt+8, echoAt+8+len(r.Data))
	wire.Ethernet(b).SetDst(c.to.mac)
	wire.Ethernet(b).SetSrc(e.h.mac)
	b[12], b[13], b[wire.EthernetLen], b[wire.EthernetLen+1] = 8, 0, 0x45, 2
	key := uint64(c.number)<<32 | uint64(r.Number)
	binary.BigEndian.PutUint64(b[echoAt:], key)
	w := &want{r: r, frame: append(b, r.Data...)}
	e.wants[key] = w
	e.post(w, e.h.Now())
}

func (c *echoClient) Held(*Request) bool { return true }
func (c *echoClient) Counts() []uint64   { return []uint64{c.from.sent, c.from.marked} }

// fast is a link of 100 Gb/s.
func fast() LinkConfig { return LinkConfig{Rate: 100e9, Delay: 500 * Nanosecond, Queue: 1 << 20} }

// rack is hosts at one switch.
func rack(n int) TopologyConfig {
	return TopologyConfig{
		Kind: Rack, Hosts: n, Edge: ProgramPlain, HostLink: fast(), Latency: 400 * Nanosecond,
		Host: HostConfig{Receive: 300 * Nanosecond},
	}
}

// echoing is a rack of which each host but the first sends to the first.
func echoing(t testing.TB, seed uint64, c TopologyConfig) (*Fabric, []*Load) {
	t.Helper()
	f := New(seed)
	require.NoError(t, f.Use(echo, nil))
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	var loads []*Load
	for i, h := range f.Hosts[1:] {
		l, err := f.NewLoad(i, LoadConfig{Name: h.name, From: h.name, To: []string{"h1"}, Size: 1000, Count: 300, Outstanding: 40}, &echoLoad{})
		require.NoError(t, err)
		loads = append(loads, l)
	}
	return f, loads
}

// echoed runs it until all has come back.
func echoed(t testing.TB, seed uint64, c TopologyConfig) (*Fabric, []*Load) {
	t.Helper()
	f, loads := echoing(t, seed, c)
	require.NoError(t, f.RunWhile(Second, func() bool {
		for _, l := range loads {
			if !l.Over() {
				return true
			}
		}
		return false
	}))
	for _, l := range loads {
		require.NoError(t, l.Result.Err)
		require.Equal(t, l.Config.Count, l.Result.Done)
	}
	require.NoError(t, f.Check())
	return f, loads
}
