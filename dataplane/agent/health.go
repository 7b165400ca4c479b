package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// health is what is wrong with the switch, for /healthz.
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

func (h *health) look(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, what := range slices.Sorted(maps.Keys(h.wrong)) {
		errs = append(errs, errors.New(h.wrong[what]))
	}
	return errors.Join(errs...)
}
