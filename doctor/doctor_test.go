package doctor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestParseRelease(t *testing.T) {
	for _, c := range []struct {
		s            string
		major, minor int
		ok           bool
	}{
		{"6.1.0-18-amd64", 6, 1, true}, {"5.15", 5, 15, true}, {"6.18.44-fc-v669", 6, 18, true}, {"5.4-rc1", 5, 4, true},
		{"", 0, 0, false}, {"six", 0, 0, false}, {"6", 0, 0, false}, {"6.x", 0, 0, false},
	} {
		major, minor, err := parseRelease(c.s)
		require.Equal(t, c.ok, err == nil, "%q: %v", c.s, err)
		require.Equal(t, [2]int{c.major, c.minor}, [2]int{major, minor}, c.s)
	}
	m := Machine{Release: "6.1.0"}
	for _, c := range []struct {
		major, minor int
		want         bool
	}{{5, 15, true}, {6, 0, true}, {6, 1, true}, {6, 2, false}, {7, 0, false}} {
		got, err := m.AtLeast(c.major, c.minor)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%+v", c)
	}
}

func TestReadMachine(t *testing.T) {
	m, err := ReadMachine()
	require.NoError(t, err)
	ok, err := m.AtLeast(2, 6)
	require.NoError(t, err)
	require.True(t, ok)
	require.Positive(t, m.CPUs)
	require.Greater(t, m.MemTotal, uint64(1<<20))
	require.LessOrEqual(t, m.MemAvailable, m.MemTotal)
	// The capability to make a raw socket, and the attempt, agree.
	require.Equal(t, m.Has(unix.CAP_NET_RAW), TrySocket(unix.AF_PACKET) == nil)
}

func TestParseFields(t *testing.T) {
	m := parseFields([]byte("MemTotal:       24113712 kB\nCapEff:\t000001ffffffffff\nnonsense\n"))
	require.Equal(t, uint64(24113712)<<10, kilobytes(m["MemTotal"]))
	require.Equal(t, uint64(0x1ffffffffff), number(m["CapEff"], 16))
	require.Zero(t, kilobytes(m["missing"]))
}

func TestVerdict(t *testing.T) {
	v := Verdict{Role: "switch", Possible: true, Summary: "this machine can be a switch"}
	require.Equal(t, OK, v.Worst())
	v.Add(OK, "kernel", "", "Linux %s", "6.1")
	v.Add(Warning, "eth1 mtu", "do this\nor that", "%d", 9000)
	require.Equal(t, Warning, v.Worst())
	var b strings.Builder
	v.Write(&b)
	require.Equal(t, `switch: this machine can be a switch
  ok       kernel    Linux 6.1
  warning  eth1 mtu  9000
                     -> do this
                     -> or that
`, b.String())
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.Contains(t, string(data), `{"level":"warning","what":"eth1 mtu","found":"9000","mend":"do this\nor that"}`)
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 KiB", 64 << 10: "64 KiB", 8 << 20: "8192 KiB", 512 << 20: "512 MiB", 24 << 30: "24 GiB", Unlimited: "unlimited"} {
		require.Equal(t, want, Bytes(n))
	}
}
