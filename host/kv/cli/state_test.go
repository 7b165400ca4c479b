package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// TestStateForServers: what a store holds is given to its servers, and to nobody else.
func TestStateForServers(t *testing.T) {
	dir := t.TempDir()
	ca, other := certstest.New(t, dir, "ca"), certstest.New(t, dir, "other")
	open := func(at string, files certs.Files) string {
		l, err := ListenState(at, files, false, nil)
		require.NoError(t, err)
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "everything") })
		s := &http.Server{Handler: OnlyServers([]string{"unix:x", "h2:7000", "h3:7000"}, h)}
		go s.Serve(l) //nolint:errcheck // ends with Close
		t.Cleanup(func() { s.Close() })
		return l.Addr().String()
	}
	get := func(at string, files certs.Files) (int, string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		dial, err := DialState(files, nil)
		require.NoError(t, err)
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, at) }}}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://peer/", nil)
		require.NoError(t, err)
		r, err := c.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		return r.StatusCode, string(b), err
	}
	at := open("127.0.0.1:0", ca.Issue("h1"))
	for _, server := range []string{"h2", "h3"} {
		code, text, err := get(at, ca.Issue(server))
		require.NoError(t, err)
		require.Equal(t, "everything", text)
		require.Equal(t, http.StatusOK, code)
	}
	code, text, err := get(at, ca.Issue("alice"))
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, code)
	require.NotContains(t, text, "everything")
	stranger := other.Issue("h2")
	stranger.CA = ca.File()
	for _, files := range []certs.Files{stranger, {CA: ca.File()}, {}} {
		_, text, err := get(at, files)
		require.False(t, err == nil && text == "everything", "%+v", files)
	}
	// A server that is not who it says gets no question.
	_, _, err = get(open("127.0.0.1:0", other.Issue("h1")), ca.Issue("h2"))
	require.ErrorContains(t, err, "certificate signed by unknown authority")

	unix := "unix:" + filepath.Join(dir, "state")
	open(unix, certs.Files{})
	code, _, err = get(unix, certs.Files{})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code)

	_, err = ListenState("0.0.0.0:0", certs.Files{}, false, nil)
	require.ErrorContains(t, err, "others than its servers could ask for it")
	l, err := ListenState("0.0.0.0:0", certs.Files{}, true, nil)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	l, err = ListenState("127.0.0.1:0", certs.Files{}, false, nil)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
