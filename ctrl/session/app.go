package session

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// Never is a deadline that never comes.
const Never = time.Duration(1<<63 - 1)

// ErrNoSuchPath: the application's part of the admin API has no such path.
var ErrNoSuchPath = errors.New("not found")

// App is the controller's application for one switch that runs one program. Embed Base for the
// methods that an application does not need.
type App interface {
	// Name is the name of the program, for people.
	Name() string
	// Bind gives the App its session, before anything is sent. It fails when the p4info of
	// the session's pipeline lacks something that the App needs.
	Bind(s *Session) error
	// Sync runs on the worker, with the program in place. It writes what does not depend on the state
	// of the switch, and reads that state back. adopt then continues on the loop.
	Sync(ctx context.Context, c *p4rtclient.Client) (adopt func() error, err error)
	// PacketIn takes a packet that the switch sent up. The App owns its Payload.
	PacketIn(p p4rtclient.Packet)
	// Digest takes a list of reports of one digest.
	Digest(name string, rows []p4rtclient.Row)
	// Idle takes entries that no packet has hit for their idle timeout.
	Idle(entries []p4rtclient.Entry)
	// Ports reports which ports are up, as far as the switch knows: all watched ports when the session
	// has become primary, and then those that have changed. A nil map comes first: reports of an
	// earlier process of the switch no longer hold. Ports may be called before adopt.
	Ports(up map[uint32]bool)
	// Deadline is when the session must call Tick next, in the session's time.
	Deadline() time.Duration
	Tick()
	// Drain carries out the results of the other methods.
	Drain()
	// Status is the status of the switch in the admin API, as JSON.
	Status() any
	// Health reports what is wrong with something that the App depends on, such as a store; nil:
	// nothing. It does not wait. Any goroutine may call it.
	Health() error
	// Responds returns when the loops that the App runs besides the session's have come round, or with
	// ctx's error.
	Responds(ctx context.Context) error
	// Metrics are the exported metrics of the switch.
	Metrics() []prometheus.Metric
	// Admin answers a request of the admin API about the switch. path is the part after the switch's
	// name, and body the body of the request. Any goroutine may call it.
	Admin(ctx context.Context, method, path string, body []byte) (any, error)
}

// Base does nothing. An App can embed it.
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

// Loader is an App that says which program is loaded, when it is not the one with the App's name: a form of it, for another chip.
type Loader interface{ Pipeline() string }

// Pipeline is the name of the program that an App wants loaded.
func Pipeline(a App) string {
	if l, ok := a.(Loader); ok {
		return l.Pipeline()
	}
	return a.Name()
}
