package mu

import "time"

// peer is another server as this one sees it.
type peer struct {
	id     ID
	member bool // else a learner
	ctl    [Routes]link
	rep    [Routes]link

	// Control.
	ctlRoute  uint8
	read      readState
	statusBuf [offRequest]byte
	st        status // as last read
	head      uint64 // as last read while it followed this leader
	stAt      time.Duration
	known     known
	life      uint64 // of which its status was read last
	vector    [MaxID + 1]uint64
	score     int
	beat      uint64
	fresh     bool // something was read of it since the last look
	late      int  // looks since then
	alive     bool
	announced announceState
	promiser  State // what it was when its promise was read
	announce  [8]byte
	promise   [offRequest]byte
	wantRead  bool // again, as soon as the last one is done

	// For a candidate or leader.
	asked   bool // a request of this term has been sent
	request request
	seq     uint64 // of the last request
	askAt   time.Duration
	granted bool // of the last request
	read2   bool // status and incarnations were read after that
	full    bool // counts
	route   uint8

	logBuf  []byte
	logOpen int // READs outstanding
	check   [statusLen]byte
	ping    [Routes][8]byte
	voted   uint64 // incarnation that took part in the adoption

	track
	evidence   uint64 // probe that shows that others still follow; 0 none wanted
	fullFrom   uint64 // held up to here, it is full; 0 unknown
	fullAsked  bool
	snapAsked  bool
	lagSince   time.Duration
	lagHead    uint64
	direct     bool // accelerated mode: gets entries by its own path too
	inGroup    bool
	minGen     uint32 // of the last request
	wantGen    uint32 // this peer shall take nothing from groups of lower generations
	floor      uint64 // the ring is not used again from here on before it has said so
	fenced     bool   // has confirmed wantGen, and leadership.minGen
	commitBuf  [commitLen]byte
	unreliable time.Duration // no member of a group before
	liveSince  time.Duration
	notBefore  time.Duration // not asked again before
}

type readState uint8

const (
	readIdle readState = iota
	readOpen
)

type announceState uint8

const (
	announceNone announceState = iota
	announceVector
	announceWriting
	announceReading
	announceDone
)

func newPeer(id ID) *peer { return &peer{id: id} }

func (p *peer) link(path Path) *link {
	if path.Kind == Control {
		return &p.ctl[path.Route]
	}
	return &p.rep[path.Route]
}

// control returns the control path to use, nil if there is none. Operations under
// way on another are abandoned.
func (p *peer) control() *link {
	if p.ctl[p.ctlRoute].up {
		return &p.ctl[p.ctlRoute]
	}
	for r := range p.ctl {
		if p.ctl[r].up {
			p.ctlRoute = uint8(r)
			p.read = readIdle
			p.announced = announceNone
			return &p.ctl[r]
		}
	}
	return nil
}

// replication returns the route to write the log by: the one in use, if both of its
// paths are up, or another such one, or whatever is up.
func (p *peer) replication() (route uint8, ok bool) {
	if p.rep[p.route].up && p.ctl[p.route].up {
		return p.route, true
	}
	for r := range p.rep {
		if p.rep[r].up && p.ctl[r].up {
			return uint8(r), true
		}
	}
	for r := range p.rep {
		if p.rep[r].up {
			return uint8(r), true
		}
	}
	return 0, false
}

// elsewhere reports whether both paths of a route other than the one in use are up.
func (p *peer) elsewhere() bool {
	for r := range p.rep {
		if uint8(r) != p.route && p.rep[r].up && p.ctl[r].up {
			return true
		}
	}
	return false
}
