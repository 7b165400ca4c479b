package fabric

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	seed0 = flag.Uint64("seed", 1, "the first seed of random tests")
	seeds = flag.Int("seeds", 25, "how many seeds TestRandom runs; others run a share of them")
)

// share is how many seeds a test runs that takes so many times as long as TestRandom.
func share(of int) int { return max(1, *seeds/of) }

// scenario is a random network with random loads: racks, leaves and spines, fat trees; clocks that are up to
// 100 us apart; links that lose, double and spoil up to a twentieth of what they carry; small windows and
// large messages.
func scenario(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 4))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var hosts int
	var b strings.Builder
	fmt.Fprintf(&b, "name: random-%d\nsystem: onepipe\nseed: %d\nuntil: 400ms\ntopology:\n", seed, seed)
	switch r.IntN(4) {
	case 0:
		hosts = 2 + r.IntN(6)
		fmt.Fprintf(&b, "  kind: rack\n  hosts: %d\n", hosts)
	case 1, 2:
		leaves, spines, each := 2+r.IntN(3), 1+r.IntN(3), 1+r.IntN(3)
		hosts = leaves * each
		fmt.Fprintf(&b, "  kind: leaf-spine\n  core: onepipe\n  leaves: %d\n  spines: %d\n  hosts: %d\n", leaves, spines, each)
	default:
		hosts = 16
		fmt.Fprintf(&b, "  kind: fat-tree\n  core: onepipe\n  k: 4\n")
	}
	for _, l := range []string{"host-links", "fabric-links"} {
		fmt.Fprintf(&b, "  %s: {rate: %s, delay: %s, loss: %s, duplicate: %s, corrupt: %s}\n", l,
			pick("10Gb/s", "25Gb/s", "100Gb/s"), pick("100ns", "500ns", "5us"), pick("0", "0", "0.1%", "1%", "5%"),
			pick("0", "0.1%", "1%"), pick("0", "0.1%", "1%"))
	}
	fmt.Fprintf(&b, "  clocks: {offset: %s, drift: %s}\n", pick("0", "1us", "20us", "100us"), pick("0", "50"))
	b.WriteString("  controller: {delay: 2us, write: 100ns}\n")
	processes := 1 + r.IntN(3)
	fmt.Fprintf(&b, "interval: %s\nprocesses: %d\nwindow: %s\nloads:\n", pick("3us", "10us", "50us"), processes, pick("8", "32", "128"))
	for i := range 2 + r.IntN(5) {
		from := 1 + r.IntN(hosts)
		var to []string
		for _, h := range r.Perm(hosts)[:1+r.IntN(min(6, hosts))] {
			if h+1 != from {
				to = append(to, fmt.Sprintf("h%d", h+1))
			}
		}
		if len(to) == 0 {
			to = []string{fmt.Sprintf("h%d", from%hosts+1)}
		}
		fmt.Fprintf(&b, "  - {name: l%d, from: h%d, to: [%s], size: %s, count: %d, outstanding: %s, interval: %s, arrivals: %s, reliable: %v}\n",
			i, from, strings.Join(to, ", "), pick("16", "64", "300", "1400", "1401", "4KiB"), 10+r.IntN(60), pick("1", "4", "32"),
			pick("1us", "5us", "20us"), pick("regular", "random"), r.IntN(2) == 0)
	}
	return b.String()
}

// In random networks everything is delivered, or its sender is told; in order, once, and of reliable
// scatterings all or nothing.
func TestRandom(t *testing.T) {
	for n := range *seeds {
		text := scenario(*seed0 + uint64(n))
		ok := t.Run(fmt.Sprint(*seed0+uint64(n)), func(t *testing.T) {
			run := begin(t, text)
			require.NoError(t, run.Finish(), text)
			for _, r := range run.Rows() {
				require.NoError(t, r.Err, text)
				require.Equal(t, r.Requests, r.Done, text)
			}
		})
		if !ok {
			return
		}
	}
}
