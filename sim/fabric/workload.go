package fabric

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/p4ce/p4ce/systems/rdma/private"
)

// LoadConfig is a sender that writes to receivers.
type LoadConfig struct {
	Name        string
	From        string
	To          []string
	Via         string         // ViaGroup, ViaFanOut or ViaChain
	Policy      private.Policy // when a request is answered
	Size        int            // bytes of a request
	Count       int            // requests
	Outstanding int            // requests that are not answered, at most
	Start       Time
	Interval    Time // between requests; 0: as soon as there is room. What finds no room waits
	Poisson     bool // the intervals are random (exponential), Interval is their mean
	QP          QPConfig
}

// firstPort is the service port of the first load's receivers; the next load has the next one.
const firstPort = 7000

// Load is a sender at work. Each request carries its number in its first and last 8 bytes; when
// one is answered, the receivers' memories are looked at: as many as the policy says must hold it.
type Load struct {
	Config LoadConfig
	Result LoadResult

	f       *Fabric
	rnd     *rand.Rand
	channel *Channel // nil before Start
	posted  int
	next    Time // when the next request is due, with Interval
	timer   bool
	slots   []slot
	over    bool
}

// slot is a request under way.
type slot struct {
	Writing
	number int
	due    Time
	busy   bool
}

// LoadResult is what came out. Times are in nanoseconds.
type LoadResult struct {
	Done      int                     // requests answered
	Unheld    int                     // answered, and not held by as many as the policy says: must be 0
	Connected Time                    // since the start, until all connections were up
	First     Time                    // when the first request was due
	Last      Time                    // when the last one was answered
	Latency   *hdrhistogram.Histogram // from due to answered, ns
	Err       error                   // why it ended early
}

// Goodput is the payload that was answered per second, bit/s.
func (r *LoadResult) Goodput(size int) float64 {
	if r.Last <= r.First {
		return 0
	}
	return float64(r.Done) * float64(size) * 8 / (float64(r.Last-r.First) / float64(Second))
}

// ring is how many requests the receivers' memory has room for: so many that what is
// overwritten has been answered.
func (c *LoadConfig) ring() int { return 2 * c.Outstanding }

// regionSize is a power of two: what a switch takes.
func (c *LoadConfig) regionSize() int {
	n := 4096
	for n < c.ring()*c.Size {
		n *= 2
	}
	return n
}

func (c *LoadConfig) check() error {
	switch {
	case len(c.To) == 0:
		return errors.New("it writes to nobody")
	case c.Via != ViaGroup && c.Via != ViaFanOut && c.Via != ViaChain:
		return fmt.Errorf("via %q: want %s, %s or %s", c.Via, ViaGroup, ViaFanOut, ViaChain)
	case len(c.To) > private.MaxReplicas && c.Via == ViaGroup:
		return fmt.Errorf("%d receivers: a group has %d at most", len(c.To), private.MaxReplicas)
	case c.Size < 16 || c.Size > 1<<24:
		return fmt.Errorf("requests of %d bytes: want 16 to 16 MiB", c.Size)
	case c.Count < 1:
		return fmt.Errorf("%d requests: want 1 or more", c.Count)
	case c.Outstanding < 1 || c.Outstanding > 4096:
		return fmt.Errorf("%d outstanding: want 1 to 4096", c.Outstanding)
	case c.regionSize() > 1<<30:
		return errors.New("size and outstanding: receivers would need more than 1 GiB")
	case c.Start < 0 || c.Interval < 0:
		return errors.New("a time below 0")
	case c.Poisson && c.Interval == 0:
		return errors.New("random intervals need a mean")
	}
	return nil
}

