package vm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4"
)

// deployment is one switch for Paxos, with all that a deployment must have: the neighbour
// is not there.
const deployment = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [{"name": "t", "p4runtime": "unix:/tmp/p4rt.sock", "mac": "02:00:00:00:01:01", "acceptor": "10.0.1.1", "learner": "10.0.2.1"},
    {"name": "n", "p4runtime": "unix:/tmp/nobody.sock", "mac": "02:00:00:00:01:02"}],
  "links": [["t:2", "n:1"]],
  "hosts": [{"name": "h", "at": "t:1", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"}],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["t"], "acceptors": ["t"], "learners": ["t"], "replicas": ["h"], "proposers": ["h"]
  }]
}`

// ordered is a network of 1Pipe.
const ordered = `{
	"switches": [{"name": "t", "p4runtime": "unix:/tmp/p4rt.sock", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"}],
	"hosts": [{"name": "h", "at": "t:1", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"}]
}`

// TestSwitchOnDebianKernel: the whole demonstration runs inside a guest, and every
// program is loaded. Debian's kernel takes the programs of the XDP target, with traces
// and without, and the servers' responder; its verifier knows less of a program than that of the kernel which runs
// the other tests.
func TestSwitchOnDebianKernel(t *testing.T) {
	n := newNetwork(t, options{guests: 1, image: verbsImage(t), memory: 1024, noRXE: true, noSwitch: true})
	g := n.guests[0]
	release, err := g.Run(n.ctx, "uname", "-r")
	require.NoError(t, err)
	demo := []string{guestBinary, "demo", "--target", "xdp", "--input", "/input", "--count", "100"}
	for _, flags := range [][]string{{"--wire", "kernel"}, {"--pcap", "/tmp/demo.pcapng", "--replicas", "4", "--policy", "all"}} {
		out, err := g.Run(n.ctx, append(demo, flags...)...)
		require.NoError(t, err)
		t.Logf("Linux %s%s", release, out)
		require.Regexp(t, `All \d logs are equal`, out)
	}
	for _, program := range p4.Programs() {
		flags, file, runs, option := "--switch unix:/tmp/p4rt.sock="+program+" --ports 1", deployment, program, ""
		switch program {
		case "amcast": // no application takes it up yet
			continue
		case "rdmaegress": // for chips: a verifier of this age takes minutes for it
			continue
		case "rdma":
			flags += " --address 10.0.0.1 --mac 02:00:00:00:00:01"
		case "paxos":
			flags = "--deployment /tmp/net.json --journal /tmp/journal"
		case "onepipe":
			flags, file = "--onepipe /tmp/net.json --store /tmp/store", ordered
		case "onepipecpu": // the half of onepipe that forwards
			flags, file = "--onepipe /tmp/net.json --store /tmp/store2", ordered
			runs, option = "onepipe", "--onepipe-beacons"
		}
		out, err := g.Shell(n.ctx, fmt.Sprintf(`
			ip link add name port1 type veth peer name host1
			ip link set port1 up
			ip link set host1 up
			ethtool -K host1 txvlan off tx-vlan-stag-hw-insert off
			%[1]s switch --target xdp --port 1=port1 --listen unix:/tmp/p4rt.sock %[5]s >/tmp/switch 2>&1 & switch=$!
			echo '%[4]s' >/tmp/net.json
			%[1]s controller %[3]s --admin unix:/tmp/admin.sock >/tmp/controller 2>&1 & controller=$!
			for i in $(seq 300); do
				if %[1]s status --controller unix:/tmp/admin.sock 2>&1 | grep "in control, runs %[2]s"; then break; fi
				sleep 0.2
			done
			kill $controller $switch
			wait
			cat /tmp/switch /tmp/controller
			ip link del port1`, guestBinary, runs, flags, file, option))
		require.NoError(t, err, out)
		require.Contains(t, out, "in control, runs "+runs, "%s: %s", program, out)
	}
}
