package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEventsNobodyReads: who prints events waits for nobody, not even at the end.
func TestEventsNobodyReads(t *testing.T) {
	r, w := io.Pipe() // takes nothing until it is read
	defer r.Close()
	p := newPrinter(w)
	for range 1000 {
		p.print(event{Event: "status"})
	}
	require.NoError(t, p.ends(nil))
	p.close()
}
