package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/internal/cli"
)

// inProcess runs a command line of p4ce that starts nothing.
func inProcess(args ...string) (int, string) {
	var out bytes.Buffer
	code := cli.Run(context.Background(), command(), args, strings.NewReader(""), &out, &out)
	return code, out.String()
}

// TestExampleConfiguration: what the packaged configuration file has as examples are settings.
func TestExampleConfiguration(t *testing.T) {
	text, err := os.ReadFile("../../dist/p4ce.yaml")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "p4ce.yaml")
	code, out := inProcess("config", "check", "../../dist/p4ce.yaml")
	require.Zero(t, code, out)
	require.Contains(t, out, "no settings", "as it is installed, it sets nothing")

	text = regexp.MustCompile(`(?m)^# ( {2})?[^ ].*$`).ReplaceAll(text, nil) // what explains
	text = regexp.MustCompile(`(?m)^#`).ReplaceAll(text, nil)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	code, out = inProcess("config", "check", file)
	require.Zero(t, code, "%s\n%s", out, text)
	require.Contains(t, out, "13 settings, of p4ce controller, p4ce kv, p4ce switch")
}

// TestCompose: the command lines of the compose file are such as p4ce takes.
func TestCompose(t *testing.T) {
	text, err := os.ReadFile("../../dist/image/compose.yaml")
	require.NoError(t, err)
	var file struct {
		Services map[string]struct{ Command []string }
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	require.Len(t, file.Services, 5)
	for name, s := range file.Services {
		root := command()
		c, rest, err := root.Find(s.Command)
		require.NoError(t, err, name)
		require.NotEqual(t, root, c, name)
		require.NoError(t, c.ParseFlags(rest), name)
		require.NoError(t, c.ValidateRequiredFlags(), name)
		require.Empty(t, c.Flags().Args(), name)
	}
}

// TestUnits: each service runs a command that there is, with the packaged configuration.
func TestUnits(t *testing.T) {
	units, err := filepath.Glob("../../dist/systemd/*.service")
	require.NoError(t, err)
	require.Len(t, units, 3)
	for _, u := range units {
		text, err := os.ReadFile(u)
		require.NoError(t, err)
		m := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/p4ce (.*)$`).FindSubmatch(text)
		require.NotNil(t, m, u)
		c, rest, err := command().Find(strings.Fields(string(m[1])))
		require.NoError(t, err, u)
		require.Empty(t, rest)
		require.Equal(t, "p4ce-"+c.Name()+".service", filepath.Base(u))
		require.Contains(t, string(text), "Type=notify\nEnvironment=P4CE_CONFIG=/etc/p4ce/p4ce.yaml\n", "it is ready when the program says so")
	}
}

// TestConfigSecrets: where a secret is, is shown; what it is, is not.
func TestConfigSecrets(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("4711"), 0o600))
	file := filepath.Join(dir, "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kv: {data: d, token: '@"+dir+"/token'}\n"), 0o600))
	code, out := inProcess("config", "show", "kv", "--config", file)
	require.Zero(t, code, out)
	require.Contains(t, out, "token: '@"+dir+"/token'")
	require.NotContains(t, out, "4711")

	for secret, command := range map[string][]string{
		"kv: {data: d, id: 1, token: 4711}\n": {"kv"}, "kv: {backup: {password: 4711, server: '127.0.0.1:1'}}\n": {"kv", "backup", "x"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(secret), 0o600))
		for _, args := range [][]string{{"config", "check"}, {"config", "show"}, command} {
			code, out = inProcess(append(args, "--config", file)...)
			require.NotZero(t, code, args)
			require.NotContains(t, out, "4711", "an error does not say it")
			require.Contains(t, out, ": want @FILE or env:NAME")
		}
	}
}

// TestManual: every command has a manual page.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	code, out := inProcess("man", dir)
	require.Zero(t, code, out)
	for _, name := range []string{"p4ce", "p4ce-switch", "p4ce-kv-force-new-cluster", "p4ce-paxos-host", "p4ce-config-check"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".1"))
		require.NoError(t, err)
		require.Contains(t, string(text), ".SH SYNOPSIS")
	}
}
