package vm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

// packaged is the configuration of the machine on which the package is tried: a switch, its controller, and the first of
// three servers of a store.
const packaged = `
switch:
  pin: /sys/fs/bpf/p4ce
  port: [1=sw1, 2=sw2, 3=sw3]
controller:
  address: 10.66.0.1
  mac: "02:50:34:63:65:01"
kv:
  id: 1
  interface: kv1
  switch: 10.66.0.1
  data: /var/lib/p4ce/kv
  heartbeat: 250ms
  disk-reserve: 0 # the guest's disk is its memory
  member:
    - 1=10.66.0.11,127.0.0.1:6379
    - 2=10.66.0.12,127.0.0.1:6379
    - 3=10.66.0.13,127.0.0.1:6379
`

// TestPackage installs the Debian package on a fresh system, starts its units, replicates, restarts and upgrades them
// meanwhile, and purges it: nothing is left.
func TestPackage(t *testing.T) {
	im := image(t)
	cache, err := CacheDir()
	require.NoError(t, err)
	dir := t.TempDir()
	build := exec.Command("../../dist/package", dir)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	debs, err := filepath.Glob(filepath.Join(dir, "p4ce_*.deb"))
	require.NoError(t, err)
	require.Len(t, debs, 1)
	im, err = Debian(context.Background(), im, cache, filepath.Join(dir, "initrd"), map[string]string{"/root/p4ce.deb": debs[0]}, os.Stderr)
	var lacks *NeedsError
	if errors.As(err, &lacks) {
		needs.Tools(t, lacks)
	}
	require.NoError(t, err)
	n := newNetwork(t, options{guests: 1, image: im, memory: 2048, noRXE: true, noSwitch: true})
	g := n.guests[0]
	shell := func(script string) string {
		t.Helper()
		out, err := g.Shell(n.ctx, "set -e\n"+script)
		require.NoError(t, err, "%s\n%s", script, out)
		return out
	}
	refused := func(script string) string {
		t.Helper()
		out, err := g.Shell(n.ctx, script)
		require.Error(t, err, "%s\n%s", script, out)
		return out
	}
	t.Log(shell(`systemctl is-system-running --wait || systemctl --failed --no-legend
		dpkg -i /root/p4ce.deb 2>&1
		p4ce version | head -1
		getent passwd p4ce`))

	// As it is installed, it runs nothing, and says what is missing.
	require.Contains(t, refused("systemctl is-enabled p4ce-switch p4ce-controller p4ce-kv"), "disabled\ndisabled\ndisabled")
	for service, missing := range map[string]string{"switch": "--port", "controller": "--address", "kv": "data"} {
		out := refused("systemctl start p4ce-" + service + " || { journalctl -u p4ce-" + service + " -o cat; exit 1; }")
		require.Contains(t, out, missing)
		t.Log(out)
	}

	shell("cat >/etc/p4ce/p4ce.yaml <<'E'\n" + packaged + "E\np4ce config check /etc/p4ce/p4ce.yaml")
	t.Log(shell(`
		for i in 1 2 3; do
			ip link add sw$i type veth peer name kv$i
			ip link set sw$i up
			if [ $i = 1 ]; then in=; else ip netns add n$i; ip link set kv$i netns n$i; in="ip netns exec n$i"; $in ip link set lo up; fi
			$in ip addr add 10.66.0.1$i/24 dev kv$i
			$in ip link set kv$i up
			$in ethtool -K kv$i txvlan off tx-vlan-stag-hw-insert off # as the switch says
		done
		systemctl reset-failed
		systemctl start p4ce-switch p4ce-controller || { journalctl -u p4ce-switch -u p4ce-controller -o cat; exit 1; }
		p4ce status`))
	t.Log(shell(`
		for i in 2 3; do
			systemd-run -q --unit=other$i -p NetworkNamespacePath=/run/netns/n$i -p WorkingDirectory=/root \
				p4ce kv --config /etc/p4ce/p4ce.yaml --id $i --interface kv$i --data /root/kv$i
		done
		systemctl start p4ce-kv || { journalctl -u p4ce-kv -o cat; exit 1; }
		systemctl show -p ActiveState,User,CapabilityBoundingSet p4ce-kv`))
	replicates := func(key string) {
		t.Helper()
		t.Log(shell(`
			for i in $(seq 60); do
				for in in "" "ip netns exec n2" "ip netns exec n3"; do
					if [ "$($in timeout 6 redis-cli SET ` + key + ` 1)" = OK ]; then
						$in redis-cli INFO replication | grep -E "mode|term|confirmed"
						exit 0
					fi
				done
				sleep 0.5
			done
			for in in "" "ip netns exec n2" "ip netns exec n3"; do $in timeout 6 redis-cli SET ` + key + ` 1 || true; done
			df -h / || true
			journalctl -u p4ce-kv -u p4ce-switch -u p4ce-controller -o cat | tail -50
			exit 1`))
	}
	replicates("a")
	shell("systemctl restart p4ce-switch; journalctl -u p4ce-switch -o cat | grep 'running pipeline taken over'") // with the unit's privileges
	replicates("b")
	t.Log(shell("dpkg -i /root/p4ce.deb 2>&1; systemctl start p4ce-switch p4ce-controller p4ce-kv; systemctl is-active p4ce-switch p4ce-controller p4ce-kv"))
	replicates("c")

	t.Log(shell(`systemctl stop other2 other3
		dpkg --purge p4ce 2>&1
		ip -d link | grep -A1 "sw[123]"
		if ip -d link | grep -w xdp || ip link show p4cpu; then exit 1; fi
		if ls -d /etc/p4ce /var/lib/p4ce /run/p4ce /usr/bin/p4ce /sys/fs/bpf/p4ce /usr/share/doc/p4ce; then exit 1; fi
		if getent passwd p4ce; then exit 1; fi
		for p in /proc/[0-9]*/comm; do if grep p4ce $p; then exit 1; fi; done
		if find / -xdev -name "*p4ce*" -not -path "/root/*" -not -path "/var/log/*" | grep .; then exit 1; fi`))
}
