package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab/launch"
)

// script is a program that says what it is told, and that it ends.
const script = `#!/bin/sh
echo "$@" >> "${0%/*}/said"
trap 'echo "end $1" >> "${0%/*}/said"; exit 0' TERM
echo '{"event":"ready"}'
while :; do sleep 0.01; done
`

// TestRunner: a program that is started again has the flags that it had, and the last that was started first of all ends
// first, also if it is paused.
func TestRunner(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "p4ce")
	require.NoError(t, os.WriteFile(binary, []byte(script), 0o700))
	said := func() []string {
		b, err := os.ReadFile(filepath.Join(dir, "said"))
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(b), dir, "DIR")), "\n")
	}
	watch := launch.NewWatch()
	r := New(Options{Binary: binary, Dir: dir, Watch: watch, Logs: Prefixed(nil)})
	defer r.Close()
	require.NoError(t, r.StartSwitch(ctx, "t", "--port", "1=p1"))
	require.NoError(t, r.StartController(ctx, "c", "--store", "x"))
	p, err := r.Start(launch.Options{Name: "host", Args: []string{"kv"}})
	require.NoError(t, err)
	require.NoError(t, p.AwaitReady(ctx))

	first := r.Program("t")
	watch.Remove(first)
	first.Kill()
	require.NoError(t, r.StartSwitch(ctx, "t"))
	require.NotSame(t, first, r.Program("t"))
	require.NoError(t, p.Pause())
	r.Close()
	require.Equal(t, []string{
		"switch --listen unix:DIR/t.rt --port 1=p1", "controller --admin unix:DIR/c.admin --store x", "kv",
		"switch --listen unix:DIR/t.rt --port 1=p1", "end kv", "end controller", "end switch",
	}, said())
	require.Empty(t, watch.Failed(), "they were to end")
	require.Nil(t, r.Program("other"))
}
