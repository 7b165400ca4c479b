package session

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// Never is a deadline that does not come.
const Never = time.Duration(1<<63 - 1)

// ErrNoSuchPath: an application's part of the admin API has nothing there.
var ErrNoSuchPath = errors.New("not found")

// App is what a controller does for one switch that runs one program. Base has methods
// for those that an application has no use for.
type App interface {
	// Name is the program's, for people.
	Name() string
	// Bind gives the App its session, before anything is sent. It fails when the p4info of
	// the session's pipeline lacks something that the App needs.
	Bind(s *Session) error
	// Sync runs on the worker, with the program in place: it writes what does not depend on
	// what the switch holds, and reads back what it holds. adopt goes on from there, on the
	// loop.
	Sync(ctx context.Context, c *p4rtclient.Client) (adopt func() error, err error)
	// PacketIn takes a packet that the switch sent up; Payload is the App's.
	PacketIn(p p4rtclient.Packet)
	// Digest takes a list of reports of one digest.
	Digest(name string, rows []p4rtclient.Row)
	// Idle takes entries that nothing has hit for their idle time-out.
	Idle(entries []p4rtclient.Entry)
	// Ports says which ports work, as far as the switch knows: all that it watches when the session
	// has become primary, and then those that have changed. Before them comes nil: what an earlier
	// process of the switch has said is over. It is called also before adopt.
	Ports(up map[uint32]bool)
	// Deadline is when Tick must be called next, in the session's time.
	Deadline() time.Duration
	Tick()
	// Drain carries out what the other methods have led to.
	Drain()
	// Status is what the admin API says about the switch, as JSON.
	Status() any
	// Health says what is wrong with what the App rests on, a store for instance; nil: nothing. It does
	// not wait, and may be called from any goroutine.
	Health() error
	// Responds returns when loops that the App has beside the session's have come round, or ctx's error.
	Responds(ctx context.Context) error
	// Metrics are what is exported about the switch.
	Metrics() []prometheus.Metric
	// Admin answers a request of the admin API about the switch: path is what follows the
	// switch's name, body what came with it. It may be called from any goroutine.
	Admin(ctx context.Context, method, path string, body []byte) (any, error)
}

// Base does nothing: for an App to embed.
type Base struct{}

// PacketIn implements App.
func (Base) PacketIn(p4rtclient.Packet) {}

// Digest implements App.
func (Base) Digest(string, []p4rtclient.Row) {}

// Idle implements App.
func (Base) Idle([]p4rtclient.Entry) {}

// Ports implements App.
func (Base) Ports(map[uint32]bool) {}

// Deadline implements App.
func (Base) Deadline() time.Duration { return Never }

// Tick implements App.
func (Base) Tick() {}

// Drain implements App.
func (Base) Drain() {}

// Health implements App.
func (Base) Health() error { return nil }

// Responds implements App.
func (Base) Responds(context.Context) error { return nil }

// Status implements App.
func (Base) Status() any { return nil }

// Metrics implements App.
func (Base) Metrics() []prometheus.Metric { return nil }

// Admin implements App.
func (Base) Admin(context.Context, string, string, []byte) (any, error) { return nil, ErrNoSuchPath }
