package group

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

const switchIP = "10.0.0.254"

func addr(s string) wire.Addr {
	a, ok := wire.AddrFrom(netip.MustParseAddr(s))
	if !ok {
		panic(s)
	}
	return a
}

// directory is a test's hosts: every 10.0.0.x is at port x.
type directory map[wire.Addr]Host

func (d directory) Host(a wire.Addr) (Host, bool) {
	if h, ok := d[a]; ok {
		return h, ok
	}
	if a[0] != 10 {
		return Host{}, false
	}
	return Host{MAC: wire.MAC{2, 0, 0, 0, 0, a[3]}, Port: uint16(a[3])}, true
}

// world plays leaders, replicas and the switch around a Core.
type world struct {
	core      *Core
	dir       directory
	now       time.Duration
	plans     []*Plan
	saved     map[uint16]Record
	entrusted []*Nested
	// what each host was last told, by message
	lastREQ, lastREP map[wire.Addr]cm.Message
	lastREJ          map[wire.Addr]*cm.REJ
	guard            *private.Challenger             // of all replicas
	sent             *cm.REQ                         // the last with a proof
	exchanges        map[wire.Addr]*private.Exchange // of those who have judged, with the switch
	provers          map[wire.Addr]*private.Prover   // of leaders
	dreq             map[wire.Addr]*cm.DREQ
	ids              map[wire.Addr][2]uint32 // ours (the host's), theirs
	qpn              map[wire.Addr]uint32    // the switch's queue pair for the host
	out              strings.Builder
}

func newWorld(cfg Config) *world {
	cfg.Rand = rand.New(rand.NewPCG(1, 2))
	cfg.CM.Seed = 100
	w := &world{
		dir: directory{}, saved: map[uint16]Record{}, lastREQ: map[wire.Addr]cm.Message{}, lastREP: map[wire.Addr]cm.Message{},
		lastREJ: map[wire.Addr]*cm.REJ{}, guard: private.NewChallenger([32]byte{1}), exchanges: map[wire.Addr]*private.Exchange{}, provers: map[wire.Addr]*private.Prover{},
		dreq: map[wire.Addr]*cm.DREQ{}, ids: map[wire.Addr][2]uint32{}, qpn: map[wire.Addr]uint32{},
	}
	w.core = New(cfg, w.dir)
	return w
}

// drain prints everything that the core wants.
func (w *world) drain() {
	for {
		o, ok := w.core.Poll()
		if !ok {
			return
		}
		switch o := o.(type) {
		case Send:
			w.heard(o.Remote, o.Message)
			fmt.Fprintf(&w.out, "-> %v %s%s\n", o.Remote, message(o.Message), w.proved(o.Remote, o.Message))
		case Install:
			w.plans = append(w.plans, o.Plan)
			fmt.Fprintf(&w.out, "== install %s", plan(o.Plan))
		case Update:
			fmt.Fprintf(&w.out, "== update %s", plan(o.Plan))
		case Remove:
			fmt.Fprintf(&w.out, "== remove group %d\n", o.Plan.Index)
		case NAK:
			fmt.Fprintf(&w.out, "-> %v NAK qp %#x psn %v %v\n", o.Header.Dst, o.Header.DestQP, o.Header.PSN, o.Header.Syndrome)
		case Save:
			w.saved[o.Record.Index] = o.Record
			fmt.Fprintf(&w.out, "== save group %d\n", o.Record.Index)
		case Entrust:
			w.entrusted = append(w.entrusted, o.Nested)
			fmt.Fprintf(&w.out, "== entrust %v with %v\n", o.Nested.To, o.Nested.members)
		case Forget:
			delete(w.saved, o.Index)
			fmt.Fprintf(&w.out, "== forget group %d\n", o.Index)
		case Note:
			fmt.Fprintf(&w.out, "   %s:", o.Text)
			for i := 0; i+1 < len(o.Args); i += 2 {
				fmt.Fprintf(&w.out, " %v=%v", o.Args[i], o.Args[i+1])
			}
			w.out.WriteByte('\n')
		}
	}
}

func (w *world) heard(a wire.Addr, m cm.Message) {
	switch m := m.(type) {
	case *cm.REQ:
		w.lastREQ[a] = m
		w.qpn[a] = m.LocalQPN
		w.ids[a] = [2]uint32{0x1000 + uint32(a[3]), m.LocalCommID}
	case *cm.REP:
		w.lastREP[a] = m
		w.qpn[a] = m.LocalQPN
		w.ids[a] = [2]uint32{m.RemoteCommID, m.LocalCommID}
	case *cm.REJ:
		w.lastREJ[a] = m
	case *cm.DREQ:
		w.dreq[a] = m
	}
}

