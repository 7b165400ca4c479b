package vm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/test/docs"
)

// day does what docs/operations.md says. One guest is all of its machines: the guest itself is the switch and server 1, and
// the other servers are namespaces with copies of the unit. A command runs where the word behind its fence says.
type day struct {
	*testing.T
	n       *network
	servers []int               // that are there
	exports map[string][]string // lines that hold for all that comes, by place
	ran     []string            // the commands
}

// The folder of the settings of a machine that is not the guest itself.
const machineEtc = "/machines/%s/etc"

func newDay(t *testing.T, n *network) *day {
	d := &day{T: t, n: n, servers: []int{1, 2, 3}, exports: map[string][]string{}}
	d.shell(`
		mkdir -p /backup /machines/ops/etc
		echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes # nobody is here to be asked
		echo change-me-ops >/machines/ops/etc/ops.password
		ip addr add 10.0.0.1/32 dev lo
		echo 1 >/proc/sys/net/ipv4/ip_forward
		for i in 1 2 3; do
			mkdir -p /machines/$i/etc
			ip netns add n$i
			ip link add eth$i type veth peer name eth1 netns n$i
			ip link set eth$i up
			ip link add mgmt$i type veth peer name mgmt netns n$i
			ip link set mgmt$i up
			ip route add 10.0.0.1$i dev mgmt$i src 10.0.0.1
			ip netns exec n$i sh -ec "
				ip link set lo up
				ip addr add 10.66.0.1$i/24 dev eth1
				ip link set eth1 up
				ethtool -K eth1 txvlan off tx-vlan-stag-hw-insert off # as the switch says
				ip addr add 10.0.0.1$i/32 dev mgmt
				ip link set mgmt up
				ip route add 10.0.0.1 dev mgmt
				ip route add 10.0.0.0/24 via 10.0.0.1"
		done
		mkdir -p /etc/systemd/system/p4ce-kv.service.d
		printf '[Service]\nNetworkNamespacePath=/run/netns/n1\n' >/etc/systemd/system/p4ce-kv.service.d/machine.conf`)
	d.unit(2, 2)
	d.unit(3, 3)
	return d
}

// unit makes the unit of server id, in a namespace.
func (d *day) unit(id, ns int) {
	d.Helper()
	d.shell(fmt.Sprintf(`
		mkdir -p /machines/%[1]d/etc /machines/%[1]d/kv
		chown p4ce: /machines/%[1]d/kv
		sed -e '/^StateDirectory/d' -e '/^\[Service\]/a NetworkNamespacePath=/run/netns/n%[2]d\nBindPaths=/machines/%[1]d/kv:/var/lib/p4ce/kv\nBindReadOnlyPaths=/machines/%[1]d/etc:/etc/p4ce' \
			/lib/systemd/system/p4ce-kv.service >/etc/systemd/system/kv%[1]d.service
		mkdir -p /var/lib/p4ce/kv # where its folder is, for it
		systemctl daemon-reload`, id, ns))
}

func (d *day) shell(script string) string {
	d.Helper()
	out, err := d.n.guests[0].Shell(d.n.ctx, script)
	require.NoError(d, err, "%s\n%s", script, out)
	return out
}

// write writes a file of a machine.
func (d *day) write(place, name, text string) {
	d.Helper()
	dir := fmt.Sprintf(machineEtc, place)
	if place == "1" || place == "switch" {
		dir = "/etc/p4ce"
	}
	require.NoError(d, d.n.guests[0].WriteFile(d.n.ctx, dir+"/"+name, []byte(text), os.FileMode(0o644)))
}

// on runs a command on a machine: switch, ops, or a server by its number.
func (d *day) on(place, line string) string {
	d.Helper()
	if strings.HasPrefix(line, "export ") {
		d.exports[place] = append(d.exports[place], line)
	}
	unit, before := "", ""
	switch place {
	case "switch", "1":
		if place == "1" {
			before = "ip netns exec n1 "
		}
	case "ops":
		before = "unshare -m "
	default:
		before, unit = "ip netns exec n"+d.namespace(place)+" ", "kv"+place
	}
	script := "cd /root\n" + strings.Join(append(d.exports[place], line), "\n")
	if unit != "" {
		script = strings.ReplaceAll(script, "p4ce-kv", unit)
		if strings.HasPrefix(line, "apt install") { // it is one Debian
			script = "systemctl try-restart " + unit
		}
	}
	if before != "" && place != "1" {
		script = "mount --bind " + fmt.Sprintf(machineEtc, place) + " /etc/p4ce\n" + script
	}
	d.Logf("%s: %s", place, line)
	begin := time.Now()
	out := d.shell(before + "bash -ec '" + strings.ReplaceAll(script, "'", `'\''`) + "' 2>&1")
	d.Logf("%v\n%s", time.Since(begin).Round(10*time.Millisecond), out)
	d.ran = append(d.ran, line)
	if want := expects(line); want != "" {
		require.Contains(d, out, want, line)
	}
	return out
}

// namespace of a server. Server 4 stands where server 2 was.
func (d *day) namespace(place string) string {
	if place == "4" {
		return "2"
	}
	return place
}

// What commands say.
var expected = [][2]string{
	{"p4ce top", "10.0.0.13:9562"},
	{"SET greeting", "OK"},
	{"CLUSTER REMOVE", "OK"},
	{"CLUSTER ADD", "OK"},
	{"kv status", "leader"},
	{"p4ce status", "10.66.0.11"},
	{"p4ce group list", "10.66.0.11"},
	{"journalctl", "server="},
	{"backup --check", "keys"},
	{"sysdump", ".tar.gz"},
}

