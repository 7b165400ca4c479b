package p4runtime

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	client "github.com/p4ce/p4ce/ctrl/p4rtclient/cli"
	"github.com/p4ce/p4ce/dataplane/trace"
	"github.com/p4ce/p4ce/internal/pcapng"
)

// TestTrace: what p4ce trace says becomes of a packet is what the switch then does to it, and the switch does not see the packet.
func TestTrace(t *testing.T) {
	for _, kind := range []string{interpreter, kernel} {
		t.Run(kind, func(t *testing.T) {
			d := newDevice(t, kind)
			d.run()
			d.writes(
				d.ins(entry(1, one, hit5)), d.ins(entry(2, ten, fwd5)), d.ins(entry(7, idle1, fwd5+" idle_timeout_ns: 3600000000000")), d.mod(missOf(6, fwd5)),
				d.ins(entry(3, tern10+` match { field_id: 2 range { low: "\x05" high: "\x01\x00" } } match { field_id: 3 optional { value: "\x06" } } priority: 9`, fwd5)),
				d.ins(`packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 4 replicas { port: "\x05" instance: 1 } replicas { port: "\x06" } } }`),
				d.del(entry(5, `match { field_id: 1 exact { value: "\x02" } }`, "")), // an initial entry of the program
				d.mod(`register_entry { register_id: 0x16000001 index { index: 0 } data { bitstring: "\x77" } }`))
			d.members(next, 3)
			d.members(named, 2)
			d.writes(d.ins(memberGroup(next, 1, of(1, 2, 0)+of(3, 1, 0))), d.ins(entry(chosenT, `match { field_id: 1 exact { value: "\x04" } }`, group1)),
				d.ins(entry(chosenT, b1, "action { action_profile_member_id: 2 }")), d.ins(entry(namedT, b2, member1)),
				d.ins(entry(stickyT, b1, actionSet(shot(5, 1, 0)+shot(6, 2, 0)))))
			d.writes(d.mod(set(1, mark(5), mark(7))))
			c, err := p4rtclient.New(p4rtclient.Options{Address: d.at, Backup: true})
			require.NoError(t, err)
			defer c.Close()
			for what := range byte(22) {
				for _, f := range [][]byte{frame(what, 1, 1, 6), frame(what, 0x0a000001, 4, 6), frame(what, 0x0a000001, 6, 6), frame(what, 3, 4, 5), frame(what, 3, 2, 5)} {
					s, err := trace.Copy(d.ctx(), c, cpuPort)
					require.NoError(t, err)
					_, out, err := s.Packet(1, f)
					require.NoError(t, err)
					require.NoError(t, s.Close())
					require.Equal(t, d.outs(f), out, "%x", f[:8])
				}
			}
			d.traces()
		})
	}
}

// traces runs the command.
func (d *device) traces() {
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		c := trace.Command(client.Read)
		c.SetArgs(append([]string{"--p4runtime", d.at}, args...))
		c.SetOut(&out)
		c.SetErr(&out)
		c.SilenceUsage = true
		err := c.ExecuteContext(d.ctx())
		return out.String(), err
	}
	f := hex.EncodeToString(frame(11, 3, 4, 5))
	was := d.reads("register_entry { register_id: 0x16000001 index { index: 0 } }")
	out, err := run("--port", "1", f[:8]+" "+f[8:12]+":"+f[12:])
	require.NoError(d, err)
	require.Regexp(d, `(?m)^  register  conform\.p4:\d+ +pipe\.Ig\.word\[0\]: 0x77$`, out)
	require.Contains(d, out, "out of port 2, 64 bytes")
	require.NotContains(d, out, "assign")
	require.Equal(d, was, d.reads("register_entry { register_id: 0x16000001 index { index: 0 } }"), "the switch does not see the packet")

	out, err = run("--port", "1", "--all", hex.EncodeToString(frame(1, 0x0a000001, 1, 0)))
	require.NoError(d, err)
	require.Regexp(d, `(?m)^  table     conform\.p4:\d+ +pipe\.Ig\.exact_t a=0xa000001 b=1: hit -> pipe\.Ig\.counted\(port=5, tag=`, out)
	require.Contains(d, out, "assign")

	var b bytes.Buffer
	ng := pcapng.NewWriter(&b, "test")
	id, err := ng.Interface("IN p1")
	require.NoError(d, err)
	for _, what := range []byte{8, 6} {
		require.NoError(d, ng.Packet(id, time.Unix(1, 0), frame(what, 3, 4, 5)))
	}
	require.NoError(d, ng.Flush())
	file := filepath.Join(d.TempDir(), "x.pcapng")
	require.NoError(d, os.WriteFile(file, b.Bytes(), 0o644))
	out, err = run("--port", "1", "--read", file, "--json")
	require.NoError(d, err)
	var r struct {
		Program string `json:"program"`
		Steps   []struct {
			Kind string `json:"kind"`
			Line int    `json:"line"`
		} `json:"steps"`
		Out []struct {
			Port  int    `json:"port"`
			Frame string `json:"frame"`
		} `json:"out"`
	}
	require.NoError(d, json.Unmarshal([]byte(out), &r))
	require.Equal(d, "conform", r.Program)
	require.Len(d, r.Out, 2, "a copy for each member of the group")
	require.NotEmpty(d, r.Steps)

	for _, x := range []struct{ args, says string }{
		{"--port 1", "give a frame"},
		{"--port 1 zz", "not hexadecimal"},
		{"--port 1 0011", "a frame of 2 bytes"},
		{"--port 1 00 --read " + file, "not both"},
		{"--port 1 --read " + file + " --packet 3", "has 2 packets"},
		{"--port 1 --read " + file + " --packet 0", "count from 1"},
		{"--port 1 --read trace_test.go", "neither pcapng nor pcap of Ethernet"},
		{"--port 1 --read none", "no such file"},
		{"--port 1 --tls-cert x " + f, "--tls-cert and --tls-key"},
		{f, `"port" not set`},
	} {
		_, err := run(strings.Fields(x.args)...)
		require.ErrorContains(d, err, x.says, x.args)
	}
}

// A switch without a program, or with one that has no source, is said to be one.
func TestTraceNothing(t *testing.T) {
	d := newDevice(t, interpreter)
	c, err := p4rtclient.New(p4rtclient.Options{Address: d.at, Backup: true})
	require.NoError(t, err)
	defer c.Close()
	_, err = trace.Copy(d.ctx(), c, cpuPort)
	require.ErrorContains(t, err, "runs no program")
}
