// Package metrics serves what Prometheus and a supervisor ask a program for: /metrics and /healthz.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Add adds GET /metrics and GET /healthz to mux. The latter answers "ok", or 503 and what health
// returns: a line for each thing that is wrong.
func Add(mux *http.ServeMux, from prometheus.Gatherer, health func(context.Context) error) {
	mux.Handle("GET /metrics", promhttp.HandlerFor(from, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := health(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
}

// Serve serves both at a listener until the caller closes the server that it returns. If it ends
// for another reason, it says why in failed.
func Serve(l net.Listener, from prometheus.Gatherer, health func(context.Context) error, failed chan<- error) *http.Server {
	mux := http.NewServeMux()
	Add(mux, from, health)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()
	return srv
}
