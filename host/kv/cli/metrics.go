package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/p4ce/p4ce/link/sock"
)

// health is what /healthz answers: "ok", or 503 and a line for each thing that is wrong.
type health struct {
	mu    sync.Mutex
	looks []func() error // nil: the server is not there yet
}

func (h *health) set(looks ...func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looks = looks
}

// ServeHTTP implements http.Handler.
func (h *health) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	looks := h.looks
	h.mu.Unlock()
	err := errors.New("starting")
	if looks != nil {
		err = nil
	}
	for _, look := range looks {
		err = errors.Join(err, look())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// serveMetrics serves /metrics and /healthz at an address, if there is one, and returns the
// address and what ends that.
func serveMetrics(addr string, reg *prometheus.Registry, health http.Handler, failed chan<- error) (string, func(), error) {
	if addr == "" {
		return "", func() {}, nil
	}
	var l net.Listener
	var err error
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		l, err = sock.Listen(path)
	} else {
		l, err = net.Listen("tcp", addr)
	}
	if err != nil {
		return "", nil, fmt.Errorf("metrics: listen on %s: %w (choose another with --metrics)", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.Handle("/healthz", health)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()
	return l.Addr().String(), func() { _ = srv.Close() }, nil
}
