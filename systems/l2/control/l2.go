package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/l2"
)

// Program is the name of the program that this application is for.
const Program = "l2"

// Config says what there is to say about a switch.
type Config struct {
	// Ports are flooded; default 1 to 32. One that an address is learned on is added.
	Ports []uint16
	// Age is how long an address is known that nobody sends from; default 5 minutes.
	Age time.Duration
	// PerPort is how many addresses may be learned on one port; default half of those that the
	// switch has room for.
	PerPort int
}

// Defaults of Config.
const (
	defaultPorts = 32
	defaultAge   = 5 * time.Minute
	defaultShare = names.TableSourceSize / 2
)

// mac is an Ethernet address.
type mac [6]byte

func (m mac) String() string { return net.HardwareAddr(m[:]).String() }

func macOf(b []byte) (m mac) {
	copy(m[max(0, len(m)-len(b)):], b[max(0, len(b)-len(m)):])
	return m
}

// App is the application of one switch. It is a session.App.
type App struct {
	session.Base
	*session.Session
	conf  Config
	ports map[uint16]bool
	of    map[uint16]int // addresses on a port
	at    map[mac]uint16 // where each address is, as the switch holds it or is about to
	stats stats
}

type stats struct {
	learned, moved, aged, failed, reserved, portFull uint64
}

// New makes the application of one switch.
func New(c Config) (*App, error) {
	c.Age = cmp.Or(c.Age, defaultAge)
	if c.Age < 0 {
		return nil, fmt.Errorf("age %v: is negative", c.Age)
	}
	c.PerPort = cmp.Or(c.PerPort, defaultShare)
	if c.PerPort < 0 {
		return nil, fmt.Errorf("%d addresses per port: at least one", c.PerPort)
	}
	a := &App{conf: c, ports: map[uint16]bool{}, at: map[mac]uint16{}, of: map[uint16]int{}}
	for _, p := range c.Ports {
		a.ports[p] = true
	}
	for p := uint16(1); len(c.Ports) == 0 && p <= defaultPorts; p++ {
		a.ports[p] = true
	}
	return a, nil
}

// Name implements session.App.
func (*App) Name() string { return Program }

// Bind implements session.App.
func (a *App) Bind(s *session.Session) error {
	a.Session = s
	_, err := s.Info().Updates(nil, p4.Update_INSERT, a.entries(mac{}, 0)...)
	if err == nil {
		_, err = a.digest()
	}
	if err != nil {
		return fmt.Errorf("the pipeline is not that of p4/l2/l2.p4: %w", err)
	}
	return nil
}

// digest is the configuration of the reports: at once, but at most a list per 10 ms, and
// not again for a second.
func (a *App) digest() (*p4.Entity, error) {
	return a.Info().DigestConfig(names.DigestLearnDigest, &p4.DigestEntry_Config{MaxTimeoutNs: 10e6, MaxListSize: 256, AckTimeoutNs: 1e9})
}

// entries are those of an address: as a source, and as a destination.
func (a *App) entries(m mac, port uint16) []p4rtclient.Entry {
	return []p4rtclient.Entry{{
		Table: names.TableSource, Match: []p4rtclient.Field{{Name: names.TableSourceKeyHdrEthernetSrc, Value: m[:]}},
		Action: names.ActionKnown, Args: []p4rtclient.Field{{Name: names.ActionKnownParamPort, Value: p4rtclient.Uint(uint64(port))}},
		IdleTimeout: a.conf.Age,
	}, {
		Table: names.TableDestination, Match: []p4rtclient.Field{{Name: names.TableDestinationKeyHdrEthernetDst, Value: m[:]}},
		Action: names.ActionForward, Args: []p4rtclient.Field{{Name: names.ActionForwardParamPort, Value: p4rtclient.Uint(uint64(port))}},
	}}
}

// flood is the multicast group of all ports. Copies of one group differ by their port.
func (a *App) flood() *p4.Entity {
	var list []p4rtclient.Replica
	for _, p := range slices.Sorted(maps.Keys(a.ports)) {
		list = append(list, p4rtclient.Replica{Port: p, Instance: 1})
	}
	return p4rtclient.Group(uint16(names.FloodGroup), list)
}

// Sync implements session.App.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	d, err := a.digest()
	if err != nil {
		return nil, err
	}
	if err := c.WriteAllowing(ctx, []codes.Code{codes.AlreadyExists}, p4rtclient.Insert(d)); err != nil {
		return nil, err
	}
	source, err := c.ReadTable(ctx, a.Info(), names.TableSource)
	if err != nil {
		return nil, err
	}
	destination, err := c.ReadTable(ctx, a.Info(), names.TableDestination)
	return func() error { return a.adopt(source, destination) }, err
}

// Begin does what Sync and what it returns do, on a switch that holds nothing: for an owned
// session, which has no client to read with.
func (a *App) Begin() error {
	d, err := a.digest()
	if err != nil {
		return err
	}
	a.Write("digests", []*p4.Update{p4rtclient.Insert(d)}, nil)
	return a.adopt(nil, nil)
}

// Places are the ports of the addresses that are known; on the loop.
func (a *App) Places() map[[6]byte]uint16 {
	at := map[[6]byte]uint16{}
	for m, port := range a.at {
		at[m] = port
	}
	return at
}

