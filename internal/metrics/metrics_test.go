package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
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
