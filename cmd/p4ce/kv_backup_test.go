package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
)

// loneStore starts a store of one server, without a network, and returns a client, who is ops if there are users. More
// arguments are the server's.
func loneStore(t *testing.T, name string, args ...string) (string, *redis.Client) {
	t.Helper()
	t.Setenv(asCommand, "1")
	self, err := os.Executable()
	require.NoError(t, err)
	// Socket paths are short; those of tests' folders need not be.
	dir, err := os.MkdirTemp("", "p4ce-"+name+"-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	log := &lab.Log{}
	p, err := lab.Start(lab.Spec{Name: name, Args: append([]string{self, "kv", "--id", "1", "--data", filepath.Join(dir, "data"),
		"--wire", "unix:" + dir + "/a," + dir + "/b", "--address", "10.0.0.2", "--mac", "02:00:00:00:00:02", "--gateway-mac", "02:00:00:00:00:01",
		"--listen", "unix:" + socket, "--member", "1=10.0.0.2"}, args...), Stdout: log, Stderr: log})
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Log(log)
		}
	})
	o := redis.Options{Addr: "s", DialerRetries: 1, Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	if slices.Contains(args, "--users") {
		o.Username, o.Password = "ops", "op"
	}
	c := redis.NewClient(&o)
	t.Cleanup(func() { c.Close() })
	require.Eventually(t, func() bool { return c.Exists(t.Context(), "x").Err() == nil }, time.Minute, 10*time.Millisecond)
	return "unix:" + socket, c
}

// TestKVBackup: what a store has is in another one after backup and restore: with its expiries, as of one moment, and only
// if all of the file is there.
func TestKVBackup(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	users := filepath.Join(dir, "users")
	require.NoError(t, os.WriteFile(users, []byte("user ops on >op ~* +@all\nuser part on >op ~app:* +@all\nuser reader on >op ~* +@read\n"), 0o600))
	password := filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(password, []byte("op\n"), 0o600))
	as := func(user string) []string { return []string{"--user", user, "--password", "@" + password} }
	from, c := loneStore(t, "from", "--users", users)
	want := map[string]string{"": "an empty key", "empty": "", "big": strings.Repeat("x", 700_000), "binary": "\x00\r\n\xff"}
	for i := range 1000 {
		want[fmt.Sprint("key", i)] = fmt.Sprint("value", i)
	}
	for k, v := range want {
		require.NoError(t, c.Set(ctx, k, v, 0).Err())
	}
	require.NoError(t, c.Set(ctx, "later", "l", time.Hour).Err())
	require.NoError(t, c.Set(ctx, "soon", "s", 300*time.Millisecond).Err())
	file := filepath.Join(dir, "b")
	p4ce := func(code int, args ...string) string {
		t.Helper()
		got, out := inProcess(args...)
		require.Equal(t, code, got, "%s", out)
		return out
	}
	kv := func(command, server string, more ...string) []string {
		return append([]string{"kv", command, "--server", server}, more...)
	}
	require.Regexp(t, fmt.Sprintf(" (%d|%d) keys", len(want)+1, len(want)+2), p4ce(0, kv("backup", from, append(as("ops"), file)...)...))
	require.NoError(t, c.Set(ctx, "after", "a", 0).Err())
	require.Contains(t, p4ce(0, "kv", "backup", "--check", file), "is whole: ")
	require.Contains(t, p4ce(1, kv("backup", from, append(as("ops"), file)...)...), "is there already")
	for user, text := range map[string]string{"part": "NOPERM No permissions to access a key", "reader": "NOPERM User reader has no permissions to run the 'backup' command"} {
		require.Contains(t, p4ce(1, kv("backup", from, append(as(user), file+"2")...)...), text)
	}
	require.Contains(t, p4ce(1, kv("backup", from, file+"2")...), "NOAUTH")
	require.Contains(t, p4ce(2, kv("backup", from, "--password", "op", file+"2")...), "want @FILE or env:NAME")
	require.Contains(t, p4ce(2, kv("backup", from, "--password", "@"+os.DevNull, file+"2")...), "password: /dev/null is ")
	left, err := filepath.Glob(file + "*")
	require.NoError(t, err)
	require.Equal(t, []string{file}, left, "what has failed leaves nothing")
	part := redis.NewClient(&redis.Options{Addr: "s", DialerRetries: 1, Username: "part", Password: "op", Dialer: c.Options().Dialer})
	defer part.Close()
	require.ErrorContains(t, part.Do(ctx, "BACKUP").Err(), "NOPERM User part has no permissions to access all keys")
	tx := c.TxPipeline()
	tx.Do(ctx, "BACKUP")
	_, err = tx.Exec(ctx)
	require.ErrorContains(t, err, "EXECABORT", "a transaction cannot have it")

	to, d := loneStore(t, "to", "--users", users)
	require.NoError(t, d.Set(ctx, "old", "o", 0).Err())
	require.Contains(t, p4ce(1, kv("restore", to, append(as("ops"), file)...)...), "the store has 1 keys (--replace deletes them)")
	require.Eventually(t, func() bool { return c.Exists(ctx, "soon").Val() == 0 }, time.Minute, 10*time.Millisecond)
	require.Contains(t, p4ce(0, kv("restore", to, append(as("ops"), "--replace", file)...)...), fmt.Sprintf("%d keys are restored", len(want)+1))
	for k, v := range want {
		require.Equal(t, v, d.Get(ctx, k).Val(), "%q", k)
	}
	require.EqualValues(t, len(want)+1, d.DBSize(ctx).Val(), "neither what was there, nor what came later, nor what has expired")
	require.InDelta(t, time.Hour.Seconds(), d.TTL(ctx, "later").Val().Seconds(), 60)

	// Damage is found before anything is written.
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for name, b := range map[string][]byte{
		"cut": whole[:len(whole)-1], "longer": append(whole[:len(whole):len(whole)], 0), "bit": append(append(whole[:5000:5000], whole[5000]^1), whole[5001:]...),
		"empty": {}, "no backup": []byte(strings.Repeat("no backup", 100)),
	} {
		bad := filepath.Join(dir, "bad")
		require.NoError(t, os.WriteFile(bad, b, 0o600))
		require.Contains(t, p4ce(1, "kv", "backup", "--check", bad), bad+": ", name)
		p4ce(1, kv("restore", to, append(as("ops"), "--replace", bad)...)...)
		require.Equal(t, "an empty key", d.Get(ctx, "").Val(), name)
	}

	// The status of what is there, and of what is not.
	var st struct {
		Well    bool
		Servers []struct {
			ID, Role, State string
			Keys            int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(p4ce(0, kv("status", to, append(as("ops"), "--json")...)...)), &st))
	require.True(t, st.Well)
	require.Len(t, st.Servers, 1)
	require.Equal(t, []any{"1", "leader", "full", len(want) + 1}, []any{st.Servers[0].ID, st.Servers[0].Role, st.Servers[0].State, st.Servers[0].Keys})
	out := p4ce(1, kv("status", to, append(as("ops"), "--server", "127.0.0.1:1", "--wait", "300ms")...)...)
	require.Regexp(t, `127.0.0.1:1 +does not answer: `, out)
	require.Contains(t, out, "Not well: ")
	require.Contains(t, p4ce(1, kv("status", "nonsense")...), "want HOST:PORT or unix:PATH")
	require.Contains(t, p4ce(2, "kv", "status"), "--server is missing")
}
