package group

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/roce/cm"
)

// TestModel plays random leaders, replicas and switches: lost, repeated and
// unexpected messages, failing orders. It checks the contract of the package:
//
//   - nobody hears that a connection has ended, and no leader gets a REP, while
//     the switch says otherwise;
//   - no number is used by two groups;
//   - once everybody is silent, every group is either running or gone, and
//     nothing of those that are gone is left on the switch or in the core.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(Config{})
		m := &model{world: w, t: t, installed: map[uint16]*Plan{}, orders: nil}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.step()
			m.drain()
		}
		// Silence: orders are carried out, time passes, nobody answers.
		for range 400 {
			for len(m.orders) > 0 {
				m.carryOut(nil)
				m.drain()
			}
			at := w.core.Deadline()
			if at == Never {
				break
			}
			w.now = max(w.now, at)
			w.core.Tick(w.now)
			m.drain()
		}
		for i, g := range w.core.groups {
			if g.phase != running || m.installed[i] != g.plan {
				t.Fatalf("group %d is %v in the end, on the switch: %v", i, g.phase, m.installed[i] != nil)
			}
		}
		if len(m.installed) != len(w.core.groups) || len(w.core.unsettled) != 0 || len(w.core.closing) != 0 {
			t.Fatalf("%d groups on the switch, %d in the core, %d unsettled, %d closing", len(m.installed), len(w.core.groups), len(w.core.unsettled), len(w.core.closing))
		}
		peers := 0
		for _, g := range w.core.groups {
			peers += len(g.peers())
		}
		if len(w.core.byQPN) != peers {
			t.Fatalf("%d queue pairs known, %d peers", len(w.core.byQPN), peers)
		}
	})
}

type model struct {
	*world
	t         *rapid.T
	installed map[uint16]*Plan // what the switch holds
	orders    []Output         // Install and Remove that have not been answered
}

func (m *model) drain() {
	for {
		o, ok := m.core.Poll()
		if !ok {
			return
		}
		switch o := o.(type) {
		case Install:
			for _, p := range m.installed {
				for _, q := range []uint32{o.Plan.BCastQP, o.Plan.Slots[0].AggrQP} {
					if q == p.BCastQP || q == p.Slots[0].AggrQP || o.Plan.Index == p.Index || o.Plan.RKey == p.RKey {
						m.t.Fatalf("group %d has a number of group %d", o.Plan.Index, p.Index)
					}
				}
			}
			m.orders = append(m.orders, o)
		case Remove:
			m.orders = append(m.orders, o)
		case Send:
			m.heard(o.Remote, o.Message)
			m.check(o)
		}
	}
}

// check holds a message against the state of the switch.
func (m *model) check(s Send) {
	switch msg := s.Message.(type) {
	case *cm.REP:
		for _, p := range m.installed {
			if p.BCastQP == msg.LocalQPN {
				return
			}
		}
		m.t.Fatalf("the leader got a REP for %#x, which is not on the switch", msg.LocalQPN)
	case *cm.DREP, *cm.REJ:
		if conn := m.core.agent.Conn(lastWord(msg)); conn != nil {
			for _, p := range m.installed {
				if p.BCastQP == m.qpn[s.Remote] && conn.Remote() == s.Remote && conn.REP() != nil && conn.REP().LocalQPN == p.BCastQP {
					m.t.Fatalf("%v was told that %#x has ended, which is on the switch", s.Remote, p.BCastQP)
				}
			}
		}
	}
}

func (m *model) carryOut(err error) {
	switch o := m.orders[0].(type) {
	case Install:
		m.installed[o.Plan.Index] = o.Plan // or a part of it
		m.core.Done(m.now, o.Plan.Index, err)
	case Remove:
		if err == nil {
			delete(m.installed, o.Plan.Index)
		}
		m.core.Done(m.now, o.Plan.Index, err)
	}
	m.orders = m.orders[1:]
}

func (m *model) step() {
	host := fmt.Sprintf("10.0.0.%d", rapid.IntRange(1, 6).Draw(m.t, "host"))
	leader := fmt.Sprintf("10.0.0.%d", rapid.IntRange(1, 2).Draw(m.t, "leader"))
	id := rapid.IntRange(1, 3).Draw(m.t, "id")
	verb := rapid.SampledFrom([]string{"req", "rep", "rep", "rep", "rej", "mra", "rtu", "dreq", "drep", "order", "order", "order", "fail", "advance", "remove"}).Draw(m.t, "verb")
	var line string
	switch verb {
	case "order", "fail":
		if len(m.orders) > 0 {
			var err error
			if verb == "fail" {
				err = errors.New("no")
			}
			m.carryOut(err)
		}
		return
	case "req":
		line = fmt.Sprintf("req from=%s id=%d qpn=%d replicas=10.0.0.5,10.0.0.6", leader, id, 0x10+id)
	case "rep":
		line = fmt.Sprintf("rep from=10.0.0.%d qpn=5 psn=%d size=4096", rapid.IntRange(5, 6).Draw(m.t, "replica"), id)
	case "advance":
		m.now += time.Duration(rapid.IntRange(1, 3000).Draw(m.t, "more")) * time.Millisecond
		m.core.Tick(m.now)
		return
	case "remove":
		_ = m.core.Remove(m.now, uint16(rapid.IntRange(0, 3).Draw(m.t, "group")))
		return
	case "rej":
		line = fmt.Sprintf("rej from=%s reason=%d", host, rapid.SampledFrom([]int{4, 6, 10, 28}).Draw(m.t, "reason"))
	case "mra":
		line = fmt.Sprintf("mra from=%s s=1", host)
	default:
		line = fmt.Sprintf("%s from=%s", verb, host)
	}
	// The world's own drain prints; ours checks. Commands that need a message
	// which has not come are skipped.
	_ = m.apply(line)
}

// FuzzMessages feeds arbitrary datagrams, as they come from any host, to a core
// that has a running group and one that is being formed.
func FuzzMessages(f *testing.F) {
	for _, line := range []string{"req from=10.0.0.1 id=7 qpn=0x11 replicas=10.0.0.2", "dreq from=10.0.0.1", "rtu from=10.0.0.1"} {
		c := parseCommand(line)
		var msg cm.Message = &cm.DREQ{LocalCommID: 7}
		if c.verb == "req" {
			msg = makeREQ(addr("10.0.0.1"), c)
		}
		b, err := cm.Append(nil, 1, msg)
		require.NoError(f, err)
		f.Add(b, uint8(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, from uint8) {
		tid, msg, err := cm.Decode(b)
		if err != nil {
			return
		}
		w := newWorld(Config{})
		for _, line := range []string{
			"req from=10.0.0.1 id=7 qpn=0x11 replicas=10.0.0.2", "rep from=10.0.0.2 qpn=0x22 psn=1 size=0x1000", "done group=0", "rtu from=10.0.0.1",
			"req from=10.0.0.1 id=8 qpn=0x12 replicas=10.0.0.3",
		} {
			require.NoError(t, w.run(line))
		}
		for range 2 {
			w.core.Receive(w.now, addr(switchIP), addr(fmt.Sprintf("10.0.0.%d", from)), tid, msg)
			w.drain()
			w.advance(time.Second)
		}
	})
}