// adopt goes on with what the switch knows. An address is known where both tables say
// the same; the rest a controller left behind that died in between.
func (a *App) adopt(source, destination []p4rtclient.Entry) error {
	clear(a.at)
	clear(a.of)
	to := map[mac]uint16{}
	var rest, other []p4rtclient.Entry
	for _, e := range destination {
		to[macOf(e.Get(names.TableDestinationKeyHdrEthernetDst))] = uint16(p4rtclient.ToUint(e.Arg(names.ActionForwardParamPort)))
	}
	for _, e := range source {
		m, port := macOf(e.Get(names.TableSourceKeyHdrEthernetSrc)), uint16(p4rtclient.ToUint(e.Arg(names.ActionKnownParamPort)))
		if p, ok := to[m]; !ok || p != port {
			rest = append(rest, e)
			continue
		}
		a.at[m], a.ports[port] = port, true
		a.of[port]++
		if e.IdleTimeout != a.conf.Age {
			other = append(other, a.entries(m, port)[0])
		}
	}
	for _, e := range destination {
		if _, ok := a.at[macOf(e.Get(names.TableDestinationKeyHdrEthernetDst))]; !ok {
			rest = append(rest, e)
		}
	}
	u, err := a.Info().Updates(nil, p4.Update_DELETE, rest...)
	a.Write("incomplete addresses", u, err, codes.NotFound)
	u, merr := a.Info().Updates(nil, p4.Update_MODIFY, other...)
	a.Write("age of addresses", u, merr)
	for _, op := range []p4.Update_Type{p4.Update_INSERT, p4.Update_MODIFY} { // insert what is new, then make it right
		a.Write("flooding", []*p4.Update{{Type: op, Entity: a.flood()}}, nil, codes.AlreadyExists)
	}
	a.Log().Info("switch taken over", "addresses", len(a.at), "removed", len(rest), "ports", len(a.ports))
	return errors.Join(err, merr)
}

// PacketIn implements session.App: frames of link-local protocols, which end here.
func (a *App) PacketIn(in p4rtclient.Packet) {
	if names.Reason(in.Metadata[names.PacketInReason]) == names.ReasonReserved {
		a.stats.reserved++
	}
}

// Digest implements session.App: an address is at a port.
func (a *App) Digest(name string, rows []p4rtclient.Row) {
	if name != names.DigestLearnDigest {
		return
	}
	for _, r := range rows {
		if len(r) == names.DigestLearnDigestFields {
			a.seen(macOf(r[names.DigestLearnDigestMAC]), uint16(r.Uint(names.DigestLearnDigestPort)))
		}
	}
}

func (a *App) seen(m mac, port uint16) {
	old, known := a.at[m]
	op := p4.Update_INSERT
	switch {
	case known && old == port:
		return // reported again before its entry was there
	case a.of[port] >= a.conf.PerPort:
		a.stats.portFull++ // its frames are flooded, as those to nobody are
		return
	case known:
		op = p4.Update_MODIFY
		a.stats.moved++
		a.Log().Info("address moved", "mac", m, "port", port, "old_port", old)
	default:
		a.stats.learned++
		a.Log().Info("address learned", "mac", m, "port", port)
	}
	if known {
		a.of[old]--
	}
	a.at[m] = port
	a.of[port]++
	u, err := a.Info().Updates(nil, op, a.entries(m, port)...)
	if !a.ports[port] {
		a.ports[port] = true
		u = append(u, p4rtclient.Modify(a.flood()))
	}
	a.Order(u, err, func(err error) {
		if err != nil { // it is reported again when it is heard of again
			a.stats.failed++
			a.Log().Warn("address not written [is the table full?]", "mac", m, "port", port, "err", err)
			a.forget(m)
		}
	})
}

// Idle implements session.App: nobody has sent from an address for Age.
func (a *App) Idle(entries []p4rtclient.Entry) {
	for _, e := range entries {
		m := macOf(e.Get(names.TableSourceKeyHdrEthernetSrc))
		if _, known := a.at[m]; e.Table == names.TableSource && known {
			a.stats.aged++
			a.Log().Info("address aged out", "mac", m, "port", a.at[m])
			a.forget(m)
		}
	}
}

// forget takes an address away.
func (a *App) forget(m mac) {
	port, known := a.at[m]
	if known {
		a.of[port]--
	}
	delete(a.at, m)
	u, err := a.Info().Updates(nil, p4.Update_DELETE, a.entries(m, port)...)
	a.Write("address forgotten", u, err, codes.NotFound)
}

// Address is one that the switch has learned.
type Address struct {
	Switch string `json:"switch"`
	MAC    string `json:"mac"`
	Port   uint16 `json:"port"`
}

// Status is what the admin API says of the switch.
type Status struct {
	Ports     []uint16 `json:"ports"`
	Addresses int      `json:"addresses"`
}

// Status implements session.App.
func (a *App) Status() any { return Status{slices.Sorted(maps.Keys(a.ports)), len(a.at)} }

// Admin implements session.App: the addresses are at addresses.
func (a *App) Admin(ctx context.Context, method, path string, _ []byte) (any, error) {
	if method != http.MethodGet || path != "addresses" {
		return nil, session.ErrNoSuchPath
	}
	out := []Address{}
	err := a.Ask(ctx, func() {
		for m, port := range a.at {
			out = append(out, Address{a.Session.Name(), m.String(), port})
		}
	})
	slices.SortFunc(out, func(x, y Address) int { return strings.Compare(x.MAC, y.MAC) })
	return out, err
}

// What is exported about a switch, besides what its session exports.
var (
	descAddresses = session.Desc("addresses", "Known addresses.")
	descEvents    = session.Desc("address_events_total", "What happened to addresses, and to frames for the controller.", "event")
)

// Metrics implements session.App.
func (a *App) Metrics() []prometheus.Metric {
	out := []prometheus.Metric{a.Gauge(descAddresses, float64(len(a.at)))}
	for e, v := range map[string]uint64{
		"learned": a.stats.learned, "moved": a.stats.moved, "aged": a.stats.aged, "failed": a.stats.failed, "reserved": a.stats.reserved, "port_full": a.stats.portFull,
	} {
		out = append(out, a.Count(descEvents, float64(v), e))
	}
	return out
}