// proved looks at a REP as a leader with a token does.
func (w *world) proved(a wire.Addr, m cm.Message) string {
	rep, ok := m.(*cm.REP)
	if p := w.provers[a]; ok && p != nil {
		b := make([]byte, cm.REPPrivateLen) // as on the wire
		copy(b, rep.PrivateData)
		if err := p.Replied(b); err != nil {
			return " " + err.Error()
		}
		return " proved"
	}
	return ""
}

func message(m cm.Message) string {
	switch m := m.(type) {
	case *cm.REQ:
		port, _ := cm.ServicePort(m.ServiceID)
		_, user, _ := cm.SplitPrivateData(m.PrivateData)
		r, err := private.ParseRequest(user)
		if err != nil {
			return fmt.Sprintf("REQ port %d qp %#x psn %v %q", port, m.LocalQPN, wire.PSN(m.StartingPSN), strings.TrimRight(string(user), "\x00"))
		}
		if r.Form == private.FormAsk {
			return fmt.Sprintf("REQ port %d qp %#x psn %v {asks}", port, m.LocalQPN, wire.PSN(m.StartingPSN))
		}
		return fmt.Sprintf("REQ port %d qp %#x psn %v {leader %v id %d term %d slot %d}", port, m.LocalQPN, wire.PSN(m.StartingPSN), r.Leader, r.LeaderID, r.Term, r.Slot)
	case *cm.REP:
		r, err := private.ParseRegion(m.PrivateData)
		if err != nil {
			return fmt.Sprintf("REP qp %#x psn %v %q", m.LocalQPN, wire.PSN(m.StartingPSN), m.PrivateData)
		}
		return fmt.Sprintf("REP qp %#x psn %v {va %#x rkey %#x size %#x}", m.LocalQPN, wire.PSN(m.StartingPSN), r.VA, r.RKey, r.Size)
	case *cm.REJ:
		r, err := private.ParseRefusal(m.PrivateData)
		if err != nil {
			return fmt.Sprintf("REJ %v", m.Reason)
		}
		if r.Challenge != (private.Challenge{}) {
			r.Text += "; challenge"
		}
		return fmt.Sprintf("REJ %v {slot %d: %s}", m.Reason, int8(r.Slot), r.Text)
	case *cm.MRA:
		return fmt.Sprintf("MRA %v", cmsm.Timeout(m.ServiceTimeout).Round(time.Second))
	case *cm.DREQ:
		return fmt.Sprintf("DREQ qp %#x", m.RemoteQPN)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*cm.")
}

func plan(p *Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "group %d: leader %v port %d qp %#x, bcast %#x rkey %#x size %#x psn %v f %d\n",
		p.Index, p.Leader.Addr, p.Leader.Host.Port, p.Leader.QPN, p.BCastQP, p.RKey, p.Size, p.StartPSN, p.Needed)
	for i, s := range p.Slots {
		fmt.Fprintf(&b, "     slot %d: %v port %d qp %#x aggr %#x va %#x rkey %#x delta %v\n", i, s.Addr, s.Host.Port, s.QPN, s.AggrQP, s.VA, s.RKey, p.Delta(i))
	}
	return b.String()
}

// command is a line of a scenario: a verb and key=value arguments.
type command struct {
	verb string
	args map[string]string
}

func (c command) num(key string) uint64 {
	v, _ := strconv.ParseInt(c.args[key], 0, 64)
	return uint64(v)
}

func parseCommand(line string) command {
	f := strings.Fields(line)
	c := command{f[0], map[string]string{}}
	for _, a := range f[1:] {
		k, v, _ := strings.Cut(a, "=")
		c.args[k] = strings.ReplaceAll(v, "_", " ")
	}
	return c
}

// run carries out a command of a scenario and prints what follows from it.
func (w *world) run(line string) error {
	err := w.apply(line)
	w.drain()
	return err
}

// say prints what is wrong with an order about static groups.
func (w *world) say(err error) {
	var e *StaticError
	if errors.As(err, &e) {
		fmt.Fprintf(&w.out, "%s: %s\n", []string{"", "invalid", "exists", "unknown", "in use"}[e.Problem], e.Text)
	}
}

