package fabric

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// LoadConfig is a sender of requests, whatever the system makes of them.
type LoadConfig struct {
	Name        string
	From        string
	To          []string
	Size        int // bytes of a request
	Count       int // requests
	Outstanding int // requests that are not answered, at most
	Start       Time
	Interval    Time // between requests; 0: as soon as there is room. What finds no room waits
	Poisson     bool // the intervals are random (exponential), Interval is their mean
}

// Load is a sender at work. Each request carries its number in its first and last 8 bytes; when
// one is answered, the system says whether it is held where it must be.
type Load struct {
	Config LoadConfig
	Result LoadResult
	Number int // tells loads of one run apart
	From   *Host
	To     []*Host

	f      *Fabric
	own    LoadSettings
	rnd    *rand.Rand
	client Client // nil before Start
	posted int
	next   Time // when the next request is due, with Interval
	timer  bool
	slots  []Request
	over   bool
}

// Request is a request of a load. It is used again when it is free.
type Request struct {
	Number int    // from 0
	Slot   int    // below LoadConfig.Outstanding: no other request under way has it
	Data   []byte // not to be touched until Free

	load *Load
	due  Time
	busy bool
}

// Answered says that the request has been answered.
func (r *Request) Answered() { r.load.answered(r) }

// Free says that nobody needs the request any more.
func (r *Request) Free() {
	r.busy = false
	r.load.fill()
}

// LoadResult is what came out. Times are in nanoseconds.
type LoadResult struct {
	Done      int                     // requests answered
	Unheld    int                     // answered, and not held as they must be: must be 0
	Connected Time                    // since the start, until requests could be sent
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

func (c *LoadConfig) check(own LoadSettings) error {
	_, addressed := own.(Addressed)
	switch {
	case addressed && len(c.To) > 0:
		return errors.New("to: the system's own keys say who receives")
	case !addressed && len(c.To) == 0:
		return errors.New("no receivers")
	case c.Size < 16 || c.Size > 1<<24:
		return fmt.Errorf("requests of %d bytes: want 16 to 16 MiB", c.Size)
	case c.Count < 1:
		return fmt.Errorf("%d requests: want 1 or more", c.Count)
	case c.Outstanding < 1 || c.Outstanding > 4096:
		return fmt.Errorf("%d outstanding: want 1 to 4096", c.Outstanding)
	case c.Start < 0 || c.Interval < 0:
		return errors.New("negative time")
	case c.Poisson && c.Interval == 0:
		return errors.New("random intervals need a mean")
	}
	return nil
}

// NewLoad makes a load of the network's system; it begins by itself. number tells loads of one run apart.
func (f *Fabric) NewLoad(number int, c LoadConfig, own LoadSettings) (*Load, error) {
	fail := func(err error) (*Load, error) { return nil, fmt.Errorf("load %s: %w", c.Name, err) }
	if f.instance == nil {
		return fail(errors.New("the network has no system"))
	}
	if err := errors.Join(c.check(own), own.Check(&c)); err != nil {
		return fail(err)
	}
	l := &Load{Config: c, Number: number, f: f, own: own, rnd: f.Rand("load " + c.Name)}
	l.Result.Latency = hdrhistogram.New(1, int64(100*time.Second), 3)
	l.slots = make([]Request, c.Outstanding)
	for i := range l.slots {
		s := &l.slots[i]
		s.load, s.Slot, s.Data = l, i, make([]byte, c.Size)
		for j := range s.Data {
			s.Data[j] = byte(l.rnd.Uint32())
		}
	}
	var err error
	if l.From, err = f.host(c.From); err != nil {
		return fail(err)
	}
	for i, name := range c.To {
		h, err := f.host(name)
		if err == nil && h == l.From {
			err = fmt.Errorf("%s writes to itself", name)
		}
		if err == nil && slices.Contains(c.To[:i], name) {
			err = fmt.Errorf("%s is given twice", name)
		}
		if err != nil {
			return fail(err)
		}
		l.To = append(l.To, h)
	}
	f.At(c.Start, func() {
		client, err := f.instance.Client(l, own)
		if err != nil {
			l.End(err)
			return
		}
		l.client = client
	})
	return l, nil
}

// Client is what sends the load's requests, nil before its start.
func (l *Load) Client() Client { return l.client }

// host finds a host.
func (f *Fabric) host(name string) (*Host, error) {
	n, ok := f.byName[name]
	if !ok {
		return nil, fmt.Errorf("no host %s", name)
	}
	h, ok := n.(*Host)
	if !ok {
		return nil, fmt.Errorf("%s is not a host", name)
	}
	return h, nil
}

// Connected says that requests can be sent.
func (l *Load) Connected() {
	l.Result.Connected = l.f.Now() - l.Config.Start
	l.next = l.f.Now()
	l.Result.First = l.next
	l.f.measure()
	l.fill()
}

// fill posts what is due and has room.
func (l *Load) fill() {
	for !l.over && l.posted < l.Config.Count {
		s := &l.slots[l.posted%len(l.slots)]
		if s.busy {
			return // until nobody needs it
		}
		if l.Config.Interval > 0 && l.next > l.f.Now() {
			if !l.timer {
				l.timer = true
				l.f.schedule(l.next, l, 0, nil)
			}
			return
		}
		due := l.f.Now()
		if c := &l.Config; c.Interval > 0 {
			due = l.next
			gap := c.Interval
			if c.Poisson {
				gap = Time(l.rnd.ExpFloat64() * float64(c.Interval))
			}
			l.next += gap
		}
		s.Number, s.due, s.busy = l.posted, due, true
		l.posted++
		stamp(s.Data, s.Number)
		if c := l.From.Config.CPU.Value; c > 0 {
			l.f.schedule(l.From.values.Take(c), s, 0, nil)
			continue
		}
		l.client.Send(s)
	}
}

// handle implements handler: the host has got to the request.
func (r *Request) handle(int, *Frame) {
	if !r.load.over {
		r.load.client.Send(r)
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

// In reports whether memory holds the request, or one that has come to its place since.
func (r *Request) In(b []byte) bool {
	return binary.BigEndian.Uint64(b) > uint64(r.Number) && binary.BigEndian.Uint64(b[len(b)-8:]) > uint64(r.Number)
}

func (l *Load) answered(s *Request) {
	r := &l.Result
	r.Done++
	r.Last = l.f.Now()
	if err := r.Latency.RecordValue(max(1, int64((l.f.Now()-s.due)/Nanosecond))); err != nil {
		l.f.Fail(fmt.Errorf("load %s: %w", l.Config.Name, err))
	}
	if !l.client.Held(s) {
		r.Unheld++
	}
	if r.Done == l.Config.Count {
		l.over = true
	}
}

// End stops a load that cannot go on.
func (l *Load) End(err error) {
	if !l.over {
		l.over, l.Result.Err = true, err
	}
}

// Over reports whether the load has nothing more to do.
func (l *Load) Over() bool { return l.over }
