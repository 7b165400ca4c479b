package logpipe

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// maxWaiting bounds what waits, in bytes.
const maxWaiting = 1 << 20

// Writer is a log. Write never waits; each call is a line, or several whole ones. It is safe for
// use by several goroutines.
type Writer struct {
	to   io.Writer
	lost string        // see New
	idle chan struct{} // closed: the goroutine has ended

	mu     sync.Mutex
	some   *sync.Cond
	queue  [][]byte
	bytes  int
	gone   uint64 // calls that were lost, and have not been told of
	closed bool
}

// What is said of lines that are lost, with their number.
const (
	Text = "lines of this log lost because the reader was too slow: %d\n"
	JSON = `{"event":"lost","lines":%d}` + "\n"
)

// New makes a log that is written to another writer; lost is what is said of lost lines there: Text or JSON. The
// caller closes it.
func New(to io.Writer, lost string) *Writer {
	w := &Writer{to: to, lost: lost, idle: make(chan struct{})}
	w.some = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// Write implements io.Writer. It reports success also for what is lost.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bytes+len(p) > maxWaiting || w.closed {
		w.gone++
		return len(p), nil
	}
	w.queue = append(w.queue, append([]byte(nil), p...))
	w.bytes += len(p)
	w.some.Signal()
	return len(p), nil
}

// Under is the writer that the log is written to.
func (w *Writer) Under() io.Writer { return w.to }

// Lost is how many calls of Write have been lost and not been told of yet.
func (w *Writer) Lost() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone
}

func (w *Writer) run() {
	defer close(w.idle)
	for {
		w.mu.Lock()
		for len(w.queue) == 0 && !w.closed {
			w.some.Wait()
		}
		if len(w.queue) == 0 {
			w.mu.Unlock()
			return
		}
		line := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		_, _ = w.to.Write(line) // there is nowhere to say that this failed
		w.mu.Lock()
		w.bytes -= len(line)
		gone := w.gone
		w.gone = 0
		w.mu.Unlock()
		if gone > 0 {
			_, _ = fmt.Fprintf(w.to, w.lost, gone)
		}
	}
}

// Close writes what waits, for as long as it may take at most.
func (w *Writer) Close(patience time.Duration) {
	w.mu.Lock()
	w.closed = true
	w.some.Signal()
	w.mu.Unlock()
	select {
	case <-w.idle:
	case <-time.After(patience):
	}
}
