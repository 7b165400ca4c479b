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

// TestPackage installs the Debian package on a fresh system, does what docs/operations.md says, and purges the package:
// nothing is left.
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
	im, err = Debian(context.Background(), im, cache, filepath.Join(dir, "initrd"), map[string]string{"/root/p4ce_0.4.0_amd64.deb": debs[0]}, os.Stderr)
	var lacks *NeedsError
	if errors.As(err, &lacks) {
		needs.Tools(t, lacks)
	}
	require.NoError(t, err)
	n := newNetwork(t, options{guests: 1, image: im, memory: 2048, cpus: 2, noRXE: true, noSwitch: true})
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
		cd /root
		apt-get install ./p4ce_0.4.0_amd64.deb 2>&1
		dpkg-deb -R p4ce_0.4.0_amd64.deb later # a later version of the package
		sed -i 's/^Version:.*/Version: 99.5.0/' later/DEBIAN/control
		dpkg-deb -Znone -b later p4ce_0.5.0_amd64.deb
		rm -r later
		p4ce version | head -1
		getent passwd p4ce`))

	// As it is installed, it runs nothing, and says what is missing.
	require.Contains(t, refused("systemctl is-enabled p4ce-switch p4ce-controller p4ce-kv"), "disabled\ndisabled\ndisabled")
	for service, missing := range map[string]string{"switch": "--port", "controller": "--address", "kv": "data"} {
		out := refused("systemctl start p4ce-" + service + " || { journalctl -u p4ce-" + service + " -o cat; exit 1; }")
		require.Contains(t, out, missing)
		t.Log(out)
	}

	d := newDay(t, n)
	d.do("../../docs/operations.md")

	t.Log(shell(`
		ip -d link | grep -A1 "eth[123]"
		if ip -d link | grep -w xdp || ip link show p4cpu; then exit 1; fi
		if ls -d /etc/p4ce /var/lib/p4ce /run/p4ce /usr/bin/p4ce /sys/fs/bpf/p4ce /usr/share/doc/p4ce; then exit 1; fi
		if getent passwd p4ce; then exit 1; fi
		for p in /proc/[0-9]*/comm; do if grep p4ce $p; then exit 1; fi; done
		if find / -xdev -name "*p4ce*" -not -path "/root/*" -not -path "/var/log/*" | grep .; then exit 1; fi`))
}
