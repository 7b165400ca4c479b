package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/internal/cli"
)

const (
	prefix  = "P4CE_"
	envFile = prefix + "CONFIG"
	flag    = "config"
	partOf  = "config: part of"
)

// Enable gives all commands of a program settings from the file and from the environment: what the command line of a
// command does not say is set before the command runs.
//
// What was taken from the environment leaves it, so that it is not taken a second time by a program that
// the command starts.
//
// A part is a program that has some commands only, of those that can be in the file: it does not look at
// the sections of others.
func Enable(root *cobra.Command, part bool) {
	if part {
		root.Annotations = map[string]string{partOf: "p4ce"}
	}
	f := root.PersistentFlags()
	f.String(flag, "", "configuration file, YAML (default: the value of "+envFile+", or none)")
	run := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.DisableFlagParsing && !inert(cmd) {
			if err := apply(root, cmd); err != nil {
				return cli.Usage(err)
			}
		}
		if run != nil {
			return run(cmd, args)
		}
		return nil
	}
}

// inert are the commands without settings: those about settings, and those of the command line itself.
func inert(cmd *cobra.Command) bool {
	for c := cmd; c.HasParent(); c = c.Parent() {
		switch c.Name() {
		case "config", "help", "completion", "man", "__complete", "__completeNoDesc":
			return true
		}
	}
	return !cmd.HasParent()
}

// setting is a value for a flag, and where it is from.
type setting struct {
	flag   *pflag.Flag
	name   string // as in the file: kv.id
	from   string // file:line, or the name of the variable
	values []string
	isList bool
}

// apply sets the flags of a command that its command line does not have.
func apply(root, cmd *cobra.Command) error {
	file, err := fileName(root)
	if err != nil {
		return err
	}
	list, err := settings(root, cmd, file)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.flag.Changed {
			continue
		}
		if err := s.set(cmd.Flags()); err != nil {
			return err
		}
	}
	if file != "" { // for those who look for the flag
		_ = root.PersistentFlags().Lookup(flag).Value.Set(file)
	}
	os.Unsetenv(envFile)
	for name := range names(root) {
		os.Unsetenv(name)
	}
	return nil
}

// fileName is the file to read, if any.
func fileName(root *cobra.Command) (string, error) {
	f := root.PersistentFlags().Lookup(flag)
	if !f.Changed {
		return os.Getenv(envFile), nil
	}
	if f.Value.String() == "" {
		return "", fmt.Errorf("--%s: the name of the file is empty", flag)
	}
	return f.Value.String(), nil
}

// settings are those of the environment and of the file for a command, at most one for each flag.
func settings(root, cmd *cobra.Command, file string) ([]setting, error) {
	byFlag := map[*pflag.Flag]setting{}
	if file != "" {
		top, err := read(file)
		if err != nil {
			return nil, err
		}
		all, err := resolve(root, top)
		if err != nil {
			return nil, err
		}
		for _, s := range append(all.byCommand[root], all.byCommand[cmd]...) {
			byFlag[s.flag] = s
		}
	}
	env, err := environment(root, cmd)
	if err != nil {
		return nil, err
	}
	for _, s := range env {
		byFlag[s.flag] = s
	}
	list := make([]setting, 0, len(byFlag))
	for _, s := range byFlag {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b setting) int { return cmp.Compare(a.flag.Name, b.flag.Name) })
	return list, nil
}

// set sets the flag.
func (s *setting) set(f *pflag.FlagSet) error {
	if s.isList && !repeats(s.flag) {
		return fmt.Errorf("%s: %s: want one value, not a list", s.from, s.name)
	}
	if s.isList && len(s.values) == 0 {
		return fmt.Errorf("%s: %s: the list is empty", s.from, s.name)
	}
	for _, v := range s.values {
		if err := f.Set(s.flag.Name, v); err != nil {
			return fmt.Errorf("%s: %s: %s", s.from, s.name, why(err))
		}
	}
	return nil
}

// why is what is wrong with a value, without the flag and without the words of package strconv.
func why(err error) string {
	var num *strconv.NumError
	if errors.As(err, &num) {
		if errors.Is(num, strconv.ErrRange) {
			return fmt.Sprintf("%q is out of range", num.Num)
		}
		if num.Func == "ParseBool" {
			return fmt.Sprintf("%q is not true or false", num.Num)
		}
		return fmt.Sprintf("%q is not a valid number", num.Num)
	}
	if _, text, ok := strings.Cut(err.Error(), " flag: "); ok {
		return text
	}
	return err.Error()
}

// repeats reports whether a flag can stand on the command line more than once.
func repeats(f *pflag.Flag) bool {
	t := f.Value.Type()
	return strings.HasSuffix(t, "Array") || strings.HasSuffix(t, "Slice")
}

