package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/cli/top"
	"github.com/p4ce/p4ce/lab"
)

// monitoring is the folder of what is for Prometheus and Grafana.
const monitoring = "../../dist/monitoring/"

// freePorts are addresses of the loopback that nobody listens on at the moment.
func freePorts(t *testing.T, n int) (list []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		list = append(list, l.Addr().String())
	}
	return list
}

// expressions are those of the dashboard and of the alerts.
func expressions(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile(monitoring + "grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Type, Title string
			Targets     []struct{ Expr string }
		}
		Annotations struct{ List []struct{ Expr string } }
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	for _, p := range dashboard.Panels {
		require.NotEmpty(t, p.Title)
		for _, x := range p.Targets {
			list = append(list, x.Expr)
		}
	}
	for _, a := range dashboard.Annotations.List {
		list = append(list, a.Expr)
	}
	text, err = os.ReadFile(monitoring + "alerts.yaml")
	require.NoError(t, err)
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &rules))
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			require.NotEmpty(t, r.Annotations.Summary, r.Alert)
			list = append(list, r.Expr)
		}
	}
	require.Greater(t, len(list), 30)
	return list
}

// TestMonitoringNames: every metric that the dashboard and the alerts look at is exported, with the labels that they look
// at.
func TestMonitoringNames(t *testing.T) {
	t.Setenv(asCommand, "1")
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	exported := map[string]string{} // lines, by name
	scrape := func(addr string) {
		t.Helper()
		r, err := http.Get("http://" + addr + "/metrics")
		require.NoError(t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if f := strings.FieldsFunc(line, func(r rune) bool { return r == '{' || r == ' ' }); len(f) > 0 && f[0] != "#" {
				exported[f[0]] += line
			}
		}
	}
	free := freePorts(t, 3)
	_, c := loneStore(t, "watched", "--metrics", free[0])
	require.NoError(t, c.Set(t.Context(), "a", "b", 0).Err())
	for _, args := range [][]string{
		{"switch", "--target", "interp", "--port", "1=unix:" + dir + "/a," + dir + "/b", "--listen", "unix:" + dir + "/p4rt", "--metrics", free[1]},
		{"controller", "--switch", "unix:" + dir + "/p4rt", "--address", "10.66.0.1", "--mac", "02:50:34:63:65:01", "--admin", free[2], "--insecure"},
	} {
		log := &lab.Log{}
		p, err := lab.Start(lab.Spec{Name: args[0], Args: append([]string{self}, args...), Stdout: log, Stderr: log})
		require.NoError(t, err)
		t.Cleanup(p.Kill)
		require.Eventually(t, func() bool { return strings.Contains(log.String(), `"ready"`) }, time.Minute, 10*time.Millisecond, "%s", args[0])
	}
	for _, addr := range free {
		scrape(addr)
	}
	testTop(t, self, free)
	exported["up"] = `up{job="x",instance="y"}`
	name := regexp.MustCompile(`\b(p4ce_[a-z0-9_]+|up)\b(\{[^}]*\})?`)
	label := regexp.MustCompile(`([a-z_]+)(=|!=)"`)
	for _, x := range append(expressions(t), viewed()...) {
		found := name.FindAllStringSubmatch(x, -1)
		require.NotEmpty(t, found, x)
		for _, m := range found {
			require.True(t, exported[m[1]] != "", "%s: there is no %s", x, m[1]) // not all that there is
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if l[1] != "job" {
					require.Contains(t, exported[m[1]], l[1]+`="`, x)
				}
			}
		}
	}
}

// testTop: p4ce top has a row for each program, with every column that such a program can have by then; and says who does not
// answer.
func testTop(t *testing.T, self string, at []string) {
	none := "unix:" + t.TempDir() + "/none"
	out, err := exec.Command(self, append(append([]string{"top", "--every", "100ms", "--once", "--json"}, at...), none)...).Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode(), "%s", exit.Stderr)
	var o struct {
		Programs []struct {
			At, Kind, Error string
			Values          map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(out, &o))
	require.Len(t, o.Programs, 4)
	for i, want := range []string{"servers", "switches", "controllers"} {
		p := o.Programs[i]
		require.Equal(t, want, p.Kind, "%s", out)
		require.Empty(t, p.Error)
		for _, v := range top.Views {
			for _, c := range v.Columns {
				if v.Name == want && !slices.Contains([]string{"decided in", "p50", "p99", "commands/s"}, c.Name) { // nothing has happened
					require.Contains(t, p.Values, c.Key(), "%s", out)
				}
			}
		}
	}
	require.Equal(t, "leader", o.Programs[0].Values["role"])
	require.Equal(t, "full", o.Programs[0].Values["state"])
	require.Equal(t, "1/1", o.Programs[2].Values["switches"])
	require.Contains(t, o.Programs[3].Error, "no such file")
}

// viewed are the metrics that p4ce top looks at.
func viewed() (list []string) {
	for _, v := range top.Views {
		list = append(append(list, v.Of), v.Changes...)
		for _, c := range v.Columns {
			list = append(list, c.Metrics...)
		}
	}
	return list
}

// TestMonitoringPromtool: Prometheus's own tool takes the alerts, their tests, the example, the queries of the dashboard, and
// what a server exports.
func TestMonitoringPromtool(t *testing.T) {
	needs.Tool(t, "promtool", "prometheus")
	promtool := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("promtool", args...)
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "promtool %s: %s", strings.Join(args, " "), out)
	}
	promtool("", "check", "rules", monitoring+"alerts.yaml")
	promtool("", "test", "rules", monitoring+"alerts_test.yaml")
	promtool("", "check", "config", monitoring+"prometheus.yaml")
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, x := range expressions(t) {
		rules = append(rules, rule{"p4ce:test", x})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	promtool("", "check", "rules", "--lint=none", file)

	free := freePorts(t, 1)
	_, c := loneStore(t, "checked", "--metrics", free[0])
	require.NoError(t, c.Set(t.Context(), "a", "b", 0).Err())
	r, err := http.Get("http://" + free[0] + "/metrics")
	require.NoError(t, err)
	defer r.Body.Close()
	metrics, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	promtool(string(metrics), "check", "metrics")
}
