package session

import (
	"context"
	"errors"
	"sync"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// writeTimeout bounds one request to the switch, syncTimeout what is done when it is taken over: a kernel takes seconds
// to verify a program, and on a busy machine many.
const (
	writeTimeout = 10 * time.Second
	syncTimeout  = time.Minute
)

// maxMerge is how many updates of several jobs are sent as one batch.
const maxMerge = 1000

// job is a request to the switch: updates, or anything else. done is called
// with the outcome, on the worker's goroutine.
type job struct {
	updates []*p4.Update
	allow   []codes.Code // failures that are none, for instance NOT_FOUND of a removal
	run     func(ctx context.Context) error
	done    func(error)
}

// worker makes the requests of one switch, one at a time and in order. What
// waits together is sent together: a hundred groups that form at once take a
// few batches.
type worker struct {
	client *p4rtclient.Client
	mu     sync.Mutex
	jobs   []job
	ready  chan struct{}
}

func newWorker(c *p4rtclient.Client) *worker {
	return &worker{client: c, ready: make(chan struct{}, 1)}
}

func (w *worker) add(j job) {
	w.mu.Lock()
	w.jobs = append(w.jobs, j)
	w.mu.Unlock()
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// waiting is the number of jobs that have not begun.
func (w *worker) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.jobs)
}

// next takes the jobs that can be done with one request.
func (w *worker) next() (list []job, updates []*p4.Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.jobs) > 0 {
		j := w.jobs[0]
		if len(list) > 0 && (j.run != nil || list[0].run != nil || len(updates)+len(j.updates) > maxMerge) {
			break
		}
		list, updates, w.jobs = append(list, j), append(updates, j.updates...), w.jobs[1:]
	}
	return list, updates
}

func (w *worker) run(ctx context.Context) {
	for {
		list, updates := w.next()
		if len(list) == 0 {
			select {
			case <-ctx.Done():
				return
			case <-w.ready:
			}
			continue
		}
		limit := writeTimeout
		if list[0].run != nil {
			limit = syncTimeout
		}
		rctx, cancel := context.WithTimeout(ctx, limit)
		if list[0].run != nil {
			list[0].done(list[0].run(rctx))
		} else {
			w.write(rctx, list, updates)
		}
		cancel()
	}
}

// write sends the updates of several jobs and tells each how its own fared.
func (w *worker) write(ctx context.Context, list []job, updates []*p4.Update) {
	err := w.client.Write(ctx, updates...)
	var we *p4rtclient.WriteError
	if !errors.As(err, &we) {
		for _, j := range list {
			j.done(err)
		}
		return
	}
	first := 0
	for _, j := range list {
		own := &p4rtclient.WriteError{Total: len(j.updates)}
		for _, f := range we.Failed {
			if f.Index >= first && f.Index < first+len(j.updates) {
				f.Index -= first
				own.Failed = append(own.Failed, f)
			}
		}
		first += len(j.updates)
		if len(own.Failed) == 0 || own.Only(j.allow...) {
			j.done(nil)
		} else {
			j.done(own)
		}
	}
}
