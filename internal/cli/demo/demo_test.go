package demo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
)

// TestCommand: the default demo is the command itself, and its help says what the others show.
func TestCommand(t *testing.T) {
	var ran Run
	var there []string // what is in the folder while it runs
	first := func() *cobra.Command {
		return &cobra.Command{Use: "demo", Long: "First.", Example: "  p4ce demo", RunE: func(*cobra.Command, []string) error { return errors.New("the first") }}
	}
	second := Switches{
		Name: "second", Short: "Show more", Long: "Second.", Window: 70, Count: 12,
		Run: func(_ context.Context, r *Run) error {
			ran = *r
			if err := os.WriteFile(filepath.Join(r.Dir, "file"), nil, 0o600); err != nil {
				return err
			}
			entries, err := os.ReadDir(r.Dir)
			for _, e := range entries {
				there = append(there, e.Name())
			}
			return err
		},
	}
	run := func(line string) (code int, text string) {
		root := &cobra.Command{Use: "p4ce"}
		root.AddCommand(Command([]Demo{{Command: second.Command, About: "p4ce demo second shows more."}}, []Demo{{Command: first, Default: true}}))
		var out bytes.Buffer
		code = cli.Run(context.Background(), root, strings.Fields("demo "+line), nil, &out, &out)
		return code, out.String()
	}
	code, text := run("")
	require.Equal(t, 1, code)
	require.Equal(t, "p4ce: the first\n", text)
	_, text = run("--help")
	require.Contains(t, text, "First.\n\np4ce demo second shows more.\n\nExit status 0 means that every check held.")
	require.Contains(t, text, "  p4ce demo\n  p4ce demo second\n")
	_, text = run("second --help")
	require.Contains(t, text, "Second.\n")
	require.Contains(t, text, "Exit status 0 means that every check held.")

	t.Setenv("TMPDIR", t.TempDir())
	code, text = run("second --target interp")
	require.Zero(t, code, text)
	require.Equal(t, 12, ran.Count)
	require.Equal(t, 64, ran.Window)
	require.Nil(t, ran.Log())
	require.Contains(t, ran.Where(), "the interpreter")
	require.Equal(t, []string{"file"}, there)
	require.NoDirExists(t, ran.Dir)
	code, _ = run("second --target interp --count 7 --window 70 -v")
	require.Zero(t, code)
	require.Equal(t, 7, ran.Count)
	require.NotNil(t, ran.Log())
	for line, want := range map[string]string{
		"--window 71":  "--window 71: at most 70",
		"--window 0":   "--window 0: at least one record is under way",
		"--count 0":    "--count 0: want at least 1",
		"--count -1":   "--count -1: want at least 1",
		"--target vpp": `--target "vpp": xdp or interp`,
	} {
		code, text := run("second " + line)
		require.Equal(t, 2, code, line)
		require.Contains(t, text, want)
	}
}

// TestInterrupted: a demo that was interrupted says that, and not what failed because of it.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := Switches{Name: "x", Run: func(ctx context.Context, _ *Run) error {
		cancel()
		<-ctx.Done()
		return errors.New("a switch has ended")
	}, Window: 64, Count: 1}
	c := s.Command()
	c.SetArgs([]string{"--target", "interp"})
	c.SilenceErrors, c.SilenceUsage = true, true
	require.EqualError(t, c.ExecuteContext(ctx), "interrupted; everything has been taken down")
}
