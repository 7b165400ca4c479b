// Package metrics serves what Prometheus and a supervisor ask a program for: /metrics and /healthz; and profiles
// to whoever may connect to a unix socket.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/p4ce/p4ce/internal/build"
)

// Add adds GET /metrics, GET /healthz and GET /readyz to mux. The last two answer "ok", or 503 and what health
// returns: a line for each thing that keeps the program from its work. A program that is not ready is not well, and
// none is better restarted for what health says: they are the same. The metric p4ce_build_info says which build runs.
//
// GET /debug/pprof/ and what is below it are the profiles of package net/http/pprof, on unix sockets only: they show
// what is in memory.
func Add(mux *http.ServeMux, from prometheus.Gatherer, health func(context.Context) error) {
	mux.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{from, buildInfo()}, promhttp.HandlerOpts{}))
	answer := func(w http.ResponseWriter, r *http.Request) {
		if err := health(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	}
	mux.HandleFunc("GET /healthz", answer)
	mux.HandleFunc("GET /readyz", answer)
	for path, profile := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.HandleFunc("GET /debug/pprof/"+path, func(w http.ResponseWriter, r *http.Request) {
			if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); !ok || at.Network() != "unix" {
				http.Error(w, "profiles are for clients of a unix socket", http.StatusForbidden)
				return
			}
			profile(w, r)
		})
	}
}

func buildInfo() prometheus.Gatherer {
	i := build.Read()
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "p4ce_build_info", Help: "1, with the version, the commit and the Go version of the program as labels.",
		ConstLabels: prometheus.Labels{"version": i.Version, "commit": i.Commit, "goversion": i.Go},
	}, func() float64 { return 1 }))
	return reg
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
