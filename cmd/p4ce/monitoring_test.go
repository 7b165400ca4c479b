package main

import (
	"encoding/json"
	"io"
	"maps"
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
	exported["up"] = `up{job="x",instance="y"}`
	name := regexp.MustCompile(`\b(p4ce_[a-z0-9_]+|up)\b(\{[^}]*\})?`)
	label := regexp.MustCompile(`([a-z_]+)(=|!=)"`)
	for _, x := range expressions(t) {
		found := name.FindAllStringSubmatch(x, -1)
		require.NotEmpty(t, found, x)
		for _, m := range found {
			require.Contains(t, exported, m[1], "%s: there are %v", x, slices.Sorted(maps.Keys(exported)))
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if l[1] != "job" {
					require.Contains(t, exported[m[1]], l[1]+`="`, x)
				}
			}
		}
	}
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