// path are the names of a command below the root's.
func path(cmd *cobra.Command) []string {
	if !cmd.HasParent() {
		return nil
	}
	return append(path(cmd.Parent()), cmd.Name())
}

// own are the flags of a command that can be set.
func own(cmd *cobra.Command) map[string]*pflag.Flag {
	m := map[string]*pflag.Flag{}
	flags := cmd.LocalFlags()
	switch {
	case !cmd.HasParent():
		flags = cmd.PersistentFlags() // those of all commands
	case cmd.DisableFlagParsing || inert(cmd):
		return m
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" && f.Name != flag {
			m[f.Name] = f
		}
	})
	return m
}

// variable is the name of a flag of a command in the environment.
func variable(cmd *cobra.Command, name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(strings.Join(append(path(cmd), name), "_"), "-", "_"))
}

// target is a flag of a command.
type target struct {
	cmd  *cobra.Command
	flag *pflag.Flag
}

// names are the names of all settings in the environment.
func names(root *cobra.Command) map[string]target {
	all := map[string]target{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for name, f := range own(c) {
			all[variable(c, name)] = target{c, f}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return all
}

// environment are the settings that the environment has for a command.
func environment(root, cmd *cobra.Command) ([]setting, error) {
	all := names(root)
	begin := variable(cmd, "") // of the program's commands, other things begin like it
	var list []setting
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		t, ok := all[name]
		switch {
		case !ok && cmd != root && strings.HasPrefix(name, begin):
			return nil, fmt.Errorf("%s in the environment: %s has no such setting", name, cmd.CommandPath())
		case !ok || t.cmd != cmd && t.cmd != root:
			continue
		}
		s := setting{flag: t.flag, name: join(strings.Join(path(t.cmd), "."), t.flag.Name), from: name, values: []string{value}}
		if repeats(t.flag) {
			s.values, s.isList = strings.Fields(value), true
		}
		list = append(list, s)
	}
	return list, nil
}

// resolved are the settings of a file by command.
type resolved struct {
	byCommand map[*cobra.Command][]setting
	elsewhere []string // sections of commands of other programs
}

// resolve finds the flags of all keys.
func resolve(root *cobra.Command, top *section) (*resolved, error) {
	r := &resolved{byCommand: map[*cobra.Command][]setting{}}
	return r, r.section(root, root, top)
}

func (r *resolved) section(root, cmd *cobra.Command, s *section) error {
	flags := own(cmd)
	var below []entry
	for _, e := range s.entries {
		name := join(s.name, e.key)
		sub := child(cmd, e.key)
		switch {
		case sub == nil && cmd == root && root.Annotations[partOf] != "", sub != nil && sub.DisableFlagParsing:
			r.elsewhere = append(r.elsewhere, name)
		case sub != nil && flags[e.key] == nil:
			next, err := sectionOf(s.file, name, e.node)
			if err != nil {
				return err
			}
			if err := r.section(root, sub, next); err != nil {
				return err
			}
		case flags[e.key] != nil:
			if err := r.add(cmd, flags[e.key], name, &e); err != nil {
				return err
			}
		default:
			below = append(below, e)
		}
	}
	for _, e := range below {
		name := join(s.name, e.key)
		found := false
		if cmd != root {
			var err error
			if found, err = r.inherit(cmd, name, &e); err != nil {
				return err
			}
		}
		switch {
		case found:
		case cmd == root:
			return fmt.Errorf("%s: %s has no command %s", e.at, root.Name(), name)
		default:
			return fmt.Errorf("%s: %s: %s has no such setting", e.at, name, cmd.CommandPath())
		}
	}
	return nil
}

// inherit gives a setting to all commands below one that have the flag, and do not have a value.
func (r *resolved) inherit(cmd *cobra.Command, name string, e *entry) (found bool, err error) {
	for _, sub := range cmd.Commands() {
		if f := own(sub)[e.key]; f != nil {
			found = true
			if !slices.ContainsFunc(r.byCommand[sub], func(s setting) bool { return s.flag == f }) {
				if err := r.add(sub, f, name, e); err != nil {
					return found, err
				}
			}
			continue // it is this command's, not that of those below it
		}
		deeper, err := r.inherit(sub, name, e)
		if err != nil {
			return found, err
		}
		found = found || deeper
	}
	return found, nil
}

func (r *resolved) add(cmd *cobra.Command, f *pflag.Flag, name string, e *entry) error {
	values, isList, err := e.values(name)
	if err != nil {
		return err
	}
	r.byCommand[cmd] = append(r.byCommand[cmd], setting{flag: f, name: name, from: e.at, values: values, isList: isList})
	return nil
}

// child is the command of that name below one.
func child(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name && !inert(c) {
			return c
		}
	}
	return nil
}
