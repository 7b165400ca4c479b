package logpipe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNobodyReads: a log that nobody reads stops nobody; when somebody does, he gets the oldest lines in order,
// whole, and is told how many are missing.
func TestNobodyReads(t *testing.T) {
	r, to := io.Pipe() // takes nothing until it is read
	w := New(to, Text)
	line := strings.Repeat("x", 200)
	const lines = 50_000
	for i := range lines {
		n, err := fmt.Fprintf(w, "%d %s\n", i, line)
		require.NoError(t, err)
		require.Greater(t, n, len(line))
	}
	lost := w.Lost()
	require.Greater(t, lost, uint64(lines/2))
	got := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(r)
		got <- b
	}()
	w.Close(time.Minute)
	to.Close()
	out := strings.Split(strings.TrimSuffix(string(<-got), "\n"), "\n")
	next, told := 0, uint64(0)
	for _, l := range out {
		if l == fmt.Sprintf("%d %s", next, line) {
			next++
			continue
		}
		var n uint64
		_, err := fmt.Sscanf(l, "lines of this log lost because the reader was too slow: %d", &n)
		require.NoError(t, err, "%.40q", l)
		told += n
	}
	require.Equal(t, lost, told)
	require.Equal(t, uint64(lines), uint64(next)+told)
}

// TestClose: what waits is written before the program ends; a reader that takes nothing is not waited
// for for ever.
func TestClose(t *testing.T) {
	var b bytes.Buffer
	w := New(&b, Text)
	for i := range 1000 {
		fmt.Fprintln(w, i)
	}
	w.Close(time.Minute)
	require.Equal(t, 1000, strings.Count(b.String(), "\n"))
	fmt.Fprintln(w, "late")
	require.Equal(t, uint64(1), w.Lost())

	r, to := io.Pipe()
	w = New(to, Text)
	fmt.Fprintln(w, "nobody reads this")
	w.Close(time.Millisecond)
	r.Close()
}

// TestJSON: what is lost is told in the form of the rest.
func TestJSON(t *testing.T) {
	r, to := io.Pipe()
	w := New(to, JSON)
	for w.Lost() == 0 {
		fmt.Fprintf(w, "{\"event\":\"x\",\"more\":%q}\n", strings.Repeat("x", 4096))
	}
	got := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(r)
		got <- b
	}()
	w.Close(time.Minute)
	to.Close()
	lost := 0
	for in := json.NewDecoder(bytes.NewReader(<-got)); in.More(); {
		var e struct {
			Event string
			Lines int
		}
		require.NoError(t, in.Decode(&e))
		if e.Event == "lost" {
			lost += e.Lines
		}
	}
	require.Equal(t, 1, lost)
}
