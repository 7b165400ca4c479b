package event

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEventsNobodyReads: who prints events waits for nobody, not even at the end.
func TestEventsNobodyReads(t *testing.T) {
	r, w := io.Pipe() // takes nothing until it is read
	defer r.Close()
	p := NewPrinter(w)
	for range 1000 {
		p.Print(Role{Event: "status"})
	}
	require.NoError(t, p.Ends(nil))
	p.Close()
}
