// Package cast measures how long p4ce cast takes to copy a file to several hosts when links are the
// limit: by multicast, by a connection to each, and from host to host.
package cast

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/cast"
	lab "github.com/p4ce/p4ce/systems/rdma/lab/cast"
)

// Metrics of a result.
const (
	Time = "time until all have it"
	Rate = "bytes that all get per second"
)

// Systems are the ways, in the order of a result's.
func Systems() []string {
	return []string{string(cast.FanOut), string(cast.Chain), string(cast.Multicast)}
}

// Wanted is the part of the number of receivers that multicast must be faster by than fan-out: each
// receiver's copy costs the sender's link as much as all of them by multicast.
const Wanted = 0.8

// Options say what to measure.
type Options struct {
	modes.Options
	Bytes int64   // of the file
	Rate  float64 // of each host's link, in bits per second
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "cast", Title: "Copying a file to several hosts, their links as the limit", Systems: Systems(),
		Metrics: []report.Metric{{Name: Time, Unit: "s"}, {Name: Rate, Unit: "MB/s"}}}
	r.Set("file", fmt.Sprintf("%d B", o.Bytes))
	r.Set("links", fmt.Sprintf("%g Mbit/s, each way out of a host, by pacing in its endpoint", o.Rate/1e6))
	r.Set("time", "with the SHA-256 of the file at the sender, connections, and fsync at the receivers")
	o.Size = 0
	o.Note(r)
	return r
}

// Figures are what is drawn of a result.
func Figures() []report.Figure {
	return []report.Figure{{Name: "cast", Title: "Copying a file to several hosts", Metric: Time}}
}

// Case is the name of a number of receivers.
func Case(n int) string { return fmt.Sprintf("%d receivers", n) }

// Measure measures with every number of receivers, one after the other.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	r := New(o)
	return o.Options.Measure(r, func(n int) error {
		if err := measure(ctx, o, n, r); err != nil {
			return err
		}
		if n > 1 {
			r.AtMost("multicast against fan-out", report.Point{Metric: Time, Case: Case(n)}, string(cast.Multicast), string(cast.FanOut), 1/(Wanted*float64(n)), "")
		}
		return nil
	})
}

func measure(ctx context.Context, o Options, n int, r *report.Result) error {
	data := make([]byte, o.Bytes)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(data)
	file := filepath.Join(o.Dir, "file")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	rate := []string{"--link-rate", fmt.Sprint(o.Rate), "--ack-timeout", "1s"} // longer than what waits for a slow link
	start, cancel := context.WithTimeout(ctx, o.Start)
	defer cancel()
	h, err := lab.Start(start, lab.Options{Binary: o.Binary, Dir: o.Dir, Receivers: n, Wire: o.Wire, Receive: rate, Log: o.Log})
	if err != nil {
		return err
	}
	defer h.Close()
	for i := range o.Repetitions + 1 { // the first one warms up
		for _, via := range Systems() {
			o.Progress("%s, %s: %d of %d", Case(n), via, i, o.Repetitions)
			name := fmt.Sprintf("%s-%d", via, i)
			s, err := h.Sender(file, append([]string{"--via", via, "--name", name}, rate...)...)
			if err != nil {
				return err
			}
			e, err := s.Done(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", via, err)
			}
			for _, got := range e.Results {
				if got.Error != "" {
					return fmt.Errorf("%s: %v: %s", via, got.Host, got.Error)
				}
			}
			for _, dir := range h.Folders {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
			if i > 0 {
				r.Add(report.Point{Metric: Time, Case: Case(n)}, via, i-1, e.Seconds)
				r.Add(report.Point{Metric: Rate, Case: Case(n)}, via, i-1, float64(e.Bytes)/1e6/e.Seconds)
			}
		}
	}
	return nil
}
