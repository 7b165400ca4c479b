package replicated

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Memory is a StateMachine in memory: a value, and what a record does to it. A server that
// starts again has forgotten everything, and is given the state by the others. So when a majority of the
// servers ends at a time, what the log had is lost; and a log that relies on
// Sync to forget what is on a disk (a journal, checkpoints) needs another machine.
type Memory[S any] struct {
	apply func(*S, []byte) any

	mu   sync.Mutex // guards
	kept memoryImage[S]
}

// memoryImage is what an Image has.
type memoryImage[S any] struct {
	Value S      `json:"value"`
	State []byte `json:"state"` // the log's
}

// NewMemory returns a machine that begins with the zero value of S. An image has of the value what encoding/json
// writes. apply executes a record, which is valid during the call; what it returns must
// not refer to the record.
func NewMemory[S any](apply func(value *S, record []byte) (result any)) *Memory[S] {
	return &Memory[S]{apply: apply}
}

// Read calls f with the value, which f must not keep or change. No record is executed meanwhile.
func (m *Memory[S]) Read(f func(value *S)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.kept.Value)
}

// Load implements StateMachine.
func (m *Memory[S]) Load() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept.State, nil
}

// Apply implements StateMachine.
func (m *Memory[S]) Apply(entries []Entry, state []byte) ([]any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	results := make([]any, len(entries))
	for i, e := range entries {
		results[i] = m.apply(&m.kept.Value, e.Record)
	}
	m.kept.State = slices.Clone(state)
	return results, nil
}

// Snapshot implements StateMachine.
func (m *Memory[S]) Snapshot() (Image, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, err := json.Marshal(m.kept)
	if err != nil {
		return nil, fmt.Errorf("state machine: image: %w", err)
	}
	return closer{bytes.NewReader(b)}, nil
}

type closer struct{ io.WriterTo }

// Close implements Image.
func (closer) Close() error { return nil }

// Restore implements StateMachine.
func (m *Memory[S]) Restore(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var image memoryImage[S]
	if err := json.Unmarshal(b, &image); err != nil {
		return fmt.Errorf("state machine: image: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = image
	return nil
}

// Sync implements StateMachine: nothing is on a disk, nor will be.
func (*Memory[S]) Sync() error { return nil }
