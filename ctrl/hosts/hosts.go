package hosts

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
)

// Max is how many hosts there are at most: the switch has room for 4096.
const Max = 4000

// Limits, and timings of ARP for the controller's own frames.
const (
	maxWaiting   = 1024 // addresses that are being looked for
	maxQueued    = 16   // frames per address
	askEvery     = 500 * time.Millisecond
	askTries     = 6
	neverElapses = time.Duration(1<<63 - 1)
)

// Host is an attached server.
type Host struct {
	IP     wire.Addr
	MAC    wire.MAC
	Port   uint16
	Static bool
	// Routed is a host behind another switch, whose MAC address MAC is: those here send
	// to this switch what is for it.
	Routed bool
	// Paths are the ports by which a host behind other switches is reached as well as by Port, if there are several.
	Paths Paths
}

// Paths are ports in order, of two bytes each, most significant first, so that they can be compared; empty: there is no choice.
type Paths string

// PathsOf are the paths by several ports, in order.
func PathsOf(ports []uint16) Paths {
	var b []byte
	for _, p := range ports {
		b = binary.BigEndian.AppendUint16(b, p)
	}
	return Paths(b)
}

// Ports are those of the paths.
func (p Paths) Ports() (out []uint16) {
	for i := 0; i+1 < len(p); i += 2 {
		out = append(out, uint16(p[i])<<8|uint16(p[i+1]))
	}
	return out
}

// Config says who the switch is.
type Config struct {
	MAC wire.MAC
	IPs []wire.Addr
	// Ports are flooded. Ports on which frames come in are added.
	Ports  []uint16
	Static []Host
	// Links are ports to other switches: nothing is flooded there, and nobody is learned.
	Links []uint16
	// PerPort is how many hosts may be learned on one port; 0: 256.
	PerPort int
	// Age is after what time a learned host that was not heard of is asked whether it is there, and
	// forgotten if it is not; 0: 10 minutes, negative: never.
	Age time.Duration
	// InUse reports whether something depends on a host: it is not forgotten, and takes longer to
	// be believed elsewhere. nil: no host is.
	InUse func(wire.Addr) bool
	// Strict learns nobody: there are the static hosts, and no others.
	Strict bool
	// Unnamed: hosts behind other switches take no room of the switch's tables, and so none of others.
	Unnamed bool
}

// PacketOut is a frame to send out of a port.
type PacketOut struct {
	Port  uint16
	Frame []byte
}

// Change is a new host, or one that has moved (Old is not nil), or is not there any more (Gone;
// there is no New).
type Change struct {
	Old  *Host
	New  Host
	Gone bool
}

// Stats counts what frames led to.
type Stats struct {
	ARPAnswered, ARPProxied, Flooded, Pings, Learned, Moved, Forgotten uint64
	// Dropped by reason. PortFull is of a port that has used up its room; Full, SearchesFull and ClaimsFull say that all
	// ports together have, of hosts, searches and claims.
	Malformed, NoRoute, Conflicts, Strangers, Full, PortFull, SearchesFull, ClaimsFull, LinkLocal, Unresolved, TTL, Other uint64
}

// Table is the host table of one switch.
type Table struct {
	cfg     Config
	hosts   map[wire.Addr]Host
	ports   []uint16 // sorted
	waiting map[wire.Addr]*waiting
	claims  map[wire.Addr]*claim
	perPort map[uint16]int // learned hosts
	routed  int            // hosts behind other switches
	heard   map[wire.Addr]time.Duration
	probes  map[wire.Addr]*probe
	sweep   time.Duration // when ages are looked at
	out     []PacketOut
	changes []Change
	stats   Stats
}

// waiting are frames for an address that is being looked for.
type waiting struct {
	frames [][]byte
	tries  int
	next   time.Duration
	port   int // that looks for it; NoPort: the controller
}

// New makes a table with the static hosts, which are reported as changes.
func New(cfg Config) (*Table, error) {
	cfg.setLimits()
	t := &Table{
		cfg: cfg, hosts: make(map[wire.Addr]Host, len(cfg.Static)), waiting: map[wire.Addr]*waiting{}, claims: map[wire.Addr]*claim{},
		perPort: map[uint16]int{}, heard: map[wire.Addr]time.Duration{}, probes: map[wire.Addr]*probe{},
	}
	if !unicast(cfg.MAC) {
		return nil, fmt.Errorf("switch MAC %v: is not a unicast address", cfg.MAC)
	}
	for _, p := range cfg.Ports {
		t.addPort(p)
	}
	for _, h := range cfg.Static {
		if _, dup := t.hosts[h.IP]; dup || slices.Contains(cfg.IPs, h.IP) {
			return nil, fmt.Errorf("static host %v: given twice, or the switch itself", h.IP)
		}
		if !unicast(h.MAC) {
			return nil, fmt.Errorf("static host %v: MAC %v is not a unicast address", h.IP, h.MAC)
		}
		h.Static = true
		t.enter(h)
		t.addPort(h.Port)
		t.changes = append(t.changes, Change{New: h})
	}
	t.cfg.Static = nil // they are in hosts
	return t, nil
}

