package vm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSwitchOnDebianKernel: the whole demonstration runs inside a guest. Debian's
// kernel takes the programs of the XDP target, with traces and without; its verifier
// knows less of a program than that of the kernel which runs the other tests.
func TestSwitchOnDebianKernel(t *testing.T) {
	n := newNetwork(t, options{guests: 1, image: verbsImage(t), memory: 1024, noRXE: true, noSwitch: true})
	g := n.guests[0]
	release, err := g.Run(n.ctx, "uname", "-r")
	require.NoError(t, err)
	demo := []string{guestBinary, "demo", "--target", "xdp", "--input", "/input", "--count", "100"}
	for _, flags := range [][]string{nil, {"--pcap", "/tmp/demo.pcapng", "--replicas", "4", "--policy", "all"}} {
		out, err := g.Run(n.ctx, append(demo, flags...)...)
		require.NoError(t, err)
		t.Logf("Linux %s%s", release, out)
		require.Regexp(t, `All \d logs are equal`, out)
	}
}
