package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
)

const tiny = `
name: tiny
system: rdma
topology: {kind: rack, hosts: 3}
loads: [{from: h1, to: [h2, h3], count: 50}]
`

func sim(t *testing.T, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Run(context.Background(), command(), append([]string{"sim"}, args...), nil, &out, &errs)
	return code, out.String(), errs.String()
}

func TestSim(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tiny.yaml")
	require.NoError(t, os.WriteFile(file, []byte(tiny), 0o644))
	at := func(name string) string { return filepath.Join(dir, name) }
	code, out, errs := sim(t, file, "--csv", at("x.csv"), "--trace", at("x.txt"), "--pcap", at("x.pcapng"), "--link", "h1-s1", "--plots", at("plots"))
	require.Zero(t, code, errs)
	require.Contains(t, out, "50/50")
	require.Contains(t, errs, "packet-hops per second")
	_, again, _ := sim(t, file)
	require.Equal(t, out, again, "one seed, one result")
	_, other, _ := sim(t, file, "--seed", "2")
	require.NotEqual(t, out, other)
	for _, name := range []string{"goodput.svg", "goodput.png", "latency.svg", "latency.png"} {
		st, err := os.Stat(at("plots/" + name))
		require.NoError(t, err)
		require.NotZero(t, st.Size())
	}
	csv, err := os.ReadFile(at("x.csv"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(csv), "\n"))

	// What the capture has is what the trace has of that link.
	trace, err := os.ReadFile(at("x.txt"))
	require.NoError(t, err)
	want := strings.Count(string(trace), " h1>s1 ") + strings.Count(string(trace), " s1>h1 ")
	f, err := os.Open(at("x.pcapng"))
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	n := 0
	for {
		if _, _, err := r.ReadPacketData(); err != nil {
			break
		}
		n++
	}
	require.NotZero(t, n)
	require.Equal(t, want, n)
}

func TestSimUsage(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("system: rdma\ntopology: {kind: rack, hosts: 2}\nloads: [{frm: h1}]"), 0o644))
	stuck := filepath.Join(dir, "stuck.yaml")
	require.NoError(t, os.WriteFile(stuck, []byte(tiny+"\nfaults: [{at: 0, link: h1-s1, down: true}]\nuntil: 5ms"), 0o644))
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "which scenario", nil},
		{2, "no such file", []string{filepath.Join(dir, "none")}},
		{2, "field frm not found", []string{bad}},
		{2, "no such example", []string{"--example", "none"}},
		{2, "is for --pcap", []string{"--example", "rack", "--link", "h1-s1"}},
		{2, "no link x", []string{"--example", "rack", "--link", "x", "--pcap", filepath.Join(dir, "p")}},
	} {
		code, _, errs := sim(t, c.args...)
		require.Equal(t, c.code, code, errs)
		require.Contains(t, errs, c.want)
	}
	code, out, _ := sim(t, stuck)
	require.Equal(t, 1, code)
	require.Contains(t, out, "not finished at 5ms")
	_, out, _ = sim(t, "--list")
	require.Contains(t, out, "leaf-spine\n")
}
