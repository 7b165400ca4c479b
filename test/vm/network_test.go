package vm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// enable is the environment variable that the tests with guests want to see.
const enable = "P4CE_VM"

// image returns the guests' image, or skips the test and says what is missing.
func image(t *testing.T) *Image {
	t.Helper()
	needs.Ask(t, enable, "guests take minutes (make test-vm)")
	needs.Root(t, "guests on ports of a switch (network namespaces, taps and XDP)")
	dir, err := CacheDir()
	require.NoError(t, err)
	im, err := Build(context.Background(), dir, os.Stderr)
	var lacks *NeedsError
	if errors.As(err, &lacks) {
		needs.Tools(t, lacks)
	}
	require.NoError(t, err)
	return im
}

// network is a switch with guests on ports 1, 2... of it.
type network struct {
	t        *testing.T
	ctx      context.Context
	lab      *lab.Lab
	guests   []*Guest
	places   []place          // of the guests
	home     netip.Addr       // of the switch that leaders connect to
	cluster  *cluster.Cluster // nil without a switch
	log      *lab.Log         // of switch and controller
	capture  string           // file: what the switch receives and sends
	captures []string         // of all switches
}

// place is where a guest is.
type place struct {
	tap  string
	mac  net.HardwareAddr
	addr netip.Prefix
}

// options of a network.
type options struct {
	guests     int
	hosts      int // namespaces, on the ports after... the guests'
	noSwitch   bool
	memory     int
	cpus       int // default 1
	image      *Image
	rxe        RXE // the address is filled in
	noRXE      bool
	controller []string
}

// limit is how long a test with guests may take: emulation under load is slow,
// and there is no other bound on it.
const limit = 10 * time.Minute

// binaries are the builds of p4ce that the tests have needed so far, by the flags
// of go build.
var binaries = map[string]string{}

// p4ceBinary returns the p4ce that is tested, built with these flags.
func p4ceBinary(t *testing.T, flags ...string) string {
	t.Helper()
	key := strings.Join(flags, " ")
	if binaries[key] == "" {
		dir, err := os.MkdirTemp("", "p4ce-vm-bin-")
		require.NoError(t, err)
		binary, err := launch.Build(dir, "p4ce", flags...)
		if err != nil {
			os.RemoveAll(dir)
		}
		require.NoError(t, err)
		binaries[key] = binary
	}
	return binaries[key]
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, b := range binaries {
		os.RemoveAll(filepath.Dir(b))
	}
	os.Exit(code)
}

// newNetwork boots the guests and starts the switch. Everything ends with the
// test.
func newNetwork(t *testing.T, o options) *network {
	t.Helper()
	im := o.image
	if im == nil {
		im = image(t)
	}
	l, err := lab.New(o.hosts)
	require.NoError(t, err)
	dir := t.TempDir() // before the clean-up below, which reads it
	n := &network{t: t, lab: l, log: &lab.Log{}, home: lab.SwitchIP}
	n.ends(func() {
		if n.cluster != nil {
			n.cluster.Close()
		}
		l.Close()
	})
	var ports []runner.Port
	for _, h := range l.Hosts {
		ports = append(ports, runner.Port{Number: h.Port, Interface: h.PortInterface()})
	}
	for i := range o.guests {
		number := uint16(o.hosts + i + 1)
		p := place{fmt.Sprintf("p%d", number), net.HardwareAddr{2, 0x66, 0, 0, 1, byte(i + 1)}, netip24(i)}
		require.NoError(t, l.Tap(p.tap))
		n.places = append(n.places, p)
		ports = append(ports, runner.Port{Number: number, Interface: p.tap})
	}
	up := n.boot(im, o)
	if !o.noSwitch {
		n.capture = filepath.Join(dir, "switch.pcapng")
		n.captures = []string{n.capture}
		n.cluster, err = cluster.Start(n.ctx, cluster.Options{
			Options: runner.Options{Lab: l, Binary: p4ceBinary(t), Dir: dir, Log: n.log}, Ports: ports,
			Switch: []string{"--capture", n.capture}, Controller: o.controller,
		})
		if err != nil {
			_ = up()
		}
		require.NoError(t, err, "%s", n.log)
	}
	require.NoError(t, up())
	return n
}

// ends gives the network its time, and has it closed by that, after the guests, when the test is over.
func (n *network) ends(closed func()) {
	var cancel func()
	n.ctx, cancel = context.WithTimeout(context.Background(), limit)
	n.t.Cleanup(func() {
		for _, g := range n.guests {
			if g != nil {
				g.Kill()
			}
		}
		closed()
		cancel()
		if n.t.Failed() {
			for _, file := range n.captures {
				keep(n.t, file)
			}
			n.t.Logf("switches and controller:\n%s", n.log)
			for _, g := range n.guests {
				if g != nil {
					n.t.Logf("console of guest %s:\n%s", g.Name, g.Console())
				}
			}
		}
	})
}

// boot starts a guest in each place, and returns what waits until they are up.
func (n *network) boot(im *Image, o options) (up func() error) {
	n.guests = make([]*Guest, len(n.places))
	start := time.Now()
	var g errgroup.Group
	for i, p := range n.places {
		g.Go(func() error {
			guest, err := Boot(n.ctx, Config{
				Name: fmt.Sprint(i + 1), Image: im, Memory: o.memory, CPUs: o.cpus, Start: n.lab.StartInSwitch, NICs: []NIC{{Tap: p.tap, MAC: p.mac}},
			})
			if err != nil {
				return err
			}
			n.guests[i] = guest
			if o.noRXE {
				return nil
			}
			r := o.rxe
			r.Addr = p.addr
			return guest.StartRXE(n.ctx, r)
		})
	}
	return func() error {
		err := g.Wait()
		n.t.Logf("%d guests: %.1f s", len(n.places), time.Since(start).Seconds())
		return err
	}
}

// netip24 is a guest's address with the length of its network.
func netip24(i int) netip.Prefix { return netip.PrefixFrom(guestAddr(i), 24) }

// keep saves a capture of a test that has failed.
func keep(t *testing.T, file string) {
	if data, err := os.ReadFile(file); err == nil {
		kept := filepath.Join(os.TempDir(), "p4ce-vm-failed-"+filepath.Base(file))
		t.Logf("the capture is kept in %s: %v", kept, os.WriteFile(kept, data, 0o644))
	}
}

// guestAddr is the address of a guest, counted from 0.
func guestAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 66, 0, byte(101 + i)}) }

// complete sees that nothing was lost on the way to the captures.
func (n *network) complete() {
	n.t.Helper()
	require.Contains(n.t, n.log.String(), "lost=0", "the capture is complete")
	require.Equal(n.t, strings.Count(n.log.String(), "capture ended"), strings.Count(n.log.String(), "lost=0"), "the capture is complete")
}

// stopSwitch ends the switch, so that its capture is complete, and returns the
// packets. None may have been lost on the way to the file.
func (n *network) stopSwitch() []captured {
	n.t.Helper()
	require.NoError(n.t, n.cluster.Switch().Stop(n.ctx))
	n.complete()
	return readCapture(n.t, n.capture)
}
