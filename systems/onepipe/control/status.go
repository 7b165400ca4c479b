package control

import (
	"cmp"
	"net/netip"
	"slices"
)

// LinkStatus is an input, for people.
type LinkStatus struct {
	Switch string `json:"switch"`
	Port   uint16 `json:"port"`
	From   string `json:"from"`
	Above  bool   `json:"above"`
	State  string `json:"state"`
}

// Links are all inputs.
func (c *Core) Links() (list []LinkStatus) {
	for _, s := range c.order {
		for _, l := range s.inputs {
			list = append(list, LinkStatus{s.name, l.port, cmp.Or(l.host, l.target), l.above, l.state.String()})
		}
	}
	return list
}

// FailureStatus is a host that has failed, while others are told, for people.
type FailureStatus struct {
	Switch string `json:"switch"`
	Host   string `json:"host"`
	First  uint16 `json:"first"` // of its processes
	Count  uint16 `json:"count"`
	Time   uint64 `json:"time"` // of the failure, in ns of the hosts' clocks
	// Waits are the hosts that have not answered yet. The commit barrier waits for them.
	Waits []string `json:"waits"`
}

// Failures are those of which hosts are being told.
func (c *Core) Failures() []FailureStatus {
	list := []FailureStatus{}
	if c.procedure == nil {
		return list
	}
	waits := []string{}
	for h := range c.procedure.asked {
		waits = append(waits, h.name)
	}
	slices.Sort(waits)
	for _, h := range c.procedure.failed {
		list = append(list, FailureStatus{h.at.name, h.name, h.first, h.have, h.failedAt, waits})
	}
	return list
}

// ProcessStatus is a host's processes, for people.
type ProcessStatus struct {
	Switch   string `json:"switch"`
	Host     string `json:"host"`
	Addr     string `json:"addr"`
	First    uint16 `json:"first"`
	Count    uint16 `json:"count"`
	Admitted bool   `json:"admitted"`
}

// Processes are those of all hosts that have joined.
func (c *Core) Processes() (list []ProcessStatus) {
	list = []ProcessStatus{}
	for _, n := range c.conf.Net.Hosts() {
		if h := c.hosts[n.Name]; h.token != 0 {
			list = append(list, ProcessStatus{h.at.name, h.name, netip.AddrFrom4(h.addr.IP).String(), h.first, h.have, h.admitted})
		}
	}
	return list
}

// ForwardingStatus is what the controller forwards for hosts at a switch, which do not reach others, for people.
type ForwardingStatus struct {
	Switch  string            `json:"switch"`
	Pairs   []Pair            `json:"pairs"`   // now
	Packets uint64            `json:"packets"` // since the start
	Dropped map[string]uint64 `json:"dropped"` // packets that were not forwarded, by reason
}

// Pair is a host, and one that does not answer it.
type Pair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Forwarding is what is forwarded, by the senders' switches.
func (c *Core) Forwarding() (list []ForwardingStatus) {
	for _, s := range c.order {
		x := ForwardingStatus{s.name, []Pair{}, s.forwards.packets, map[string]uint64{}}
		for _, d := range c.doubts {
			for _, by := range d.by {
				if by.host.at == s && c.isHere(d) {
					x.Pairs = append(x.Pairs, Pair{by.host.name, d.about.name})
				}
			}
		}
		slices.SortFunc(x.Pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
		for why, n := range s.forwards.drops {
			x.Dropped[Drop(why).String()] = n
		}
		list = append(list, x)
	}
	return list
}