// NewLoad makes a load; it begins by itself. number tells loads of one run apart.
func (f *Fabric) NewLoad(number int, c LoadConfig) (*Load, error) {
	fail := func(err error) (*Load, error) { return nil, fmt.Errorf("load %s: %w", c.Name, err) }
	if err := c.check(); err != nil {
		return fail(err)
	}
	l := &Load{Config: c, f: f, rnd: f.rand("load " + c.Name)}
	l.Result.Latency = hdrhistogram.New(1, int64(100*time.Second), 3)
	l.slots = make([]slot, c.Outstanding)
	for i := range l.slots {
		s := &l.slots[i]
		s.Data = make([]byte, c.Size)
		for j := range s.Data {
			s.Data[j] = byte(l.rnd.Uint32())
		}
		s.Answered = func() { l.answered(s) }
		s.Free = func() {
			s.busy = false
			l.fill()
		}
	}
	cc := ChannelConfig{Name: "load " + c.Name, Via: c.Via, Policy: c.Policy, Port: uint16(firstPort + number), Region: c.regionSize(), Queue: c.Outstanding, QP: c.QP}
	var err error
	if cc.From, err = f.host(c.From); err != nil {
		return fail(err)
	}
	for i, name := range c.To {
		h, err := f.host(name)
		if err == nil && h == cc.From {
			err = fmt.Errorf("%s writes to itself", name)
		}
		if err == nil && slices.Contains(c.To[:i], name) {
			err = fmt.Errorf("%s is there twice", name)
		}
		if err != nil {
			return fail(err)
		}
		cc.To = append(cc.To, h)
	}
	f.At(c.Start, func() {
		var err error
		if l.channel, err = f.NewChannel(cc, l.connected, l.end); err != nil {
			l.end(err)
		}
	})
	return l, nil
}

// host finds a host.
func (f *Fabric) host(name string) (*Host, error) {
	n, ok := f.byName[name]
	if !ok {
		return nil, fmt.Errorf("there is no %s", name)
	}
	h, ok := n.(*Host)
	if !ok {
		return nil, fmt.Errorf("%s is no host", name)
	}
	return h, nil
}

func (l *Load) connected() {
	l.Result.Connected = l.f.now - l.Config.Start
	l.next = l.f.now
	l.Result.First = l.next
	l.fill()
}

// fill posts what is due and has room.
func (l *Load) fill() {
	for !l.over && l.posted < l.Config.Count {
		s := &l.slots[l.posted%len(l.slots)]
		if s.busy {
			return // until nobody needs it
		}
		if l.Config.Interval > 0 && l.next > l.f.now {
			if !l.timer {
				l.timer = true
				l.f.schedule(l.next, l, 0, nil)
			}
			return
		}
		due := l.f.now
		if c := &l.Config; c.Interval > 0 {
			due = l.next
			gap := c.Interval
			if c.Poisson {
				gap = Time(l.rnd.ExpFloat64() * float64(c.Interval))
			}
			l.next += gap
		}
		s.number, s.due, s.busy = l.posted, due, true
		l.posted++
		stamp(s.Data, s.number)
		s.Off = s.number % l.Config.ring() * l.Config.Size
		l.channel.Write(&s.Writing)
	}
}

func (l *Load) handle(int, *Frame) {
	l.timer = false
	l.fill()
}

// stamp puts a number into both ends of a request.
func stamp(b []byte, number int) {
	binary.BigEndian.PutUint64(b, uint64(number)+1)
	binary.BigEndian.PutUint64(b[len(b)-8:], uint64(number)+1)
}

func (l *Load) answered(s *slot) {
	r := &l.Result
	r.Done++
	r.Last = l.f.now
	if err := r.Latency.RecordValue(max(1, int64((l.f.now-s.due)/Nanosecond))); err != nil {
		l.f.Fail(fmt.Errorf("load %s: %w", l.Config.Name, err))
	}
	if l.holders(s) < l.channel.need {
		r.Unheld++
	}
	if r.Done == l.Config.Count {
		l.over = true
	}
}

// holders counts the receivers that hold a request, or what has come to its place since.
func (l *Load) holders(s *slot) int {
	n := 0
	for _, r := range l.channel.receivers {
		if r.mr == nil {
			continue
		}
		r.mr.Read(func(b []byte) {
			b = b[s.Off : s.Off+l.Config.Size]
			if binary.BigEndian.Uint64(b) > uint64(s.number) && binary.BigEndian.Uint64(b[len(b)-8:]) > uint64(s.number) {
				n++
			}
		})
	}
	return n
}

// end stops a load that cannot go on.
func (l *Load) end(err error) {
	if !l.over {
		l.over, l.Result.Err = true, err
	}
}

// Over reports whether the load has nothing more to do.
func (l *Load) Over() bool { return l.over }
