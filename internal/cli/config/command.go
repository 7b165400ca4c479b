package config

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/internal/cli"
)

// Command is the command config: it checks the file, and shows the settings that commands have by file and environment.
// program makes the program's root command, whose flags it sets to try values.
func Command(program func() *cobra.Command) *cobra.Command {
	fresh := func() *cobra.Command {
		root := program()
		cli.LogFlags(root) // as Run does
		return root
	}
	c := cli.Parent(&cobra.Command{
		Use:   "config",
		Short: "Check the configuration file, and show the settings of commands",
		Long: `Every flag of every command can also be in a configuration file (--config FILE, or ` + envFile + `
in the environment), or in the environment. The command line overrides the environment,
and the environment overrides the file.

The file is YAML. It has a section for each command, which has a value for each flag,
and a list where a flag can be repeated:

  switch:
    pin: /sys/fs/bpf/p4ce
    port: [1=eth1, 2=eth2]
  kv:
    id: 1
    data: /var/lib/p4ce/kv

In the environment, this id is ` + prefix + `KV_ID. White space separates the items of a list.`,
	}, check(fresh), show(fresh))
	return c
}

func check(fresh func() *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check every setting of a configuration file",
		Long: `Check every setting of a configuration file: that the command and its flag exist, and
that the flag takes the value. Files and addresses in values are not looked at, except
for those of secrets.`,
		Example: "  p4ce config check /etc/p4ce/p4ce.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := fresh()
			file, err := fileName(cmd.Root())
			if err != nil {
				return cli.Usage(err)
			}
			if len(args) > 0 {
				file = args[0]
			}
			if file == "" {
				return cli.Usagef("which file? Name it, with --config, or in %s", envFile)
			}
			top, err := read(file)
			if err != nil {
				return err
			}
			all, err := resolve(root, top)
			if err != nil {
				return err
			}
			var names []string
			n := 0
			for c, list := range all.byCommand {
				for _, s := range list {
					if err := s.set(flagsOf(c)); err != nil {
						return err
					}
				}
				n += len(list)
				names = append(names, c.CommandPath())
			}
			slices.Sort(names)
			out := cmd.OutOrStdout()
			if n == 0 {
				fmt.Fprintf(out, "%s: no settings\n", file)
			} else {
				fmt.Fprintf(out, "%s: %d settings, of %s\n", file, n, strings.Join(names, ", "))
			}
			for _, name := range all.elsewhere {
				fmt.Fprintf(out, "%s: %s is not checked: it is a command of another program\n", file, name)
			}
			return nil
		},
	}
}

// shown is a setting as it is printed.
type shown struct {
	Command string `json:"command"`
	Setting string `json:"setting"`
	Value   any    `json:"value"` // a string, or a list of them
	From    string `json:"from"`  // FILE:LINE, the name of a variable of the environment, or "default"
}

func show(fresh func() *cobra.Command) *cobra.Command {
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "show [COMMAND...]",
		Short: "Show the settings that commands have by the file and the environment",
		Long: `Show the settings that a command has by the file and the environment, and where each is
from. Without a command, show those of all commands. What is printed can be used as a
file. Secrets are not read: their place is shown.`,
		Example: "  p4ce config show kv --config /etc/p4ce/p4ce.yaml\n  p4ce config show paxos host --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := fresh()
			file, err := fileName(cmd.Root())
			if err != nil {
				return cli.Usage(err)
			}
			one := root
			for _, name := range args {
				if one = child(one, name); one == nil || one.DisableFlagParsing {
					return cli.Usagef("%s: no such command, or one of another program", strings.Join(args, " "))
				}
			}
			var list []shown
			for _, c := range commands(one) {
				found, err := settings(root, c, file)
				if err != nil {
					return err
				}
				byName := map[string]setting{}
				for _, s := range found {
					byName[s.flag.Name] = s
				}
				for _, f := range sorted(own(c)) {
					s, ok := byName[f.Name]
					switch {
					case ok:
						if err := s.set(flagsOf(c)); err != nil {
							return err
						}
						list = append(list, shown{strings.Join(path(c), " "), f.Name, s.value(), s.from})
					case all && !f.Hidden:
						list = append(list, shown{strings.Join(path(c), " "), f.Name, defaultOf(f), "default"})
					}
				}
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), append([]shown{}, list...))
			}
			if len(list) == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "# no settings [--all: with defaults]\n")
				return nil
			}
			return print(cmd.OutOrStdout(), list)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also show the defaults of settings that are neither in the file nor in the environment")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// flagsOf are the flags of a command, or those of all if it is the program's.
func flagsOf(c *cobra.Command) *pflag.FlagSet {
	if !c.HasParent() {
		return c.PersistentFlags()
	}
	return c.Flags()
}

// commands are a command and those below it.
func commands(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		list = append(list, commands(sub)...)
	}
	return list
}

func sorted(flags map[string]*pflag.Flag) []*pflag.Flag {
	list := make([]*pflag.Flag, 0, len(flags))
	for _, f := range flags {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// value is what the setting was set to.
func (s *setting) value() any {
	if repeats(s.flag) {
		return s.values
	}
	return s.values[0]
}

func defaultOf(f *pflag.Flag) any {
	if v, ok := f.Value.(pflag.SliceValue); ok {
		return append([]string{}, v.GetSlice()...)
	}
	return f.DefValue
}

// print prints settings as a file, with where each is from.
func print(w io.Writer, list []shown) error {
	top := &yaml.Node{Kind: yaml.MappingNode}
	for _, s := range list {
		at := top
		for _, name := range strings.Fields(s.Command) {
			at = below(at, name)
		}
		key, value := &yaml.Node{}, &yaml.Node{}
		key.SetString(s.Setting)
		if err := value.Encode(s.Value); err != nil {
			return err
		}
		plain(value)
		comment := value
		if items, ok := s.Value.([]string); ok && len(strings.Join(items, ", ")) <= 40 {
			value.Style = yaml.FlowStyle
		} else if ok {
			comment = key
		}
		comment.LineComment = "# " + s.From
		at.Content = append(at.Content, key, value)
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(top); err != nil {
		return err
	}
	return e.Close()
}

// plain takes away quotes that only tell a string from a number: what a value is, the flag knows.
func plain(n *yaml.Node) {
	for _, c := range n.Content {
		plain(c)
	}
	if n.Kind == yaml.ScalarNode && n.Value != "" && (n.Value == "0" || n.Value[0] != '0') {
		var again yaml.Node
		if yaml.Unmarshal([]byte(n.Value), &again) == nil && len(again.Content) == 1 && again.Content[0].Kind == yaml.ScalarNode && again.Content[0].Value == n.Value && !isNull(again.Content[0]) {
			n.Style, n.Tag = 0, again.Content[0].Tag
		}
	}
}

// below is the section of that name in a section.
func below(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.MappingNode {
			return n.Content[i+1]
		}
	}
	key, value := &yaml.Node{}, &yaml.Node{Kind: yaml.MappingNode}
	key.SetString(name)
	n.Content = append(n.Content, key, value)
	return value
}
