package control

import (
	"strings"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	names "github.com/p4ce/p4ce/p4/paxos"
)

const tinyBits = ringBits - 1

var tinyProgram = program(tinyBits)

// tiny gives a switch a program with half as many cells, from its next start on.
func (w *simWorld) tiny(t *testing.T, name string) {
	p, err := tinyProgram()
	require.NoError(t, err)
	w.devices[name].program, w.devices[name].room = p, 1<<tinyBits
}

// mixed is a world in which some switches have half as many cells. Of its switches and its controller
// nothing has happened yet.
func mixed(t *testing.T, config string, tiny ...string) *simWorld {
	w, err := newWorld(config, 1)
	require.NoError(t, err)
	w.journal, w.durable, w.records = &fleettest.Journal[Record]{}, newLedger(), 0
	for _, name := range tiny {
		w.tiny(t, name)
		w.forget(name)
	}
	w.startController()
	w.settle(50 * time.Millisecond)
	return w
}

func instances(n string) string {
	return strings.Replace(testConfig, `"name": "log"`, `"name": "log", "instances": `+n, 1)
}

// requireWindow: switches admit so many instances; in steps of trimming, and never more (checkSwitch).
func (w *simWorld) requireWindow(t *testing.T, n uint32) {
	t.Helper()
	for range 3 * testRing {
		w.submit(t)
	}
	w.settle(50 * time.Millisecond)
	require.Greater(t, w.durable.first, uint32(testRing))
	require.Equal(t, n, w.core.Info()[0].Instances)
	for name, d := range w.devices {
		first, last := d.register(w, names.RegisterFirst, 0), d.register(w, names.RegisterLast, 0)
		require.Equal(t, n, last-first+1, name)
	}
}

// TestRings: as many instances may be under way as every switch has room for, or as an operator wants.
func TestRings(t *testing.T) {
	w := mixed(t, testConfig)
	w.requireWindow(t, testRing)
	w = mixed(t, testConfig, "a2")
	w.requireWindow(t, testRing/2)
	w.kill("a2")
	w.startController() // the switches that it meets have more room, and that changes nothing
	w.settle(50 * time.Millisecond)
	require.Equal(t, uint32(testRing/2), w.core.Info()[0].Instances)
	w.submit(t)
	w = mixed(t, instances("3"))
	w.requireWindow(t, 3)
	_, err := New(w.conf, w.journal, nil, 0)
	require.NoError(t, err)
	w.conf.Apps[0].Instances = 4
	_, err = New(w.conf, w.journal, nil, 0)
	require.ErrorContains(t, err, "application log: instances 4: it has begun with 3, according to the journal, and cannot change")
}

// TestRingWaits: a switch with less room may come later than the others, but not when it is too late.
func TestRingWaits(t *testing.T) {
	w := mixed(t, testConfig, "a4")
	require.Equal(t, uint32(testRing/2), w.durable.ring)
	w, err := newWorld(testConfig, 1)
	require.NoError(t, err)
	w.journal, w.durable, w.records = &fleettest.Journal[Record]{}, newLedger(), 0
	w.tiny(t, "a4")
	w.forget("a4")
	w.devices["a4"].linked = false
	w.startController()
	w.settle(100 * time.Millisecond)
	require.Equal(t, "waiting", w.core.Info()[0].State)
	w.join("a4")
	w.settle(100 * time.Millisecond)
	require.Equal(t, "running", w.core.Info()[0].State)
	w.requireWindow(t, testRing/2)
}

// TestNoRoom: a switch without room for what may be under way has no role.
func TestNoRoom(t *testing.T) {
	w := mixed(t, instances("8"), "a2")
	in := w.core.Info()[0]
	require.Equal(t, "waiting", in.State)
	require.Equal(t, "acceptors: a2 (has room for 4 instances, not 8)", in.Waiting)
	require.Equal(t, "no room", in.Acceptors[1].State)

	w = mixed(t, testConfig)
	w.submit(t)
	w.kill("a3")
	w.tiny(t, "a3")
	w.restart("a3")
	w.settle(2 * time.Second)
	require.Equal(t, []string{"a1", "a2", "a4"}, w.acceptors(), "the spare replaces it")
	for range 3 * testRing {
		w.submit(t)
	}
	for _, e := range w.devices["a3"].entries {
		require.NotEqual(t, names.TableService, e.Table, "it has no role")
	}
}

// TestOlderRing: the journal of a build that knew only one size says nothing about it.
func TestOlderRing(t *testing.T) {
	w := mixed(t, testConfig)
	j := &fleettest.Journal[Record]{}
	for _, r := range w.journal.Records() {
		if r.Kind != recordRing {
			require.NoError(t, j.Append(r))
		}
	}
	c, err := New(w.conf, j, nil, 0)
	require.NoError(t, err)
	require.Equal(t, uint32(16384), c.Info()[0].Instances)
}

// TestRoom: the p4info says for how many instances a program has room.
func TestRoom(t *testing.T) {
	conf, err := pipeline.Load(Program)
	require.NoError(t, err)
	sized := func(cells, apps int32) *p4rtclient.Info {
		info := proto.Clone(conf.GetP4Info()).(*p4config.P4Info)
		for _, r := range info.GetRegisters() {
			if r.GetSize() == names.MaxApps {
				r.Size = apps
			} else {
				r.Size = cells
			}
		}
		return p4rtclient.NewInfo(info)
	}
	require.EqualValues(t, names.Ring, room(p4rtclient.NewInfo(conf.GetP4Info())))
	require.NoError(t, check(p4rtclient.NewInfo(conf.GetP4Info()), names.MaxApps))
	require.EqualValues(t, 8192, room(sized(32768, 4)))
	require.EqualValues(t, 32768, room(sized(65536, 2)))
	require.NoError(t, check(sized(65536, 2), 2))
	require.ErrorContains(t, check(sized(65536, 2), 3), "has room for 2 applications, and there are 3")
	require.ErrorContains(t, check(sized(1, 2), 1), `register "voted": has 1 elements, for 2 applications`)
}
