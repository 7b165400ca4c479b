package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// TestServe: /healthz says "ok", or what is wrong and 503; /metrics has what is registered; a closed server does not
// count as failed, one that has lost its listener does.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "seven"}, func() float64 { return 7 }))
	var wrong error
	failed := make(chan error, 1)
	srv := Serve(l, reg, func(context.Context) error { return wrong }, failed)
	defer srv.Close()
	get := func(path string) (int, string) {
		t.Helper()
		r, err := http.Get("http://" + l.Addr().String() + path)
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode, string(b)
	}
	is := func(code int, text string) {
		t.Helper()
		for _, path := range []string{"/healthz", "/readyz"} {
			gotCode, gotText := get(path)
			require.Equal(t, code, gotCode, path)
			require.Equal(t, text, gotText, path)
		}
	}
	is(http.StatusOK, "ok\n")
	wrong = errors.Join(errors.New("one"), errors.New("two"))
	is(http.StatusServiceUnavailable, "one\ntwo\n")
	_, text := get("/metrics")
	require.Contains(t, text, "seven 7\n")
	require.Contains(t, text, "p4ce_build_info{")
	require.Contains(t, text, `goversion="`+runtime.Version()+`"`)
	require.NoError(t, l.Close())
	require.ErrorContains(t, <-failed, "metrics: ")
}

// TestProfiles: profiles are for whoever may connect to a unix socket.
func TestProfiles(t *testing.T) {
	for network, addr := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		l, err := net.Listen(network, addr)
		require.NoError(t, err)
		srv := Serve(l, prometheus.NewRegistry(), func(context.Context) error { return nil }, make(chan error, 1))
		defer srv.Close()
		c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, l.Addr().String())
		}}}
		for _, path := range []string{"", "heap", "goroutine", "profile?seconds=1", "cmdline", "trace?seconds=0.1"} {
			r, err := c.Get("http://p4ce/debug/pprof/" + path)
			require.NoError(t, err)
			b, err := io.ReadAll(r.Body)
			r.Body.Close()
			require.NoError(t, err)
			if network == "tcp" {
				require.Equal(t, http.StatusForbidden, r.StatusCode, path)
				require.Equal(t, "profiles are for clients of a unix socket\n", string(b))
				continue
			}
			require.Equal(t, http.StatusOK, r.StatusCode, path)
			require.NotEmpty(t, b)
		}
	}
}
