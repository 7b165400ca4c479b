package top

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errGone = errors.New("gone")

func said(t testing.TB, text string) *scrape {
	m, err := parse(strings.NewReader(text))
	require.NoError(t, err)
	return &scrape{metrics: m}
}

const first = `# TYPE values counter
values{outcome="decided"} 100
values{outcome="unknown"} 1
# TYPE took counter
took 2
# TYPE role gauge
role{role="leader"} 1
role{role="follower"} 0
# TYPE keys gauge
keys 12345
# TYPE s histogram
s_bucket{command="set",le="0.001"} 10
s_bucket{command="set",le="0.01"} 10
s_bucket{command="set",le="+Inf"} 10
s_sum{command="set"} 0.005
s_count{command="set"} 10
`

const second = `# TYPE values counter
values{outcome="decided"} 300
values{outcome="unknown"} 4
# TYPE took counter
took 2.01
# TYPE role gauge
role{role="leader"} 0
role{role="follower"} 1
# TYPE keys gauge
keys 3
# TYPE s histogram
s_bucket{command="set",le="0.001"} 60
s_bucket{command="set",le="0.01"} 109
s_bucket{command="set",le="+Inf"} 110
s_sum{command="set"} 0.005
s_count{command="set"} 110
`

// TestColumns: rates, means and quantiles are of the time between two answers, and unknown when that time is unknown.
func TestColumns(t *testing.T) {
	decided := Labels{"outcome": "decided"}
	columns := []Column{
		Rate("values/s", "values", decided), Rate("others/s", "values", Labels{"outcome": "!decided"}), Bits("bits", "values", decided), Mean("mean", "took", "values", decided),
		Which("role", "role", "role"), Share("roles", "role"), Either("leads", "took", "yes", "no"), Value("keys", "keys", nil),
		Quantile("p50", 0.5, "s"), Quantile("p99", 0.99, "s"), Quantile("p999", 0.999, "s"), Value("none", "none", nil), Rate("none", "none", nil),
		While("role", Labels{"role": "follower"}, Value("follows", "keys", nil)), While("role", Labels{"role": "leader"}, Value("leads", "keys", nil)),
	}
	texts := func(s span) (list []string) {
		for _, c := range columns {
			list = append(list, c.text(s))
		}
		return list
	}
	a, b := said(t, first), said(t, second)
	require.Equal(t, []string{"100", "1.50", "800b/s", "50µs", "follower", "1/2", "yes", "3", "1ms", "10ms", "10ms", "-", "-", "3", "-"}, texts(span{a, b, 2 * time.Second}))
	// A program that has begun again, one that has not answered before, and one that has done nothing.
	unknown := []string{"-", "-", "-", "-", "leader", "1/2", "yes", "12.3k", "-", "-", "-", "-", "-", "-", "12.3k"}
	require.Equal(t, unknown, texts(span{b, a, 2 * time.Second}))
	require.Equal(t, unknown, texts(span{&scrape{err: errGone}, a, 2 * time.Second}))
	require.Equal(t, append([]string{"0", "0", "0b/s"}, unknown[3:]...), texts(span{a, a, 2 * time.Second}))
}

// TestChanges: cells of counters that have counted something are shown, with how fast they count.
func TestChanges(t *testing.T) {
	v := &View{Changes: []string{"values"}}
	rate := func(x float64) *float64 { return &x }
	a, b := said(t, first), said(t, second)
	require.ElementsMatch(t, []change{
		{"x", "values", `outcome="decided"`, rate(100), 300}, {"x", "values", `outcome="unknown"`, rate(1.5), 4},
	}, changes("x", v, span{a, b, 2 * time.Second}))
	require.ElementsMatch(t, []change{
		{"x", "values", `outcome="decided"`, nil, 100}, {"x", "values", `outcome="unknown"`, nil, 1},
	}, changes("x", v, span{b, a, 2 * time.Second}))
	require.Empty(t, changes("x", v, span{a, said(t, "# TYPE values counter\nvalues 0\n"), time.Second}))
}

// TestTable: a program that does not answer stays in the table that it was in.
func TestTable(t *testing.T) {
	x := table{views: []View{{Name: "things", Of: "keys", Columns: []Column{Value("keys", "keys", nil)}}}, kinds: map[string]*View{}}
	draw := func(spans ...span) string {
		var b bytes.Buffer
		x.text(&b, []string{"a:1", "b:1", "c:1"}[:len(spans)], spans)
		_, text, _ := strings.Cut(b.String(), "\n")
		return text
	}
	s := span{said(t, first), said(t, second), time.Second}
	other := span{s.before, said(t, "# TYPE odd gauge\nodd 1\n"), time.Second}
	gone := span{s.before, &scrape{err: errGone}, time.Second}
	require.Equal(t, "\nTHINGS  KEYS\na:1     3\n\nb:1 has /metrics, but of no program that this command knows\n\nc:1 does not answer: gone\n", draw(s, other, gone))
	require.Equal(t, "\nTHINGS  KEYS\na:1     does not answer: gone\nb:1     3\n", draw(gone, s))
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 7: "7", 9999: "9999", 10000: "10.0k", 12345: "12.3k", 999400: "999k", 999600: "1.00M", 0.5: "0.50", 12.34: "12.3", 99.96: "100", 5e13: "50.0T", 5e16: "50000T", -3: "-3"} {
		require.Equal(t, want, scaled(v))
	}
	for s, want := range map[float64]string{0: "0s", 41.26e-6: "41.3µs", 1.5: "1.5s", 0.123456: "123ms", 7200: "2h0m0s"} {
		require.Equal(t, want, short(s))
	}
}

// FuzzParse: whatever a program says, nothing crashes, and what is shown is text.
func FuzzParse(f *testing.F) {
	f.Add([]byte(first))
	f.Add([]byte("# TYPE s histogram\ns_bucket{le=\"x\"} 1\n"))
	f.Add([]byte("keys NaN\n# TYPE values counter\nvalues -1e400\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse(bytes.NewReader(text))
		if err != nil {
			return
		}
		s := span{said(t, first), &scrape{metrics: m}, time.Second}
		for _, c := range []Column{Rate("", "values", nil), Mean("", "took", "values", nil), Which("", "role", "role"), Share("", "role"), Value("", "keys", nil), Quantile("", 0.5, "s")} {
			require.NotEmpty(t, c.text(s))
		}
		changes("x", &View{Changes: []string{"values"}}, s)
	})
}
