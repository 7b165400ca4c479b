package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Eight hosts send to one. With links that mark (ECN) the queue in front of it stays short, and all of the
// link is used.
func TestIncast(t *testing.T) {
	peak := func(reliable, pack bool, ecn string) (bytes int, marked, lost uint64, took float64) {
		text := `
name: incast
system: onepipe
until: 1s
topology: {kind: rack, hosts: 9, host-links: {rate: 10Gb/s, queue: 8MiB` + ecn + `}, controller: {delay: 5us, write: 500ns}}
interval: 10us
pack: ` + fmt.Sprint(pack) + `
loads:
`
		for i := range 8 {
			text += fmt.Sprintf("  - {name: a%d, from: h%d, to: [h1], size: 1300, count: 1500, outstanding: 128, reliable: %v}\n", i, i+2, reliable)
		}
		run := begin(t, text)
		require.NoError(t, run.Finish())
		require.NoError(t, run.Fabric.Check())
		for _, r := range run.Rows() {
			require.NoError(t, r.Err)
			require.Equal(t, r.Requests, r.Done, r.Load)
			if reliable {
				require.Zero(t, r.Counts[1], "lost")
			}
			lost += r.Counts[1]
		}
		down := run.Fabric.Hosts[0].Link()
		for _, h := range down.Link.Half {
			if h.From != down.From {
				bytes, marked = h.Peak, h.Count.Marked
			}
		}
		return bytes, marked, lost, run.Fabric.Now().Duration().Seconds()
	}
	for i := range 3 {
		reliable, pack := i > 0, i > 1
		plain, none, lost, fast := peak(reliable, pack, "")
		require.Zero(t, none)
		short, marked, fewer, took := peak(reliable, pack, ", ecn-min: 60KB, ecn-max: 60KB, ecn-chance: 100%")
		t.Logf("reliable %v: %d bytes waited at most, with marks %d (%d marks); %.1f ms, and %.1f ms; %d reported as lost, and %d", reliable, plain, short, marked, fast*1e3, took*1e3, lost, fewer)
		require.Positive(t, marked)
		require.Less(t, 3*short, plain)
		require.Less(t, took, 1.1*fast)
		for _, n := range []uint64{lost, fewer} { // nothing is: round trips became longer than anybody knew
			require.Less(t, n, uint64(8*1500/20))
		}
	}
}
