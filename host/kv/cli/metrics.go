package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/internal/metrics"
	"github.com/p4ce/p4ce/link/sock"
)

// health finds what is wrong with the server, for /healthz.
type health struct {
	mu    sync.Mutex
	looks []func() error // nil: the server does not exist yet
}

func (h *health) set(looks ...func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looks = looks
}

func (h *health) look(context.Context) error {
	h.mu.Lock()
	looks := h.looks
	h.mu.Unlock()
	if looks == nil {
		return errors.New("starting")
	}
	var errs []error
	for _, look := range looks {
		errs = append(errs, look())
	}
	return errors.Join(errs...)
}

// MetricsUsage describes the flag --metrics.
const MetricsUsage = "address of /metrics and /healthz, for Prometheus, for example 127.0.0.1:9562, or unix:PATH"

// ServeMetrics serves /metrics and /healthz at an address, if there is one, and returns the
// address and what ends that.
func ServeMetrics(addr string, reg *prometheus.Registry, health func(context.Context) error, failed chan<- error) (string, func(), error) {
	if addr == "" {
		return "", func() {}, nil
	}
	l, err := sock.Open(addr)
	if err != nil {
		return "", nil, fmt.Errorf("metrics: listen on %s: %w (choose another with --metrics)", addr, err)
	}
	srv := metrics.Serve(l, reg, health, failed)
	return l.Addr().String(), func() { _ = srv.Close() }, nil
}
