package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
)

// fake are the flags of a log: --NAME.
type fake struct {
	name, value string
	place       string // of --place, which both have
	told        Server
	changed     bool
}

func (f *fake) Add(s *pflag.FlagSet) {
	s.StringVar(&f.value, f.name, "", "of "+f.name)
	s.String(f.name+"-too", "", "of "+f.name)
	s.StringVar(&f.place, "place", "", "where it is")
}

// Check ends the server: there is no log to open.
func (f *fake) Check(s Server, changed func(string) bool) (Opener, error) {
	f.told, f.changed = s, changed(f.name)
	return nil, errors.New("checked " + f.name)
}

// TestLogs: a log has flags and commands of its own, and --log says which it is.
func TestLogs(t *testing.T) {
	run := func(line string) (one, two *fake, text string) {
		one, two = &fake{name: "one"}, &fake{name: "two"}
		below := func() *cobra.Command {
			return &cobra.Command{Use: "mend", RunE: func(*cobra.Command, []string) error { return errors.New("mended") }}
		}
		root := &cobra.Command{Use: "p4ce"}
		root.AddCommand(Command([]Log{
			{Name: "two", About: "two say so", Usage: "--two TWO", Help: "Two is another.", Example: "  p4ce kv --log two", New: func() Flags { return two }},
			{Name: "one", Default: true, About: "one says so", Usage: "--one ONE", Help: "One is the first.", Example: "  p4ce kv", New: func() Flags { return one }, Commands: []func() *cobra.Command{below}},
		}))
		var out bytes.Buffer
		cli.Run(context.Background(), root, strings.Fields("kv "+line), nil, &out, &out)
		return one, two, out.String()
	}
	one, two, text := run("--data d --one x --sync-every 3s --listen unix:y")
	require.Equal(t, "p4ce: checked one\n", text)
	require.Equal(t, "x", one.value)
	require.True(t, one.changed)
	require.Equal(t, "d 3s unix:y", strings.Join([]string{one.told.Data, one.told.SyncEvery.String(), one.told.Listen}, " "))
	require.Zero(t, two.told.Data)
	_, two, text = run("--data d --log two")
	require.Equal(t, "p4ce: checked two\n", text)
	require.False(t, two.changed)
	for _, log := range []string{"one", "two"} {
		one, two, text = run("--data d --place p --log " + log)
		require.Equal(t, "p4ce: checked "+log+"\n", text)
		require.Equal(t, "p p", one.place+" "+two.place)
	}
	for line, want := range map[string]string{
		"--data d --two x":               "--two is not for --log one",
		"--data d --log two --one x":     "--one is not for --log two",
		"--data d --log two --one-too x": "--one-too is not for --log two",
		"--data d --log three":           `--log "three": want one or two`,
		"--data= --one x":                "--data is missing: want a folder for the state",
		"--one x":                        `required flag(s) "data" not set`,
		"mend":                           "mended",
	} {
		_, _, text = run(line)
		require.Contains(t, text, want, line)
	}
	_, _, text = run("--help")
	for _, want := range []string{
		"p4ce kv --data FOLDER {--one ONE | --two TWO}", "\n\nOne is the first.\n\nTwo is another.\n\nThe log is in memory",
		"  p4ce kv\n  p4ce kv --log two\n", `what replicates: "one", one says so; "two", two say so (default "one")`, "mend",
	} {
		require.Contains(t, text, want)
	}
}
