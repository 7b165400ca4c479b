package ctrl

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// TestAdminSocket: a controller replaces the socket of one that was killed, not
// that of one that runs; a client says what is wrong when there is none.
func TestAdminSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	_, err := admin.NewClient("unix:" + path).Status(context.Background())
	require.ErrorContains(t, err, "nobody answers [is the controller running, with --admin unix:"+path)
	l, err := listenAdmin(&Config{Admin: "unix:" + path})
	require.NoError(t, err)
	_, err = listenAdmin(&Config{Admin: "unix:" + path})
	require.ErrorContains(t, err, "is in use [is another controller running?")
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	require.NoError(t, l.Close())
	_, err = listenAdmin(&Config{Admin: "nonsense", Insecure: true})
	require.ErrorContains(t, err, `admin: address "nonsense"`)
	_, err = listenAdmin(&Config{Admin: "127.0.0.1:0"})
	require.ErrorContains(t, err, "anyone who reaches 127.0.0.1:0 could control the switches")
	dir := t.TempDir()
	noCA := certstest.New(t, dir, "ca").Issue("server")
	noCA.CA = ""
	_, err = listenAdmin(&Config{Admin: "127.0.0.1:0", AdminTLS: noCA})
	require.ErrorContains(t, err, "anyone who reaches 127.0.0.1:0 could control the switches", "who is known to nobody")
}

// TestAdminRights: by TLS, clients may do what the file of rights says.
func TestAdminRights(t *testing.T) {
	dir := t.TempDir()
	ca, other := certstest.New(t, dir, "ca"), certstest.New(t, dir, "other")
	file := filepath.Join(dir, "rights")
	require.NoError(t, os.WriteFile(file, []byte("client monitor read\nclient ops write groups/*\nclient root write\n"), 0o600))
	c := &Controller{conf: Config{Admin: "127.0.0.1:0", AdminTLS: ca.Issue("controller"), AdminRights: file}}
	all, err := c.listen()
	require.NoError(t, err)
	defer all.close()
	all.serve()
	addr := all[0].l.Addr().String()
	try := func(a *certstest.Authority, called string, do func(context.Context, *admin.Client) error) string {
		var f certs.Files
		if a != nil {
			f = a.Issue(called)
		}
		f.CA = ca.File()
		conf, err := f.Client(nil, "controller")
		require.NoError(t, err)
		if err := do(t.Context(), admin.NewTLSClient(addr, conf)); err != nil {
			return err.Error()
		}
		return ""
	}
	read := func(ctx context.Context, c *admin.Client) error { _, err := c.Status(ctx); return err }
	metrics := func(ctx context.Context, c *admin.Client) error { _, err := c.Metrics(ctx); return err }
	remove := func(path string) func(context.Context, *admin.Client) error {
		return func(ctx context.Context, c *admin.Client) error { return c.Delete(ctx, "/v1/switches/s1/"+path) }
	}
	const not = "may not"
	require.Empty(t, try(ca, "monitor", read))
	require.Empty(t, try(ca, "monitor", metrics))
	require.Contains(t, try(ca, "monitor", remove("groups/7")), `client "monitor" may not delete /v1/switches/s1/groups/7`)
	require.Contains(t, try(ca, "ops", remove("made/x")), not)
	for _, called := range []string{"ops", "root"} {
		reply := try(ca, called, remove("groups/7"))
		require.NotEmpty(t, reply)
		require.NotContains(t, reply, not, "it came through: there is no such switch")
	}
	require.NotContains(t, try(ca, "root", remove("made/x")), not)
	require.Contains(t, try(ca, "stranger", read), not)
	require.Contains(t, try(ca, "stranger", metrics), not)
	require.Contains(t, try(nil, "", read), "certificate required")
	require.NotEmpty(t, try(other, "root", read))
	// Without TLS there is nothing to know clients by.
	c = &Controller{conf: Config{Admin: "unix:" + filepath.Join(dir, "s"), AdminRights: file}}
	_, err = c.listen()
	require.ErrorContains(t, err, "rights need a CA")
}

// TestMetricsListener: it shows metrics, and nothing else of the API.
func TestMetricsListener(t *testing.T) {
	c := &Controller{conf: Config{Metrics: "127.0.0.1:0"}}
	all, err := c.listen()
	require.NoError(t, err)
	defer all.close()
	all.serve()
	client := admin.NewClient(all[0].l.Addr().String())
	_, err = client.Metrics(t.Context())
	require.NoError(t, err)
	_, err = client.Status(t.Context())
	require.ErrorContains(t, err, "404")
	c = &Controller{conf: Config{Metrics: "nonsense"}}
	_, err = c.listen()
	require.ErrorContains(t, err, "choose another with --metrics")
}