// apply carries out a command.
func (w *world) apply(line string) error {
	c := parseCommand(line)
	sw := addr(switchIP)
	var from wire.Addr
	if f := c.args["from"]; f != "" {
		from = addr(f)
	}
	ids := w.ids[from]
	switch c.verb {
	case "req":
		w.ids[from] = [2]uint32{uint32(c.num("id")), 0}
		prover := private.Secret{Cluster: c.num("cluster"), Token: c.num("token")}.Prover(request(from, c), from.Netip(), sw.Netip(), rand.New(rand.NewPCG(3, uint64(c.num("id")))).Uint64)
		if c.num("token") != 0 {
			w.provers[from] = prover
		}
		w.core.Receive(w.now, sw, from, c.num("id"), provedREQ(from, c, prover))
		w.drain()
		for w.lastREJ[from] != nil && w.lastREJ[from].RemoteCommID == w.ids[from][0] {
			again, _, err := prover.Refused(w.lastREJ[from].PrivateData)
			if err != nil {
				fmt.Fprintf(&w.out, "   %v: %v\n", from, err)
			}
			if !again {
				break
			}
			w.ids[from] = [2]uint32{w.ids[from][0] + 1000, 0}
			req := provedREQ(from, c, prover)
			req.LocalCommID = w.ids[from][0]
			w.sent = req
			w.core.Receive(w.now, sw, from, c.num("id"), req)
			w.drain()
		}
	case "replay": // of the last REQ with a proof, for another connection
		from = wire.Addr(w.sent.Primary.LocalGID[12:])
		req := *w.sent
		req.LocalCommID, req.LocalQPN = uint32(c.num("id")), uint32(c.num("qpn"))
		w.core.Receive(w.now, sw, from, c.num("id"), &req)
	case "judge": // a replica that knows its cluster's token looks at the request to it
		req := w.lastREQ[from].(*cm.REQ)
		_, user, err := cm.SplitPrivateData(req.PrivateData)
		if err != nil {
			return err
		}
		r, err := private.ParseRequest(user)
		if err != nil {
			return err
		}
		_, w.exchanges[from], err = w.guard.Check(w.now, &r, sw.Netip(), from.Netip(), private.Secret{Cluster: c.num("cluster"), Token: c.num("token")})
		if err == nil {
			fmt.Fprintf(&w.out, "   %v: proved\n", from)
			return nil
		}
		fmt.Fprintf(&w.out, "   %v: %v\n", from, err)
		w.core.Receive(w.now, sw, from, 1, &cm.REJ{LocalCommID: ids[0], RemoteCommID: ids[1], Reason: cm.ReasonConsumer, PrivateData: private.Refuse(r.Slot, err)})
	case "challenge": // by one who does not know the token
		rej := private.Refusal{Challenge: private.Challenge{1}, Answer: private.Answer{2}, Text: "prove it"}.Append(nil)
		w.core.Receive(w.now, sw, from, 1, &cm.REJ{LocalCommID: ids[0], RemoteCommID: ids[1], Reason: cm.ReasonConsumer, PrivateData: rej})
	case "stats":
		fmt.Fprintf(&w.out, "strangers %d\n", w.core.Stats().Strangers)
	case "rep":
		var err error
		req, ok := w.lastREQ[from].(*cm.REQ)
		if !ok {
			return fmt.Errorf("%v has got no REQ", from)
		}
		data := private.Region{VA: c.num("va"), RKey: uint32(c.num("rkey")), Size: c.num("size")}.Append(nil)
		if d, ok := c.args["data"]; ok {
			if data, err = hex.DecodeString(d); err != nil {
				return err
			}
		}
		if x := w.exchanges[from]; c.args["proof"] != "none" && x != nil { // "none": as one who does not know the token
			if data, err = x.Reply(data); err != nil {
				return err
			}
		}
		w.core.Receive(w.now, sw, from, 1, &cm.REP{
			LocalCommID: ids[0], RemoteCommID: req.LocalCommID, LocalQPN: uint32(c.num("qpn")), StartingPSN: uint32(c.num("psn")), PrivateData: data,
		})
	case "rej":
		m := &cm.REJ{LocalCommID: ids[0], RemoteCommID: ids[1], Reason: cm.Reason(c.num("reason"))}
		if t := c.args["text"]; t != "" {
			m.PrivateData = private.Refusal{Slot: private.NoSlot, Text: t}.Append(nil)
		}
		if c.args["of"] == "REP" {
			m.Rejected = cm.KindREP
		}
		w.core.Receive(w.now, sw, from, 1, m)
	case "mra":
		w.core.Receive(w.now, sw, from, 1, &cm.MRA{LocalCommID: ids[0], RemoteCommID: ids[1], Received: cm.KindREQ, ServiceTimeout: cmsm.TimeoutCode(time.Duration(c.num("s")) * time.Second)})
	case "rtu":
		w.core.Receive(w.now, sw, from, 1, &cm.RTU{LocalCommID: ids[0], RemoteCommID: ids[1]})
	case "dreq":
		m := &cm.DREQ{LocalCommID: ids[0], RemoteCommID: ids[1], RemoteQPN: w.qpn[from]}
		w.core.Receive(w.now, sw, from, 7, m)
	case "drep":
		d := w.dreq[from]
		if d == nil {
			return fmt.Errorf("%v has got no DREQ", from)
		}
		w.core.Receive(w.now, sw, from, 8, &cm.DREP{LocalCommID: d.RemoteCommID, RemoteCommID: d.LocalCommID})
	case "done":
		var err error
		if e := c.args["err"]; e != "" {
			err = errors.New(e)
		}
		w.core.Done(w.now, uint16(c.num("group")), err)
	case "advance":
		d, err := time.ParseDuration(c.args["by"])
		if err != nil {
			return err
		}
		w.advance(d)
	case "refused":
		w.core.Refuse(Request{Src: from, Dst: sw, DestQP: w.qpn[addr(or(c.args["to"], from.String()))], PSN: wire.PSN(c.num("psn")), SrcPort: 0xc000}, wire.Syndrome(c.num("syndrome")))
	case "nak":
		w.core.ReplicaNAK(uint16(c.num("group")), int(c.num("slot")), wire.Syndrome(c.num("syndrome")), wire.PSN(c.num("acked")))
	case "moved":
		w.dir[from] = Host{MAC: wire.MAC{2, 9, 9, 9, 9, 9}, Port: uint16(c.num("port")), Pipe: int(c.num("pipe"))}
		w.core.HostMoved(w.now, from)
	case "gather":
		w.core.AnyPipe(c.args["in"] == "egress")
	case "make":
		m := Static{Name: c.args["name"], Port: uint16(c.num("port")), Policy: or(c.args["policy"], "all")}
		for _, s := range strings.FieldsFunc(c.args["replicas"], func(r rune) bool { return r == ',' }) {
			a, err := netip.ParseAddrPort(s)
			if err != nil {
				return err
			}
			m.Receivers = append(m.Receivers, Receiver{a.Addr(), a.Port()})
		}
		if s := c.args["senders"]; s != "" {
			m.Senders = []netip.Prefix{netip.MustParsePrefix(s)}
		}
		if s := c.args["reply"]; s != "" {
			m.Reply = &Reply{}
			if _, err := fmt.Sscanf(s, "%d,%d,%d,%d,%s", &m.Reply.VA, &m.Reply.RKey, &m.Reply.Size, &m.Reply.SizeBytes, &m.Reply.Order); err != nil {
				return err
			}
		}
		w.say(w.core.AddStatic(m, []wire.Addr{sw}))
	case "unmake":
		w.say(w.core.Delete(w.now, c.args["name"], c.args["force"] != ""))
	case "made":
		for _, m := range w.core.StaticGroups() {
			fmt.Fprintf(&w.out, "%s: port %d, %s, %v, groups %v\n", m.Name, m.Port, m.Policy, m.Receivers, m.Groups)
		}
	case "remove":
		if err := w.core.Remove(w.now, uint16(c.num("group"))); err != nil {
			fmt.Fprintln(&w.out, err)
		}
	case "list":
		for _, g := range w.core.List() {
			fmt.Fprintf(&w.out, "group %d %s leader %s %s f %d", g.Index, g.Phase, g.Leader, g.Policy, g.Needed)
			if g.Adopted {
				fmt.Fprint(&w.out, " adopted")
			}
			for _, s := range g.Slots {
				fmt.Fprintf(&w.out, "; %s naks %d", s.Replica, s.NAKs)
				if s.Failed {
					fmt.Fprint(&w.out, " failed")
				}
			}
			fmt.Fprintln(&w.out)
		}
		fmt.Fprintf(&w.out, "%d groups\n", len(w.core.List()))
	case "restart": // a new controller, the same switch (unless it is empty)
		old := w.plans
		if c.args["switch"] == "empty" {
			old = nil
		}
		var recs []Record
		if c.args["store"] != "empty" {
			for _, r := range w.saved {
				recs = append(recs, r)
			}
			sort.Slice(recs, func(i, j int) bool { return recs[i].Index < recs[j].Index })
		}
		cfg := w.core.cfg
		cfg.CM.Seed = 5000
		made := w.core.StaticGroups()
		w.core = New(cfg, w.dir)
		for _, m := range made {
			w.say(w.core.RestoreStatic(m.Static))
		}
		w.core.Sync(w.now, old, recs)
	case "resync": // the same controller, the switch came back
		old := w.plans
		if c.args["switch"] == "empty" {
			old = nil
		}
		w.core.Sync(w.now, old, nil)
	default:
		return fmt.Errorf("unknown command %q", c.verb)
	}
	return nil
}

