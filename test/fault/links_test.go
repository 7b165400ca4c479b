package fault

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
)

// forgedLLDP is the frame by which a switch would say that a link of a port works.
func forgedLLDP(mac wire.MAC, at topology.Place) []byte {
	f := append([]byte{0x01, 0x80, 0xc2, 0, 0, 0x0e}, mac[:]...)
	f = append(f, 0x88, 0xcc)
	for i, text := range []string{at.Switch, fmt.Sprint(at.Port)} {
		f = append(append(f, byte(2*(i+1)), byte(1+len(text)), 7), text...) // a type of 7 bits, a length of 9, locally assigned
	}
	f = append(f, 0x06, 0x02, 0, 2, 0, 0)
	return append(f, make([]byte, max(0, 60-len(f)))...)
}

// TestForgedLinks: somebody on a port of a leaf sends as fast as it can the frames by which switches find out which
// of their links work, by the name of every port of the network. No link is down for that, one that is cut is, and stays so; the
// group goes on at no less than half its rate, and everything arrives once.
func TestForgedLinks(t *testing.T) {
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	log := &lab.Log{}
	n, err := multicast.Start(ctx, multicast.Options{
		Binary: binary, Dir: t.TempDir(), Target: "xdp", Log: log, Leaves: 2, Spines: 2, Hosts: 3,
		Hold: 4 * time.Second, Bad: map[string]network.Rates{"l0-s0": {}, "l0-s1": {}},
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("switches and controller:\n%s", log)
		}
	})
	require.NoError(t, err)
	t.Cleanup(n.Close)

	s := multicast.Shape{Records: 40000, Size: 64, Port: 4740}
	var rx []*multicast.Receiver
	var to []netip.Addr
	for _, h := range []string{"h2", "h4", "h5"} {
		dev, err := n.Device(h)
		require.NoError(t, err)
		r, err := s.Receive(ctx, dev)
		require.NoError(t, err)
		rx, to = append(rx, r), append(to, dev.Addr())
	}
	leader, err := n.Device("h1")
	require.NoError(t, err)
	tx, err := s.Send(ctx, leader, n.Home("h1"), to)
	require.NoError(t, err)
	const pause = 500 * time.Microsecond
	write := func(records int) time.Duration { // at the pace of a program that does something else as well
		begin := time.Now()
		_, err := tx.Write(ctx, records, 16, func(int) { time.Sleep(pause) })
		require.NoError(t, err)
		return time.Since(begin)
	}

	x := &stranger{t: t, sent: map[string]int{}}
	require.NoError(t, n.Lab().InSwitch(func() error {
		ifi, err := net.InterfaceByName(n.HostEnd("h3"))
		if err != nil {
			return err
		}
		if x.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return unix.Bind(x.fd, &unix.SockaddrLinklayer{Ifindex: ifi.Index})
	}))
	t.Cleanup(func() { _ = unix.Close(x.fd) })
	var forged [][]byte
	for _, sw := range n.Fabric.Switches {
		for port := range uint16(network.Uplink + 4) {
			forged = append(forged, forgedLLDP(sw.MAC, topology.Place{Switch: sw.Name, Port: port}))
		}
	}
	flood := func(during func()) {
		flooding, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			for flooding.Err() == nil {
				for _, f := range forged {
					x.send("forged LLDP", f)
				}
			}
		})
		defer wg.Wait()
		defer stop()
		during()
	}
	down := func() (out []string) {
		st, err := n.Admin.Status(ctx)
		require.NoError(t, err)
		for i := range st.Switches {
			own, err := control.StatusOf(&st.Switches[i])
			require.NoError(t, err)
			for _, p := range own.Down {
				out = append(out, fmt.Sprintf("%s:%d", st.Switches[i].Name, p))
			}
		}
		return out
	}
	var quiet, hostile time.Duration
	for round := 1; ; round++ {
		const records = 1500
		q := write(records)
		var h time.Duration
		flood(func() { h = write(records) })
		require.Empty(t, down())
		quiet, hostile = quiet+q, hostile+h
		t.Logf("round %d: %d records in %v in peace, in %v under attack", round, records, q, h)
		if round >= 3 && (hostile <= 2*quiet || round == 6) {
			break
		}
	}
	require.LessOrEqual(t, hostile, 2*quiet, "half the rate, taken together")

	before, err := n.Arrived(ctx)
	require.NoError(t, err)
	write(400)
	after, err := n.Arrived(ctx)
	require.NoError(t, err)
	used := "s0"
	if after["l0-s1"]-before["l0-s1"] > after["l0-s0"]-before["l0-s0"] {
		used = "s1"
	}
	spine, _ := strconv.Atoi(used[1:])
	ends := []string{fmt.Sprintf("l0:%d", network.Uplink+spine), used + ":1"}
	flood(func() {
		n.BadLink("l0-" + used).Cut(true)
		require.Eventually(t, func() bool { return len(down()) == 2 }, 30*time.Second, 10*time.Millisecond)
		write(400)
		require.ElementsMatch(t, ends, down())
	})
	n.BadLink("l0-" + used).Cut(false)
	require.NoError(t, n.Whole(ctx))
	flood(func() { write(400) })
	for _, r := range rx {
		require.NoError(t, r.Await(ctx, tx.Total()))
	}
	text, err := n.Admin.Metrics(ctx)
	require.NoError(t, err)
	for sw, want := range map[string]string{"l0": "[1-9]", "l1": "0$", "s0": "0$", "s1": "0$"} {
		require.Regexp(t, regexp.MustCompile(`(?m)^p4ce_controller_switch_events_total\{event="foreign_probe",switch="`+sw+`"\} `+want), text)
	}
	t.Logf("sent: %v", x.sent)
	require.NoError(t, tx.Close())
	require.Eventually(t, func() bool {
		left, err := n.Left(ctx)
		return err == nil && left == ""
	}, 20*time.Second, 20*time.Millisecond, "no switch has anything left of the group")
}
