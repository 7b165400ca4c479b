package own

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// late is a slog.Handler that keeps what is said until somebody says where to.
type late struct {
	*late0
	attrs []slog.Attr
}

type late0 struct {
	mu   sync.Mutex
	to   slog.Handler
	held []slog.Record
}

// mostHeld is how much is kept.
const mostHeld = 64

func newLate() *late { return &late{late0: &late0{}} }

// Enabled implements slog.Handler.
func (l *late) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs implements slog.Handler.
func (l *late) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &late{l.late0, append(slices.Clone(l.attrs), attrs...)}
}

// WithGroup implements slog.Handler. There are no groups.
func (l *late) WithGroup(string) slog.Handler { return l }

// Handle implements slog.Handler.
func (l *late) Handle(ctx context.Context, r slog.Record) error {
	r.AddAttrs(l.attrs...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != nil {
		return l.to.Handle(ctx, r)
	}
	if len(l.held) < mostHeld {
		l.held = append(l.held, r)
	}
	return nil
}

// report says what was kept, and from now on everything, to a logger.
func (l *late) report(to *slog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = to.Handler()
	for _, r := range l.held {
		if l.to.Enabled(context.Background(), r.Level) {
			_ = l.to.Handle(context.Background(), r)
		}
	}
	l.held = nil
}