// request is what a leader asks for.
func request(from wire.Addr, c command) *private.Request {
	r := private.Request{Form: private.FormGroup, LeaderID: uint16(c.num("leader")), Port: 4000, Term: c.num("term")}
	if p := c.args["policy"]; p != "" {
		r.Policy, _ = private.ParsePolicy(p)
	}
	for _, s := range strings.FieldsFunc(c.args["replicas"], func(r rune) bool { return r == ',' }) {
		r.Replicas = append(r.Replicas, netip.MustParseAddr(s))
	}
	if n := c.args["name"]; n != "" {
		r.Form, r.Name = private.FormReference, n
	}
	if c.args["form"] == "member" {
		r.Form, r.Leader = private.FormMember, from.Netip()
	}
	return &r
}

// makeREQ is the REQ of a leader without a token.
func makeREQ(from wire.Addr, c command) *cm.REQ {
	return provedREQ(from, c, private.Secret{}.Prover(request(from, c), from.Netip(), netip.MustParseAddr(switchIP), nil))
}

func provedREQ(from wire.Addr, c command, p *private.Prover) *cm.REQ {
	data, err := p.Private()
	if err != nil || c.args["data"] == "none" {
		data = nil
	}
	port := uint16(4000)
	if p := c.num("port"); p != 0 {
		port = uint16(p)
	}
	if t := c.args["text"]; t != "" {
		data = []byte(t)
	}
	req, err := cmsm.Offer{Local: from.Netip(), Remote: netip.MustParseAddr(switchIP), Port: port, QPN: uint32(c.num("qpn")), StartingPSN: wire.PSN(c.num("psn")), MTU: int(c.num("mtu")), Private: data}.REQ()
	if err != nil {
		panic(err)
	}
	req.LocalCommID = uint32(c.num("id"))
	if c.args["transport"] != "" {
		req.Transport = cm.Transport(c.num("transport"))
	}
	return req
}

