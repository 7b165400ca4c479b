package vm

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/test/vm/agent"
)

// fakeGuest is a guest without a machine: the agent runs in this process, and its
// commands on this machine.
func fakeGuest(t *testing.T) (context.Context, *Guest) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	host, guest := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- agent.Serve(guest) }()
	g := newGuest("fake")
	g.port = host
	go g.receive()
	select {
	case <-g.ready:
	case <-ctx.Done():
		t.Fatal("the agent is not ready")
	}
	t.Cleanup(func() {
		g.Kill()
		require.Error(t, <-served, "the port was closed")
	})
	return ctx, g
}

func TestRunInGuest(t *testing.T) {
	ctx, g := fakeGuest(t)
	out, err := g.Run(ctx, "sh", "-c", "echo out; echo err >&2")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"out", "err"}, strings.Fields(out))

	out, err = g.Run(ctx, "sh", "-c", "echo so far; exit 7")
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 7, exit.Code)
	require.Equal(t, "so far\n", out)
	require.ErrorContains(t, err, "guest fake: sh -c echo so far; exit 7: exit code 7")

	_, err = g.Run(ctx, "no-such-program-anywhere")
	require.ErrorAs(t, err, &exit)
	require.ErrorContains(t, err, "not found")
	_, err = g.Shell(ctx, "false; echo not reached")
	require.ErrorContains(t, err, "exit code 1")

	long, err := g.Run(ctx, "sh", "-c", "seq 1 100000")
	require.NoError(t, err)
	require.Len(t, strings.Fields(long), 100000, "more than one frame")

	file := filepath.Join(t.TempDir(), "file")
	data := []byte(strings.Repeat("0123456789", 10000))
	require.NoError(t, g.WriteFile(ctx, file, data, 0o640))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, data, got)
	st, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o640, st.Mode().Perm())
}

func TestProcessesInGuest(t *testing.T) {
	ctx, g := fakeGuest(t)
	out := &lab.Log{}
	cat, err := g.Start(Spec{Args: []string{"cat"}, Stdout: out})
	require.NoError(t, err)
	sleep, err := g.Start(Spec{Args: []string{"sleep", "1000"}})
	require.NoError(t, err)

	_, err = cat.Write([]byte("several at a time"))
	require.NoError(t, err)
	require.NoError(t, cat.CloseInput())
	require.NoError(t, cat.Wait(ctx))
	require.Equal(t, "several at a time", out.String())

	require.NoError(t, sleep.Signal(syscall.SIGTERM))
	var exit *ExitError
	require.ErrorAs(t, sleep.Wait(ctx), &exit)
	require.Equal(t, "terminated", exit.Signal)

	// What nobody waits for any more is killed.
	forever, err := g.Start(Spec{Args: []string{"sleep", "1000"}})
	require.NoError(t, err)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, forever.Wait(gone), context.Canceled)
	<-forever.Done()
	require.ErrorAs(t, forever.Err(), &exit)
	require.Equal(t, "killed", exit.Signal)

	env, err := g.Start(Spec{Args: []string{"sh", "-c", `test "$NAME" = value`}, Env: []string{"NAME=value"}})
	require.NoError(t, err)
	require.NoError(t, env.Wait(ctx))
}

// A guest that dies takes its commands along.
func TestGuestDies(t *testing.T) {
	ctx, g := fakeGuest(t)
	// It ends by itself when its input does, so that nothing is left of the test.
	p, err := g.Start(Spec{Args: []string{"sleep", "5"}})
	require.NoError(t, err)
	g.Kill()
	require.ErrorIs(t, p.Wait(ctx), ErrGone)
	_, err = g.Run(ctx, "true")
	require.ErrorIs(t, err, ErrGone)
	require.ErrorIs(t, p.Signal(syscall.SIGTERM), ErrGone)
}

func TestBootFails(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Boot(context.Background(), Config{Name: "x", Image: &Image{}})
	require.ErrorContains(t, err, "guest x: start guest x")
	require.ErrorContains(t, err, qemu)
}
