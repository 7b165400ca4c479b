package sim

import (
	"fmt"
	"testing"
	"time"
)

func TestFirst(t *testing.T) {
	w := New(Options{Servers: 3, Seed: 1, Switch: true, Verbose: true})
	for i := range 100 {
		if err := w.Run(10 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if l := w.Leader(); l >= 0 {
			w.Propose(l, fmt.Sprint("v", i), fmt.Sprint("w", i))
			w.Barrier(l)
		}
	}
	t.Logf("%+v steps %d", w.Stats, w.Steps)
	for i := range 3 {
		t.Log(w.State(i), fmt.Sprintf("%+v", w.Status(i)))
	}
}
