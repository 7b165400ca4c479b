package cli

import (
	"context"
	"encoding/json"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/p4/entries"
)

// Dump is the command dump.
func Dump() *cobra.Command {
	var f switchFlags
	var all, asJSON, watch bool
	var every time.Duration
	c := &cobra.Command{
		Use:   "dump [table|profile|group|register|counter|meter|digest [NAME]]",
		Short: "Show what a running switch holds: tables, action profiles, groups, registers, counters, meters",
		Long: `Show what a running switch holds, by P4Runtime: that of p4xc run or p4ce switch on this machine, or at
--p4runtime. The text is that of the files of p4xc run --entries, and p4xc write --file takes it. Entries
that only the program can change are comments.

Elements of registers that are 0, cells of counters that have counted nothing, and meters that limit
nothing are left out, unless --all is given.`,
		Example: `  p4xc dump
  p4xc dump table l2
  p4xc dump counter drops --watch
  p4xc dump --p4runtime 192.0.2.9:9559 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := entries.ParseWhat(args)
			if err != nil {
				return cli.Usage(err)
			}
			what.All, what.Variable = all, watch
			if err := cli.CheckEvery(every); err != nil {
				return err
			}
			if watch && asJSON {
				return cli.Usagef("--watch and --json: one of them")
			}
			client, names, err := f.open(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			read := func(ctx context.Context, list ...*p4.Entity) ([]*p4.Entity, error) {
				ctx, cancel := context.WithTimeout(ctx, f.timeout)
				defer cancel()
				out, err := client.Read(ctx, list...)
				if err != nil {
					return nil, f.explain(err)
				}
				return out, nil
			}
			w := cmd.OutOrStdout()
			if watch {
				return cli.Live(cmd.Context(), w, every, names.Watch(read, what))
			}
			list, err := names.Read(cmd.Context(), read, what)
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(w)
				e.SetIndent("", "  ")
				return e.Encode(entries.NewDocument(list))
			}
			_, err = w.Write(entries.Text(list))
			return err
		},
	}
	c.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return entries.Subjects(), cobra.ShellCompDirectiveNoFileComp
		}
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		client, names, err := f.open(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer client.Close()
		return names.Names(args[0]), cobra.ShellCompDirectiveNoFileComp
	}
	f.add(c)
	c.Flags().BoolVar(&all, "all", false, "show also what is 0")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&watch, "watch", false, "show it again and again, with how fast counters grow and without const entries, until Ctrl-C")
	c.Flags().DurationVar(&every, "every", time.Second, "with --watch: time between two looks")
	return c
}
