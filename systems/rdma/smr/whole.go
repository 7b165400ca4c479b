package smr

import (
	"io"

	"github.com/p4ce/p4ce/host/replicated"
)

// whole makes a replicated.Gradual of a state machine that is not one: there is a single round,
// nothing of it is kept, and it replaces the state while it arrives.
type whole struct {
	replicated.StateMachine
}

// gradualOf is how the node gives and takes its machine's state.
func gradualOf(m replicated.StateMachine) replicated.Gradual {
	if g, ok := m.(replicated.Gradual); ok {
		return g
	}
	return whole{m}
}

func (w whole) Give([]byte) (replicated.Giving, bool, error) { return wholeGiving{w}, false, nil }
func (w whole) Take() (replicated.Taking, error)             { return &wholeTaking{whole: w}, nil }

type wholeGiving struct{ whole }

func (w wholeGiving) Round() (replicated.Image, int64, error) {
	image, err := w.Snapshot()
	return image, 0, err
}

type wholeTaking struct {
	whole
	image io.Reader
}

func (w *wholeTaking) Known() []byte { return nil }

func (w *wholeTaking) Round(r io.Reader) error {
	w.image = r
	return nil
}

func (w *wholeTaking) Install() error { return w.Restore(w.image) }
func (w *wholeTaking) Close() error   { return nil }
