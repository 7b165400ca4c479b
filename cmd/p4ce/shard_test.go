package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	onepipelab "github.com/p4ce/p4ce/systems/onepipe/lab"
)

func TestShardBadInput(t *testing.T) {
	c := newCLI(t)
	dir := t.TempDir()
	small := fmt.Sprintf(onepipelab.Small, dir)
	for name, text := range map[string]string{
		"net.json": small, "broken.json": "{",
		"stateless.json": strings.Replace(small, `, "state": "unix:`+dir+`/h1.state"`, "", 1),
		"open.json":      strings.Replace(small, "unix:"+dir+"/h1.state", "0.0.0.0:0", 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	shard := "shard --host h1 --link unix:" + dir + "/a,b --listen 127.0.0.1:0 --deployment " + dir + "/net.json"
	c.check(t, []badCase{
		{"shard", 2, "p4ce shard needs --deployment, --host and --link: --deployment is missing"},
		{"shard h1", 2, `unknown command "h1"`},
		{shard + " --data x", 2, "unknown flag: --data"},
		{shard + " --beacon-interval 2s", 2, "--beacon-interval 2s: want 1us to 1s"},
		{shard + " --timeout 0s", 2, "--timeout 0s: above 0"},
		{shard + " --idle -1s", 2, "--idle -1s: not negative"},
		{shard + " --max-clients 0", 2, "--max-clients 0: at least one"},
		{shard + " --tls-cert x", 2, "--tls-cert and --tls-key: give both"},
		{strings.Replace(shard, "net.json", "broken.json", 1), 2, "broken.json: "},
		{strings.Replace(shard, "net.json", "stateless.json", 1), 2, "host h1: state is missing [the address at which the server answers other servers"},
		{strings.Replace(shard, "net.json", "open.json", 1), 2, "where others than its servers could ask for it"},
		{strings.Replace(shard, "--host h1", "--host h9", 1), 2, "host h9: does not exist"},
		{strings.Replace(shard, "127.0.0.1:0", "0.0.0.0:0", 1), 2, "can be reached from other machines, and clients need not authenticate [give --tls-ca FILE, listen on 127.0.0.1 or unix:PATH"},
		{strings.Replace(shard, "127.0.0.1:0", "nonsense", 1), 1, "listen on nonsense: "},
		{strings.Replace(shard, "unix:"+dir+"/a,b", "no-such-if0", 1), 1, "--link: "},
		{shard + " --metrics nonsense", 1, "metrics: listen on nonsense"},
	})
}
