package agent

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// health is what /healthz answers: "ok", or 503 and a line for each thing that is wrong.
type health struct {
	mu    sync.Mutex
	wrong map[string]string // what -> why
}

func newHealth() *health { return &health{wrong: map[string]string{}} }

func (h *health) set(what, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong[what] = why
}

func (h *health) clear(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.wrong, what)
}

// ServeHTTP implements http.Handler.
func (h *health) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.wrong) == 0 {
		fmt.Fprintln(w, "ok")
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	for _, what := range slices.Sorted(maps.Keys(h.wrong)) {
		fmt.Fprintln(w, h.wrong[what])
	}
}
