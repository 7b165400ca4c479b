package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/p4/entries"
)

// Write is the command write.
func Write() *cobra.Command {
	var f switchFlags
	var file, election string
	var remove bool
	c := &cobra.Command{
		Use:   "write [STATEMENT...]",
		Short: "Change what a running switch holds: entries, groups, action profiles, registers, counters, meters",
		Long: `Change what a running switch holds, by P4Runtime: that of p4xc run or p4ce switch on this machine, or at
--p4runtime. A statement is a line of the files of p4xc run --entries (docs/run.md), and what p4xc dump prints.
An entry that is there is replaced, another one is added. "delete" in front of one removes it.

The whole command line and file are read before anything is written. While a controller has the switch,
nobody with a lower election id may write.`,
		Example: `  p4xc write 'l2 dst=02:00:00:00:00:02 -> forward(port=2)'
  p4xc write 'delete l2 dst=02:00:00:00:00:02' 'multicast 1 -> 1, 2'
  p4xc dump >saved && p4xc write --file saved`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if f.o.ElectionHigh, f.o.ElectionLow, err = parseElection(election); err != nil {
				return cli.Usagef("--election-id %s: %w", election, err)
			}
			text, err := statements(cmd, file, args)
			if err != nil {
				return err
			}
			if remove {
				text = deleting(text)
			}
			list, err := entries.Parse(from(file), text)
			if err != nil {
				return told(cmd, err)
			}
			client, names, err := f.open(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			changes, err := names.Changes(from(file), list)
			if err != nil {
				return told(cmd, err)
			}
			end, err := f.primary(cmd.Context(), client)
			if err != nil {
				return err
			}
			defer end()
			ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
			defer cancel()
			replaced, err := apply(ctx, client, from(file), changes)
			var place *entries.Error
			if err != nil && !errors.As(err, &place) {
				return f.explain(err)
			}
			if err != nil {
				return told(cmd, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "written: %d (replaced: %d)\n", len(changes), replaced)
			return err
		},
	}
	f.add(c)
	c.Flags().StringVar(&file, "file", "", "file with statements, one per line; -: standard input")
	c.Flags().BoolVar(&remove, "delete", false, "delete what the statements name")
	c.Flags().StringVar(&election, "election-id", "1", "P4Runtime election id, LOW or HIGH:LOW; of several controllers, the one with the highest id writes")
	return c
}

// from is the name of the source of statements, for errors.
func from(file string) string {
	switch file {
	case "":
		return "statement"
	case "-":
		return "standard input"
	}
	return file
}

// statements is the text of what to write.
func statements(cmd *cobra.Command, file string, args []string) ([]byte, error) {
	switch {
	case file == "" && len(args) == 0:
		return nil, cli.Usagef("what is to be written? Statements, or --file")
	case file != "" && len(args) > 0:
		return nil, cli.Usagef("statements, or --file, not both")
	case file == "":
		for _, a := range args {
			if strings.Contains(a, "\n") {
				return nil, cli.Usagef("a statement is one line: %q", a)
			}
		}
		return []byte(strings.Join(args, "\n")), nil
	case file != "-":
		return cli.Settings(file)
	}
	text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("standard input: more than %d MiB", most>>20)
	}
	return text, err
}

// deleting is the text whose statements delete what those of another text name.
func deleting(text []byte) []byte {
	var b strings.Builder
	for l := range strings.Lines(string(text)) {
		if t := strings.TrimSpace(l); t != "" && t[0] != '#' && !strings.HasPrefix(t, "delete ") {
			b.WriteString("delete ")
		}
		b.WriteString(l)
	}
	return []byte(b.String())
}

// most is how much standard input may say, in bytes.
const most = 64 << 20

// told prints errors about lines, which name their place and need no more, and ends the command.
func told(cmd *cobra.Command, err error) error {
	var place *entries.Error
	if !errors.As(err, &place) {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), err)
	return cli.ErrFailed
}

// shown is how many errors of a switch are told.
const shown = 10

// apply writes changes. What is there is replaced.
func apply(ctx context.Context, c *p4rtclient.Client, file string, changes []entries.Change) (replaced int, err error) {
	var errs []error
	for _, batch := range entries.Batches(changes) {
		n, failed, err := applyBatch(ctx, c, file, batch)
		if err != nil {
			return 0, err
		}
		replaced += n
		errs = append(errs, failed...)
	}
	return replaced, errors.Join(errs[:min(len(errs), shown)]...)
}

// applyBatch writes changes of which none needs another. failed says what the switch refuses.
func applyBatch(ctx context.Context, c *p4rtclient.Client, file string, changes []entries.Change) (replaced int, failed []error, err error) {
	var updates []*p4.Update
	for _, x := range changes {
		updates = append(updates, x.Update)
	}
	err = c.Write(ctx, updates...)
	var we *p4rtclient.WriteError
	if !errors.As(err, &we) {
		return 0, nil, err
	}
	fail := func(x entries.Change, message string) {
		failed = append(failed, &entries.Error{File: file, Line: x.Statement.Line, Err: errors.New(message)})
	}
	var again []*p4.Update
	var of []entries.Change
	for _, u := range we.Failed {
		if x := changes[u.Index]; u.Code == codes.AlreadyExists && u.Update.GetType() == p4.Update_INSERT {
			again, of = append(again, &p4.Update{Type: p4.Update_MODIFY, Entity: u.Update.GetEntity()}), append(of, x)
		} else {
			fail(x, u.Message)
		}
	}
	err = c.Write(ctx, again...)
	if errors.As(err, &we) {
		for _, u := range we.Failed {
			fail(of[u.Index], u.Message)
		}
	} else if err != nil {
		return 0, nil, err
	}
	return len(again), failed, nil
}
