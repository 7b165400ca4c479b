package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/logpipe"
)

// TestLogLines: log lines, and the error of a program that ends, are in the format and of the levels that are asked for.
func TestLogLines(t *testing.T) {
	run := func(line string, fails error) (int, string) {
		root := &cobra.Command{Use: "prog"}
		var verbose bool
		c := &cobra.Command{Use: "do", RunE: func(cmd *cobra.Command, _ []string) error {
			log := Logger(cmd.ErrOrStderr(), verbose)
			log.Debug("fine", "n", 1)
			log.Info("so", "n", 2)
			log.Warn("hm", "n", 3)
			log.Error("oh", "n", 4)
			return fails
		}}
		c.Flags().BoolVarP(&verbose, "verbose", "v", false, "")
		root.AddCommand(c)
		var out bytes.Buffer
		return Run(context.Background(), root, strings.Fields(line), strings.NewReader(""), &out, &out), out.String()
	}
	levels := func(text string) (list []string) {
		for l := range strings.Lines(text) {
			for _, f := range strings.Fields(l) {
				if v, ok := strings.CutPrefix(f, "level="); ok {
					list = append(list, v)
				}
			}
		}
		return list
	}
	for line, want := range map[string]string{
		"do": "INFO WARN ERROR", "do -v": "DEBUG INFO WARN ERROR", "do --log-level error": "ERROR", "do --log-level warn": "WARN ERROR",
		"do --log-level debug": "DEBUG INFO WARN ERROR", "do --log-level error -v": "DEBUG INFO WARN ERROR",
	} {
		code, out := run(line, nil)
		require.Zero(t, code, out)
		require.Equal(t, want, strings.Join(levels(out), " "), line)
	}
	code, out := run("do --log-format json --log-level error", errors.New("why"))
	require.Equal(t, 1, code)
	var got []map[string]any
	for l := range strings.Lines(out) {
		m := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(l), &m), "%q", l)
		delete(m, "time")
		got = append(got, m)
	}
	require.Equal(t, []map[string]any{
		{"level": "ERROR", "msg": "oh", "n": 4.0}, {"level": "ERROR", "msg": "the program ends", "program": "prog", "err": "why"},
	}, got)
	for line, want := range map[string]string{"do --log-format xml": "want text or json", "do --log-level loud": "loud"} {
		code, out := run(line, nil)
		require.Equal(t, 2, code)
		require.Contains(t, out, want)
	}
}

// TestTerminalUnder: a terminal is one also for what is written to it by a log, as the programs do.
func TestTerminalUnder(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Log("there are no terminals here")
		return
	}
	require.NoError(t, err)
	defer tty.Close()
	log := logpipe.New(tty, logpipe.Text)
	defer log.Close(time.Second)
	require.True(t, IsTerminal(tty))
	require.True(t, IsTerminal(&logTo{Writer: log}))
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	require.False(t, IsTerminal(&logTo{Writer: null}))
	require.False(t, IsTerminal(&bytes.Buffer{}))
}
