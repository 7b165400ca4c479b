// Package closed is the load that all systems are measured with: clients that each have
// one request under way, and send the next when the answer is there (a closed loop).
package closed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Options say how much load, and for how long.
type Options struct {
	Clients  int
	Size     int           // bytes of a value
	Batch    int           // operations of a request, which are sent at once; 0: 1
	Warmup   time.Duration // before anything counts
	Duration time.Duration // that is measured
}

// MaxClients and MaxSize bound what Check lets through.
const (
	MaxClients = 4096
	MaxSize    = 64 << 10
	MaxBatch   = 1024
)

// Check says what is wrong with options.
func (o Options) Check() error {
	switch {
	case o.Clients < 1 || o.Clients > MaxClients:
		return fmt.Errorf("clients %d: 1 to %d", o.Clients, MaxClients)
	case o.Size < 1 || o.Size > MaxSize:
		return fmt.Errorf("size %d: 1 to %d bytes", o.Size, MaxSize)
	case o.Batch < 0 || o.Batch > MaxBatch:
		return fmt.Errorf("%d operations at once: 1 to %d", o.Batch, MaxBatch)
	case o.Warmup < 0:
		return fmt.Errorf("warm-up %v: not negative", o.Warmup)
	case o.Duration <= 0:
		return fmt.Errorf("duration %v: more than nothing", o.Duration)
	}
	return nil
}

// Result is what was measured. Latencies are in nanoseconds, and are of the answers that
// came within the measured time, each of a whole request: with a closed loop they say nothing of how long a client
// would wait that comes at a rate of its own.
type Result struct {
	Count   uint64  `json:"count"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"` // operations answered per second
	P50     int64   `json:"p50_ns"`
	P99     int64   `json:"p99_ns"`
	P999    int64   `json:"p999_ns"`
	Max     int64   `json:"max_ns"`
}

// Latencies are kept from 1 us to a minute, to three digits.
const (
	lowest  = int64(time.Microsecond)
	highest = int64(time.Minute)
	digits  = 3
)

// shard is the histogram of some clients. One for each client, of 512, would not fit into the caches of the systems
// that are measured.
type shard struct {
	mu   sync.Mutex
	hist *hdrhistogram.Histogram
}

const shards = 4

func (s *shard) record(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.hist.RecordValue(min(max(int64(d), lowest), highest))
}

// Run runs the load. client is called once per client, before the warm-up, and returns
// what does one request and waits for its answer. The first error ends everything.
func Run(ctx context.Context, o Options, client func(i int) (request func(context.Context) error, err error)) (Result, error) {
	if err := o.Check(); err != nil {
		return Result{}, err
	}
	requests := make([]func(context.Context) error, o.Clients)
	for i := range requests {
		var err error
		if requests[i], err = client(i); err != nil {
			return Result{}, fmt.Errorf("client %d: %w", i, err)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg              sync.WaitGroup
		measuring, over atomic.Bool
		hists           [shards]shard
	)
	for i := range hists {
		hists[i].hist = hdrhistogram.New(lowest, highest, digits)
	}
	for i := range requests {
		hist := &hists[i%shards]
		wg.Go(func() {
			for !over.Load() {
				start := time.Now()
				if err := requests[i](ctx); err != nil {
					cancel(fmt.Errorf("client %d: %w", i, err))
					return
				}
				if measuring.Load() && !over.Load() {
					hist.record(time.Since(start))
				}
			}
		})
	}
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	wait(o.Warmup)
	begin := time.Now()
	measuring.Store(true)
	wait(o.Duration)
	over.Store(true)
	took := time.Since(begin)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return Result{}, err
	}
	all := hdrhistogram.New(lowest, highest, digits)
	for i := range hists {
		all.Merge(hists[i].hist)
	}
	if all.TotalCount() == 0 {
		return Result{}, errors.New("no request was answered in the measured time")
	}
	count := uint64(all.TotalCount()) * uint64(max(o.Batch, 1))
	return Result{
		Count: count, Seconds: took.Seconds(), Rate: float64(count) / took.Seconds(),
		P50: all.ValueAtQuantile(50), P99: all.ValueAtQuantile(99), P999: all.ValueAtQuantile(99.9), Max: all.Max(),
	}, nil
}