// expects is what the output of a command contains.
func expects(line string) string {
	for _, e := range expected {
		if strings.Contains(line, e[0]) {
			return e[1]
		}
	}
	return ""
}

// live runs a command on a terminal until it has said what it should, and ends it with Ctrl-C.
func (d *day) live(line string) string {
	return fmt.Sprintf(`rm -f live
		(for i in $(seq 300); do grep -q "%s" live 2>/dev/null && break; sleep 0.2; done; printf "\003"; sleep 1) |
			TERM=xterm script -qfec "%s" live >/dev/null || [ $? = 130 ]
		cat live`, expects(line), line)
}

func (d *day) do(page string) {
	blocks, err := docs.Blocks(page)
	require.NoError(d, err)
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		place, how, _ := strings.Cut(b.Of, " ")
		var places []string
		switch place {
		case "server":
			for _, s := range d.servers {
				places = append(places, fmt.Sprint(s))
			}
		case "server4":
			places = []string{"4"}
			d.fourth()
		case "machine": // one after the other, and the next block after each
			for _, s := range d.servers {
				d.run(fmt.Sprint(s), how, b)
				d.run("ops", how, blocks[i+1])
			}
			d.accelerated()
			i++
			continue
		case "all": // TestPackage does
			for _, s := range d.servers[1:] {
				d.shell(fmt.Sprintf("systemctl disable --now kv%[1]d; rm /etc/systemd/system/kv%[1]d.service", s))
			}
			d.shell("rm -rf /backup /machines /etc/systemd/system/p4ce-kv.service.d; systemctl daemon-reload") // of the test
			places = []string{"switch"}
		default:
			places = []string{place}
		}
		for _, p := range places {
			d.run(p, how, b)
		}
	}
	require.NotEmpty(d, d.ran)
}

// accelerated waits until the store replicates through the switch.
func (d *day) accelerated() {
	d.Helper()
	d.Log(d.shell(`
		for i in $(seq 120); do
			for a in 1 3 4; do
				if redis-cli -h 10.0.0.1$a --user ops --pass change-me-ops --no-auth-warning INFO replication | grep accelerated; then exit 0; fi
			done
			sleep 1
		done
		p4ce group list
		journalctl -u p4ce-kv -u p4ce-switch -u p4ce-controller -u kv3 -u kv4 -o cat | tail -150
		exit 1`))
}

// run does a block.
func (d *day) run(place, how string, b docs.Block) {
	d.Helper()
	text := b.Text
	switch b.Kind {
	case "yaml":
		switch place {
		case "switch", "ops":
		case "1": // it is the switch, too
			text = d.shell("cat /etc/p4ce/p4ce.yaml") + d.settings(place, text)
		default:
			text = d.settings(place, text)
		}
		d.write(place, "p4ce.yaml", text)
	case "acl":
		d.write(place, "users.acl", text)
	case "sh":
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "CLUSTER REMOVE 2") {
				d.shell("systemctl disable kv2; systemctl kill -s KILL kv2; ip netns exec n2 ip link set eth1 down; ip netns exec n2 ip link set mgmt down")
				d.servers = slices.DeleteFunc(d.servers, func(s int) bool { return s == 2 })
			}
			switch {
			case how == "live":
				line = d.live(line)
			case strings.Contains(line, "top --once"): // a server on a busy machine may answer late
				line = "for i in 1 2 3; do " + line + " && exit 0; done; exit 1"
			case strings.Contains(line, "CLUSTER ADD"): // and ask again, as the page says
				line = "for i in $(seq 20); do a=$(" + line + "); [ \"$a\" = OK ] && break; sleep 1; done; echo \"$a\""
			}
			d.on(place, line)
		}
	default:
		d.Fatalf("line %d: nobody knows what to do with a block of %q", b.Line, b.Kind)
	}
}

// settings are those of a server like server 1.
func (d *day) settings(id, text string) string {
	for _, s := range [][2]string{{"id: 1", "id: " + id}, {"10.0.0.11:6379\n  users", "10.0.0.1" + id + ":6379\n  users"}, {"10.0.0.11:9562", "10.0.0.1" + id + ":9562"}} {
		require.Contains(d, text, s[0])
		text = strings.Replace(text, s[0], s[1], 1)
	}
	return strings.Replace(text, "kv:\n", "kv:\n  heartbeat: 250ms\n  disk-reserve: 0 # the guest's disk is its memory\n", 1)
}

// fourth is the machine that replaces the second.
func (d *day) fourth() {
	d.Helper()
	d.shell(`ip netns exec n2 sh -ec "
		ip addr flush dev eth1
		ip link set eth1 address 02:66:00:00:04:01
		ip addr add 10.66.0.14/24 dev eth1
		ip link set eth1 up
		ip addr flush dev mgmt
		ip addr add 10.0.0.14/32 dev mgmt
		ip link set mgmt up
		ip route add 10.0.0.1 dev mgmt
		ip route add 10.0.0.0/24 via 10.0.0.1"
		ip route add 10.0.0.14 dev mgmt2 src 10.0.0.1`)
	d.unit(4, 2)
	text := d.shell("cat /machines/3/etc/p4ce.yaml")
	text, _, _ = strings.Cut(text, "  member:")
	d.write("4", "p4ce.yaml", strings.NewReplacer("id: 3", "id: 4", "10.0.0.13", "10.0.0.14").Replace(text))
	d.write("4", "users.acl", d.shell("cat /machines/3/etc/users.acl"))
	d.servers = append(d.servers, 4)
}
