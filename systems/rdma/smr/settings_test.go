package smr

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// TestSettings: each setting that has promised something to others is changed over a
// restart: it is carried over, with a word, or refused, with what to do.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Config)
		refused string
		said    string
	}{
		{name: "none", change: func(*Config) {}},
		{name: "id", change: func(c *Config) { c.ID = 1; c.Members = nil }, refused: "the folder is that of server 0, and this one is server 1"},
		{name: "cluster", change: func(c *Config) { c.Cluster++ }, refused: "the folder is that of a server of cluster 42, not 43"},
		{name: "log size", change: func(c *Config) { c.LogSize *= 2 }, said: "the size of the log has changed"},
		{name: "log size with a journal", change: func(c *Config) { c.LogSize *= 2; c.Journal, c.Carry = c.Carry, "" }, refused: "to change the size, start all servers without a journal"},
		{name: "token", change: func(c *Config) { c.Token = 8 }, said: "the token has changed"},
		{name: "no token", change: func(c *Config) { c.Token = 0 }, said: "the token has changed"},
		{name: "journal", change: func(c *Config) { c.Journal, c.Carry = c.Carry, "" }, said: "from now on this server has a journal"},
		{name: "members", change: func(c *Config) {
			c.Members = append(slices.Clone(c.Members), Member{ID: 9, Addrs: c.Members[0].Addrs})
		}, said: "this cluster has other members, and keeps them"},
		{name: "newer build", change: func(c *Config) { write(t, c.Settings, `{"protocol": 9999}`) }, refused: "use that build"},
		{name: "damage", change: func(c *Config) { write(t, c.Settings, `{`) }, refused: "empty the folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			n := newNodes(t, 1, func(_ *nodes, cfg *Config) {
				cfg.Settings, cfg.Carry, cfg.Token = filepath.Join(dir, "settings"), filepath.Join(dir, "journal"), 7
			})
			n.propose("one")
			require.NoError(t, n.nodes[0].Close())
			n.nodes[0] = nil
			var log bytes.Buffer
			cfg := n.config(0)
			cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			c.change(&cfg)
			for range 2 {
				node, err := Open(cfg)
				if c.refused != "" {
					require.ErrorContains(t, err, c.refused)
					continue // and again: nothing has changed
				}
				require.NoError(t, err)
				require.Equal(t, mu.ID(0), node.cfg.ID)
				require.NoError(t, node.Close())
			}
			if c.said != "" {
				require.Contains(t, log.String(), c.said)
			} else {
				require.NotContains(t, log.String(), "has changed")
			}
			b, err := os.ReadFile(filepath.Join(dir, "settings"))
			require.NoError(t, err)
			require.NotContains(t, string(b), "token\": 7", "it is a secret")
		})
	}
}

// write puts something that no server has written in both places of the file.
func write(t *testing.T, path, text string) {
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.RemoveAll(path+".copy"))
}

// TestSettingsOfNewCluster: a cluster that is made of one server's folder has its own.
func TestSettingsOfNewCluster(t *testing.T) {
	dir := t.TempDir()
	c := newNodes(t, 1, func(_ *nodes, cfg *Config) { cfg.Settings = filepath.Join(dir, "settings") })
	c.propose("one")
	require.NoError(t, c.nodes[0].Close())
	c.nodes[0] = nil
	_, err := ForceNewCluster(c.config(0), c.members[0])
	require.NoError(t, err)
	cfg := c.config(0)
	cfg.Cluster = 77
	n, err := Open(cfg)
	require.NoError(t, err)
	require.NoError(t, n.Close())
}