func (t *Table) addPort(p uint16) {
	if slices.Contains(t.cfg.Links, p) {
		return
	}
	if at, found := slices.BinarySearch(t.ports, p); !found {
		t.ports = slices.Insert(t.ports, at, p)
	}
}

// Poll takes everything that is to be sent and installed.
func (t *Table) Poll() (frames []PacketOut, changes []Change) {
	frames, changes = t.out, t.changes
	t.out, t.changes = nil, nil
	return frames, changes
}

// Stats returns the counters.
func (t *Table) Stats() Stats { return t.stats }

// Get returns a host.
func (t *Table) Get(ip wire.Addr) (Host, bool) {
	h, ok := t.hosts[ip]
	return h, ok
}

// List returns all hosts, in order of their addresses.
func (t *Table) List() []Host {
	out := make([]Host, 0, len(t.hosts))
	for _, h := range t.hosts {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b Host) int { return slices.Compare(a.IP[:], b.IP[:]) })
	return out
}

// Move puts static hosts where they are now; changes are reported.
func (t *Table) Move(list []Host) {
	for _, h := range list {
		h.Static = true
		t.place(h)
	}
}

// Restore adds a host that the switch knows already (after a restart): it is no
// change.
func (t *Table) Restore(h Host) {
	if _, known := t.hosts[h.IP]; !known && unicast(h.MAC) && !(t.cfg.Strict && h.learned()) {
		t.enter(h)
		t.addPort(h.Port)
	}
}

func (t *Table) mine(ip wire.Addr) bool { return slices.Contains(t.cfg.IPs, ip) }

func (t *Table) send(port uint16, frame []byte) { t.out = append(t.out, PacketOut{port, frame}) }

func (t *Table) flood(except int, frame []byte) {
	t.stats.Flooded++
	for _, p := range t.ports {
		if int(p) != except {
			t.send(p, frame)
		}
	}
}

// learn takes the sender of a frame into the table. It is false when the sender
// says that it is where somebody else is.
func (t *Table) learn(now time.Duration, ip wire.Addr, mac wire.MAC, port uint16) bool {
	if ip == (wire.Addr{}) || ip[0] >= 224 || !unicast(mac) || t.mine(ip) || mac == t.cfg.MAC || slices.Contains(t.cfg.Links, port) {
		return true
	}
	h := Host{IP: ip, MAC: mac, Port: port}
	if old := t.replaced(h); len(old) > 0 {
		t.dispute(now, h, old)
		return false
	}
	if _, known := t.hosts[ip]; known {
		t.hear(now, ip)
		t.defend(h)
		return true
	}
	switch {
	case t.cfg.Strict:
		t.stats.Strangers++
		return false
	case t.taken() >= Max:
		t.stats.Full++
		return true
	case !t.hasRoom(port):
		t.stats.PortFull++
		return true
	}
	t.hear(now, ip)
	t.place(h)
	return true
}

// place enters a host where it is now.
func (t *Table) place(h Host) {
	switch old, known := t.hosts[h.IP]; {
	case known && old == h:
		return
	case known:
		t.stats.Moved++
		t.changes = append(t.changes, Change{Old: &old, New: h})
	default:
		t.stats.Learned++
		t.changes = append(t.changes, Change{New: h})
	}
	t.leave(h.IP)
	t.enter(h)
	if w := t.waiting[h.IP]; w != nil {
		delete(t.waiting, h.IP)
		for _, f := range w.frames {
			t.deliver(h, f)
		}
	}
}

// contradicts reports whether a claim about an address is not what is known for certain:
// of the switch's own addresses, and of static hosts.
func (t *Table) contradicts(ip wire.Addr, mac wire.MAC, port uint16) bool {
	h, known := t.hosts[ip]
	return t.mine(ip) && mac != t.cfg.MAC || known && h.Static && (h.MAC != mac || h.Port != port)
}

// ARP handles an ARP frame.
func (t *Table) ARP(now time.Duration, port uint16, frame []byte) {
	t.addPort(port)
	a, ok := wire.ParseARP(frame)
	if !ok {
		t.stats.Malformed++
		return
	}
	if !t.learn(now, a.Sender, a.SenderMAC, port) {
		return
	}
	target, known := t.hosts[a.Target]
	switch {
	case a.Op == wire.ARPRequest && t.mine(a.Target):
		t.stats.ARPAnswered++
		t.reply(port, t.cfg.MAC, a)
	case t.contradicts(a.Sender, a.SenderMAC, port): // nobody else is to believe it either
	case a.Op == wire.ARPRequest && known && a.Target != a.Sender:
		if target.Port != port { // on the same port it has heard the request itself
			t.stats.ARPProxied++
			mac := target.MAC
			if target.Routed {
				mac = t.cfg.MAC
			}
			t.reply(port, mac, a)
		}
	case a.Op == wire.ARPReply && t.mine(a.Target):
	case a.Op == wire.ARPReply && known:
		t.send(target.Port, frame)
	default: // a question, or an announcement
		t.flood(int(port), frame)
	}
}