// advance moves the time on, deadline by deadline.
func (w *world) advance(d time.Duration) {
	end := w.now + d
	for {
		at := w.core.Deadline()
		if at > end {
			break
		}
		w.now = max(at, w.now)
		fmt.Fprintf(&w.out, "%v\n", w.now)
		w.core.Tick(w.now)
		w.drain()
	}
	w.now = end
}

// do runs lines of a script, and returns what comes of them.
func do(t *testing.T, w *world, lines ...string) string {
	t.Helper()
	w.out.Reset()
	for _, line := range lines {
		require.NoError(t, w.run(line))
	}
	return w.out.String()
}

func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return
		}
		var w *world
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "new" {
				cfg := Config{}
				for _, a := range d.CmdArgs {
					switch a.Key {
					case "cluster": // (id,token,prefix of its servers)
						var s Cluster
						s.Cluster, _ = strconv.ParseUint(a.Vals[0], 0, 64)
						s.Token, _ = strconv.ParseUint(a.Vals[1], 0, 64)
						if len(a.Vals) > 2 {
							s.Servers = []netip.Prefix{netip.MustParsePrefix(a.Vals[2])}
						}
						cfg.Clusters = append(cfg.Clusters, s)
					case "allow":
						cfg.Allow = []netip.Prefix{netip.MustParsePrefix(a.Vals[0])}
					}
				}
				w = newWorld(cfg)
				return ""
			}
			w.out.Reset()
			lines := strings.Split(strings.TrimSpace(d.Input), "\n")
			for _, line := range lines {
				if len(lines) > 1 {
					fmt.Fprintf(&w.out, "> %s\n", line)
				}
				require.NoError(t, w.run(line), d.Pos)
			}
			return w.out.String()
		})
	})
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
