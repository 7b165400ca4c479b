package session

import (
	"errors"
	"log/slog"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// Owner is what a session has instead of a stream, a worker and a clock when somebody else
// runs it, in simulated time (package sim/fabric).
type Owner interface {
	// Now is the session's time.
	Now() time.Duration
	// Submit applies updates, which are the owner's from now on, and calls done with the outcome later, not from within
	// Submit: nil, a *p4rtclient.WriteError, or why nothing was applied.
	Submit(u []*p4.Update, done func(error))
	// Registers reads all cells of registers of one field, and calls done with them later, not from
	// within Registers.
	Registers(names []string, done func(map[string][]uint64, error))
	// Cells reads elements of registers, all their fields, and calls done with them later, not from within Cells.
	Cells(cells []p4rtclient.Cell, done func([][]uint64, error))
	// PacketOut sends a packet.
	PacketOut(p *p4.PacketOut) error
	// Post runs a function soon, not from within Post, in the order of the calls, and drains the App.
	Post(fn func())
}

// NewOwned makes a session of an owner, on a switch that runs the program and holds nothing.
// The owner calls the methods below, one at a time, instead of Run.
func NewOwned(name string, info *p4config.P4Info, log *slog.Logger, o Owner, app App) (*Session, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Session{
		conf: Config{Name: name}, app: app, info: p4rtclient.NewInfo(info), log: log.With("switch", name),
		owner: o, worker: newWorker(nil), connected: true, primary: true, synced: true,
	}
	return s, app.Bind(s)
}

// HandlePacketIn takes a packet that the switch sent up.
func (s *Session) HandlePacketIn(p *p4.PacketIn) {
	s.packetIn(p)
	s.app.Drain()
}

// HandlePorts takes what the switch says of its ports: which of them work.
func (s *Session) HandlePorts(up map[uint32]bool) {
	s.ports(up)
	s.app.Drain()
}

// HandleDigest takes a list of digests.
func (s *Session) HandleDigest(l *p4.DigestList) {
	s.digest(l)
	s.app.Drain()
}

// HandleTick lets the time pass: to be called when the App's Deadline has come.
func (s *Session) HandleTick() {
	s.app.Tick()
	s.app.Drain()
}

// submit gives the owner updates. Failures of the codes that are allowed are none.
func (s *Session) submit(u []*p4.Update, done func(error), allow []codes.Code) {
	s.owner.Submit(u, func(err error) {
		var we *p4rtclient.WriteError
		if errors.As(err, &we) && we.Only(allow...) {
			err = nil
		}
		done(err)
		s.app.Drain()
	})
}