func (t *Table) reply(port uint16, mac wire.MAC, a wire.ARP) {
	t.send(port, a.Reply(mac).Frame(t.cfg.MAC, a.SenderMAC))
}

// Neighbour learns the sender of another frame that was addressed to the switch
// itself, unless the address is known already: the frame may have come through
// a router.
func (t *Table) Neighbour(now time.Duration, port uint16, frame []byte) {
	t.addPort(port)
	src, _, _, ok := ipv4(frame)
	if _, known := t.hosts[src]; !ok || known {
		return
	}
	t.learn(now, src, wire.MAC(frame[6:12]), port)
}

// Unknown handles a frame to an unknown L2 destination.
func (t *Table) Unknown(port uint16, frame []byte) {
	t.addPort(port)
	if len(frame) < wire.EthernetLen {
		t.stats.Malformed++
		return
	}
	if linkLocal(wire.MAC(frame[:6])) {
		t.stats.LinkLocal++
		return
	}
	t.flood(int(port), frame)
}

// Local handles a packet to one of the switch's addresses.
func (t *Table) Local(now time.Duration, port uint16, frame []byte) {
	_, dst, _, ok := ipv4(frame)
	if !ok || !t.mine(dst) {
		t.stats.Other++
		return
	}
	t.Neighbour(now, port, frame)
	if r := echoReply(frame, t.cfg.MAC); r != nil {
		t.stats.Pings++
		t.send(port, r)
		return
	}
	t.stats.Other++
}

// NoRoute handles a packet to be routed to a host that is not known: the host is
// looked for, the packet is dropped.
func (t *Table) NoRoute(now time.Duration, port uint16, frame []byte) {
	t.addPort(port)
	t.stats.NoRoute++
	if _, dst, _, ok := ipv4(frame); ok {
		t.look(now, dst, int(port))
	}
}

// Expired handles a packet whose TTL ran out.
func (t *Table) Expired() { t.stats.TTL++ }

// Send sends a frame of the controller's to a host. The Ethernet addresses are
// filled in. When the host is not known, the frame waits for ARP, which counts as a
// search of the port on whose behalf it is sent; NoPort: the controller's own.
func (t *Table) Send(now time.Duration, to wire.Addr, frame []byte, behalf int) {
	if h, ok := t.hosts[to]; ok {
		t.deliver(h, frame)
		return
	}
	w := t.look(now, to, behalf)
	if w == nil || len(w.frames) >= maxQueued {
		t.stats.Unresolved++
		return
	}
	w.frames = append(w.frames, frame)
}

func (t *Table) deliver(h Host, frame []byte) {
	eth := wire.Ethernet(frame)
	eth.SetDst(h.MAC)
	eth.SetSrc(t.cfg.MAC)
	t.send(h.Port, frame)
}

// NoPort is nobody on whose behalf the controller sends, but the controller itself.
const NoPort = -1

// look asks for an address, unless it is being asked for already.
func (t *Table) look(now time.Duration, ip wire.Addr, port int) *waiting {
	if w := t.waiting[ip]; w != nil {
		return w
	}
	if _, known := t.hosts[ip]; known || len(t.cfg.IPs) == 0 || ip == (wire.Addr{}) || ip[0] >= 224 {
		return nil
	}
	if port != NoPort {
		n := 0
		for _, w := range t.waiting {
			if w.port == port {
				n++
			}
		}
		if n >= maxWaitingPerPort {
			t.stats.PortFull++
			return nil
		}
	}
	if len(t.waiting) >= maxWaiting {
		t.stats.SearchesFull++
		return nil
	}
	w := &waiting{next: now, port: port}
	t.waiting[ip] = w
	t.ask(ip, w)
	return w
}

func (t *Table) ask(ip wire.Addr, w *waiting) {
	w.tries++
	w.next += askEvery
	a := wire.ARP{Op: wire.ARPRequest, SenderMAC: t.cfg.MAC, Sender: t.cfg.IPs[0], Target: ip}
	t.flood(-1, a.Frame(t.cfg.MAC, broadcast))
}

// Deadline is when Tick must be called next.
func (t *Table) Deadline() time.Duration {
	at := neverElapses
	for _, w := range t.waiting {
		at = min(at, w.next)
	}
	for _, c := range t.claims {
		at = min(at, c.again, c.until)
	}
	for _, p := range t.probes {
		at = min(at, p.next)
	}
	if t.cfg.Age != neverElapses && len(t.hosts) > 0 {
		at = min(at, t.sweep)
	}
	return at
}

// Tick asks again for what has not been found, and gives up; and decides about
// hosts that are said to have moved.
func (t *Table) Tick(now time.Duration) {
	t.tickClaims(now)
	t.tickAges(now)
	var due []wire.Addr
	for ip, w := range t.waiting {
		if w.next <= now {
			due = append(due, ip)
		}
	}
	slices.SortFunc(due, func(a, b wire.Addr) int { return slices.Compare(a[:], b[:]) })
	for _, ip := range due {
		w := t.waiting[ip]
		if w.tries >= askTries {
			t.stats.Unresolved += uint64(len(w.frames))
			delete(t.waiting, ip)
			continue
		}
		t.ask(ip, w)
	}
}
