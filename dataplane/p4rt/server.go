package p4rt

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// APIVersion is the version of P4Runtime in the answer of Capabilities.
const APIVersion = "1.5.0"

// CompileFunc turns a device config into the program and its p4info.
type CompileFunc func(b *bundle.Bundle) (*ir.Program, *p4config.P4Info, error)

// Options of a Server. Target and Compile are needed.
type Options struct {
	Target  dataplane.Target
	Compile CompileFunc
	// Trust returns an error for an object that clients may not load; nil: they may load any object.
	Trust func(object []byte) error
	// DeviceID is the device that the server answers for; 0 means 1.
	DeviceID uint64
	// QueueDepth is how many packet-ins, digests and stream errors wait for a
	// slow client; 0 means 1024.
	QueueDepth int
	// Now is the clock of digest and idle timeouts; nil means time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Server implements the P4Runtime service. All methods may be called
// concurrently.
type Server struct {
	p4.UnimplementedP4RuntimeServer

	target   dataplane.Target
	compile  CompileFunc
	trust    func([]byte) error
	deviceID uint64
	depth    int
	now      func() time.Time
	log      *slog.Logger
	stats    stats

	reads chan struct{} // holds one element for each Read that is answered

	mu    sync.Mutex // serialises writes, reads and pipeline changes; long ones let go of it now and then
	st    *state
	saved *prepared
	// live is the schema of the running program for the packet paths, which
	// must not wait for mu; nil while there is none.
	live atomic.Pointer[schema]

	amu     sync.Mutex // arbitration and streams
	arb     *arbiter
	clients map[clientID]*client
	unheard map[clientID]bool // primaries that have not been told yet that they are
	nextID  clientID
	ports   map[uint32]bool // those that are watched: whether they work

	dmu       sync.Mutex // digests
	digesters map[*ir.Digest]*digester
	wake      chan struct{}

	// nextAge is when the watcher of idle time-outs wakes up; zero: it is not waiting.
	// Both are s.mu's.
	nextAge  time.Time
	wakeAges chan struct{}

	stop context.CancelFunc
	done sync.WaitGroup
}

// stats are the server's own counters.
type stats struct {
	packetInsOfPort                                            [dataplane.MaxPort + 1]atomic.Uint64 // dropped
	packetIns, packetInsDropped, packetOuts, packetOutsRefused atomic.Uint64
	digests, digestsDropped                                    atomic.Uint64
	idleTimeouts, idleTimeoutsDropped                          atomic.Uint64
	updates, failedUpdates                                     atomic.Uint64
}

// Stats is a snapshot of the server's counters.
type Stats struct {
	PacketIns        uint64 // of the data plane, including dropped ones
	PacketInsDropped uint64 // no primary, a full queue, or shorter than the header
	// PacketInsOfPort are the dropped ones by ingress port.
	PacketInsOfPort   map[dataplane.Port]uint64
	PacketOuts        uint64
	PacketOutsRefused uint64
	Digests           uint64 // messages of the data plane, as received
	DigestsDropped    uint64 // lists that no primary took, and messages beyond the bound
	IdleTimeouts      uint64 // entries that timed out
	IdleDropped       uint64 // of these, those that no primary took
	Updates           uint64
	FailedUpdates     uint64
	Streams           int
	Primaries         int
}

// New makes a server. It takes over the target's events, and the data plane that an earlier process
// left running (dataplane.Keeper). The caller closes the server before the target.
func New(o Options) (*Server, error) {
	if o.Target == nil || o.Compile == nil {
		return nil, errors.New("p4runtime server: a target and a compile function are needed")
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		target: o.Target, compile: o.Compile, trust: o.Trust, deviceID: o.DeviceID, depth: o.QueueDepth, now: o.Now, log: o.Log,
		arb: newArbiter(), clients: map[clientID]*client{}, unheard: map[clientID]bool{}, ports: map[uint32]bool{},
		digesters: map[*ir.Digest]*digester{}, wake: make(chan struct{}, 1),
		reads: make(chan struct{}, maxReads), wakeAges: make(chan struct{}, 1), stop: stop,
	}
	if s.deviceID == 0 {
		s.deviceID = 1
	}
	if s.depth <= 0 {
		s.depth = 1024
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if k, ok := o.Target.(dataplane.Keeper); ok {
		if err := s.adopt(k); err != nil {
			s.log.Warn("the running pipeline is not adopted; it continues until a client sets one", "err", err)
		}
	}
	o.Target.SetEvents(dataplane.Events{PacketIn: s.packetIn, Digest: s.digest})
	s.done.Go(func() { s.runDigests(ctx) })
	s.done.Go(func() { s.runAges(ctx) })
	return s, nil
}

// Close ends all streams, and releases the target's events. It does not close the target.
func (s *Server) Close() {
	s.target.SetEvents(dataplane.Events{})
	s.stop()
	s.done.Wait()
	s.mu.Lock()
	s.saved.discard()
	s.saved = nil
	s.mu.Unlock()
	s.amu.Lock()
	defer s.amu.Unlock()
	for _, c := range s.clients {
		c.end(status.Error(codes.Unavailable, "stream: the server is shutting down"))
	}
}

// DeviceID is the device that the server answers for.
func (s *Server) DeviceID() uint64 { return s.deviceID }

// Stats returns the counters.
func (s *Server) Stats() Stats {
	out := Stats{
		PacketIns: s.stats.packetIns.Load(), PacketInsDropped: s.stats.packetInsDropped.Load(),
		PacketOuts: s.stats.packetOuts.Load(), PacketOutsRefused: s.stats.packetOutsRefused.Load(),
		Digests: s.stats.digests.Load(), DigestsDropped: s.stats.digestsDropped.Load(),
		IdleTimeouts: s.stats.idleTimeouts.Load(), IdleDropped: s.stats.idleTimeoutsDropped.Load(),
		Updates: s.stats.updates.Load(), FailedUpdates: s.stats.failedUpdates.Load(),
	}
	for port := range s.stats.packetInsOfPort {
		if n := s.stats.packetInsOfPort[port].Load(); n > 0 {
			if out.PacketInsOfPort == nil {
				out.PacketInsOfPort = map[dataplane.Port]uint64{}
			}
			out.PacketInsOfPort[dataplane.Port(port)] = n
		}
	}
	s.amu.Lock()
	out.Streams, out.Primaries = len(s.clients), len(s.arb.primaries())
	s.amu.Unlock()
	s.dmu.Lock()
	for _, d := range s.digesters {
		out.DigestsDropped += d.Dropped
	}
	s.dmu.Unlock()
	return out
}

// TableSize is the occupancy of a table.
type TableSize struct {
	Table         string
	Entries, Size int
}

// Tables returns the occupancy of every table that clients may write, for
// metrics.
func (s *Server) Tables() []TableSize {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil {
		return nil
	}
	var out []TableSize
	for _, id := range s.st.tableIDs {
		t := s.st.tables[id]
		if !t.src.ConstEntries && len(t.fields) > 0 {
			out = append(out, TableSize{t.name, len(s.st.entries[t]), t.src.Size})
		}
	}
	return out
}

// CounterValue is a cell of an indexed counter.
type CounterValue struct {
	Counter string
	Index   int
	Name    string // of the index, "" when the program has none: see ir.Program.IndexValues
	Kind    ir.CounterKind
	Value   dataplane.Counter
}

// Counters returns the cells of the program's indexed counters that are not
// zero, for metrics. Counters with more than maxCells cells are left out.
func (s *Server) Counters(maxCells int) ([]CounterValue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil {
		return nil, nil
	}
	var out []CounterValue
	for _, id := range s.st.counterIDs {
		c := s.st.counters[id]
		if c.Size > maxCells {
			continue
		}
		for i := range c.Size {
			v, err := s.target.ReadCounter(c, i)
			if err != nil {
				return nil, err
			}
			if v != (dataplane.Counter{}) {
				out = append(out, CounterValue{c.Name, i, s.st.cells[c][i], c.Kind, v})
			}
		}
	}
	return out, nil
}

// Program is the name of the running program, "" when there is none.
func (s *Server) Program() string {
	if sch := s.live.Load(); sch != nil {
		return sch.prog.Name
	}
	return ""
}

// Capabilities answers the version, which is that of the server and of its device.
func (s *Server) Capabilities(_ context.Context, req *p4.CapabilitiesRequest) (*p4.CapabilitiesResponse, error) {
	if req.GetDeviceId() != 0 {
		if err := s.checkDevice(req.GetDeviceId(), "capabilities"); err != nil {
			return nil, err
		}
	}
	return &p4.CapabilitiesResponse{P4RuntimeApiVersion: APIVersion}, nil
}

func (s *Server) checkDevice(id uint64, what string) error {
	if id != s.deviceID {
		return status.Errorf(codes.NotFound, "%s: device_id %d: this server has device %d", what, id, s.deviceID)
	}
	return nil
}

// checkPrimary refuses requests that do not come from the primary of their
// role.
func (s *Server) checkPrimary(role string, roleID uint64, id *p4.Uint128) error {
	if roleID != 0 {
		return status.Errorf(codes.NotFound, "role_id %d: numeric role ids are deprecated, name the role", roleID)
	}
	s.amu.Lock()
	defer s.amu.Unlock()
	return s.arb.mayWrite(role, toElection(id))
}

func toElection(id *p4.Uint128) *electionID {
	if id == nil {
		return nil
	}
	return &electionID{id.GetHigh(), id.GetLow()}
}

func errNoPipeline(what string) error {
	return status.Errorf(codes.FailedPrecondition, "%s: no pipeline has been set (SetForwardingPipelineConfig)", what)
}
