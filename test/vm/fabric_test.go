package vm

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
)

// TestTwoSwitches: guests on two switches that copy together. The sender and one receiver are on the first,
// two receivers on the second, which is a relay. SENDs of rdma-core's programs, as they are, to a static group,
// and WRITEs of p4ce's, arrive at all three once, and once on the link between the switches.
//
//	sender, a --- l0 (home) --- l1 (relay) --- b, c
func TestTwoSwitches(t *testing.T) {
	im := verbsImage(t)
	n := &network{t: t, log: &lab.Log{}}
	dir := t.TempDir()
	var racks *multicast.Network
	n.ends(func() {
		if racks != nil {
			racks.Close()
		}
	})
	guests := []string{"h1", "h2", "h3", "h4"}
	capture := func(of string) string { return filepath.Join(dir, of+".pcapng") }
	n.captures = []string{capture("l0"), capture("l1")}
	var err error
	racks, err = multicast.Start(n.ctx, multicast.Options{
		Binary: p4ceBinary(t), Dir: dir, Target: "xdp", Log: n.log, Leaves: 2, Hosts: 2, Guests: guests,
		Hold:   5 * time.Hour, // no probes among what is counted
		Switch: func(name string) []string { return []string{"--capture", capture(name)} },
	})
	require.NoError(t, err, "%s", n.log)
	n.lab, n.home = racks.Lab(), racks.Home("h1")
	for i, name := range guests {
		h := racks.Fabric.Hosts[i]
		n.places = append(n.places, place{racks.HostEnd(name), h.MAC[:], netip.PrefixFrom(h.Addr.Netip(), 24)})
	}
	require.NoError(t, n.boot(im, options{memory: 320, rxe: RXE{MTU: lab.MTU}})())
	n.sends(racks.AdminOf("controller"), 3, "--switch", "l0")
	n.replicate(t, n.guest(0), []server{n.guest(1), n.guest(2), n.guest(3)})
	n.requireOnce()
	require.Eventually(t, func() bool {
		left, err := racks.Left(n.ctx)
		return err == nil && left == ""
	}, 20*time.Second, 20*time.Millisecond, "no switch has anything left of a group")
	arrived, err := racks.Arrived(n.ctx)
	require.NoError(t, err)
	for _, of := range []string{"l0", "l1"} {
		require.NoError(t, racks.Switch(of).Stop(n.ctx))
	}
	n.complete()
	sends, writes := n.requireTree(readCapture(t, capture("l0")), readCapture(t, capture("l1")), arrived)
	require.Equal(t, 3, sends)
	require.GreaterOrEqual(t, writes, 200)
	for _, file := range n.captures {
		requireWellFormed(t, file)
	}
}

// requireTree checks what two switches have captured. Each packet for a group was sent once by the leader, came once over
// the link between the switches, reached each receiver once, and was acknowledged by each once; all with a valid ICRC. As the
// counters of the link's ports say, nothing else was on it.
func (n *network) requireTree(home, relay []captured, arrived map[string]uint64) (sends, writes int) {
	t := n.t
	t.Helper()
	type key struct {
		qp  uint32
		psn wire.PSN
	}
	sw := wire.Addr(n.home.As4())
	total := map[string]uint64{}         // frames by where they were seen: "l0-h1 IN"
	requests := map[string]map[key]int{} // of groups
	answers := map[string]map[key]int{}  // of receivers
	note := func(to map[string]map[key]int, where string, p *wire.Packet) {
		if to[where] == nil {
			to[where] = map[key]int{}
		}
		k := key{p.BTH.DestQP(), p.BTH.PSN()}
		to[where][k]++
		require.Equal(t, 1, to[where][k], "at %s again: %s", where, p)
	}
	for _, c := range append(home, relay...) {
		where := c.port + " IN"
		if c.out {
			where = c.port + " OUT"
		}
		total[where]++
		var p wire.Packet
		if wire.Parse(c.frame, &p) != nil || p.BTH.DestQP() == wire.GSIQP {
			continue
		}
		require.True(t, p.ICRCOK(), "ICRC of %s", &p)
		require.True(t, p.IP.ChecksumOK(), "IP checksum of %s", &p)
		switch ack := p.BTH.Opcode() == wire.Acknowledge; {
		case p.IP.Src() != sw && p.IP.Dst() != sw: // direct
		case ack:
			require.True(t, p.AETH.Syndrome().IsAck(), "a NAK: %s", &p)
			if p.IP.Dst() == sw {
				note(answers, where, &p)
			}
		default:
			note(requests, where, &p)
			if c.port != "l0-h1" {
				break
			}
			if p.BTH.Opcode() == wire.SendOnly {
				sends++
			} else {
				writes++
			}
		}
	}
	t.Logf("%d SENDs, %d packets of WRITEs; frames %v, counted on the link %v", sends, writes, total, arrived)
	places := []string{"l0-h1 IN", "l0-h2 OUT", "l0-l1 OUT", "l1-l0 IN", "l1-h3 OUT", "l1-h4 OUT"}
	require.Len(t, requests, len(places))
	for _, where := range places {
		require.Len(t, requests[where], sends+writes, "requests at %s", where)
	}
	for where, times := range map[string]int{"l0-h2 IN": 1, "l1-h3 IN": 1, "l1-h4 IN": 1, "l1-l0 OUT": 2, "l0-l1 IN": 2} {
		require.Len(t, answers[where], times*(sends+writes), "acknowledgements at %s", where)
	}
	require.Equal(t, total["l1-l0 IN"], arrived["l0-l1"])
	require.Equal(t, total["l0-l1 IN"], arrived["l1-l0"])
	return sends, writes
}
