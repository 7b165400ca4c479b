// Package latency collects durations and summarises them.
package latency

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Summary describes a distribution.
type Summary struct {
	Count                    int64
	Min, Mean, P50, P99, Max time.Duration
}

// Histogram holds durations from a nanosecond to a minute, to 3 digits. It is not
// synchronised, and adding to it does not allocate.
type Histogram struct{ h *hdrhistogram.Histogram }

// New makes an empty histogram.
func New() *Histogram { return &Histogram{hdrhistogram.New(1, int64(time.Minute), 3)} }

// Add adds a duration; longer ones than a minute count as one.
func (h *Histogram) Add(d time.Duration) {
	_ = h.h.RecordValue(max(1, min(int64(d), h.h.HighestTrackableValue())))
}

// Reset forgets everything.
func (h *Histogram) Reset() { h.h.Reset() }

// Summary describes what has been added.
func (h *Histogram) Summary() Summary {
	return Summary{
		Count: h.h.TotalCount(), Min: time.Duration(h.h.Min()), Mean: time.Duration(h.h.Mean()),
		P50: time.Duration(h.h.ValueAtQuantile(50)), P99: time.Duration(h.h.ValueAtQuantile(99)), Max: time.Duration(h.h.Max()),
	}
}
