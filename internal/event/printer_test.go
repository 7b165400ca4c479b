package event

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEventsNobodyReads: who prints events waits for nobody, not even at the end.
func TestEventsNobodyReads(t *testing.T) {
	r, w := io.Pipe()                                             // takes nothing until it is read
	waits := time.AfterFunc(10*time.Second, func() { r.Close() }) // writes fail then
	p := NewPrinter(w)
	for range 1000 {
		p.Print(Role{Event: "status"})
	}
	require.NoError(t, p.Ends(nil))
	p.Close()
	require.True(t, waits.Stop(), "it waits for whoever reads what it prints")
	r.Close()
}
