package p4xc

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

func stfCommand() *cobra.Command {
	var src sourceFlags
	var target string
	var cpu uint16
	c := &cobra.Command{
		Use:   "stf PROGRAM.p4 FILE.stf…",
		Short: "Run STF packet tests",
		Long: `Run STF packet tests on a program. Every file starts with empty tables, and all
packets arrive at the same moment, one second. The XDP target runs the real
eBPF programs, replication and egress included, by test-run: it needs root,
but no interface.`,
		Args: atLeast(2, "the program or a test"),
		RunE: func(c *cobra.Command, args []string) error {
			if target != "interp" && target != "xdp" {
				return cli.Usagef("--target %q: xdp or interp", target)
			}
			var scripts []*stf.Script
			for _, f := range args[1:] {
				text, err := files.Read(f, files.Settings)
				if err != nil {
					return fmt.Errorf("test: %w", err)
				}
				s, err := stf.Parse(f, text)
				if err != nil {
					return err
				}
				scripts = append(scripts, s)
			}
			prog, _, err := src.compile(args[0], c.ErrOrStderr())
			if err != nil {
				return err
			}
			o, err := src.options(args[0])
			if err != nil {
				return err
			}
			err = runScripts(scripts, prog, target, dataplane.Port(cpu), c.OutOrStdout(), c.ErrOrStderr())
			return src.report(args[0], o, err, c.ErrOrStderr())
		},
	}
	src.add(c)
	c.Flags().StringVar(&target, "target", "interp", "what to run on: xdp or interp")
	c.Flags().Uint16Var(&cpu, "cpu-port", 64, "the port that leads to the controller")
	return c
}

func runScripts(scripts []*stf.Script, prog *ir.Program, kind string, cpu dataplane.Port, stdout, stderr io.Writer) error {
	pipe := &dataplane.Pipeline{Program: prog}
	if kind == "xdp" {
		o, err := Object(prog, stderr)
		if err != nil {
			return err
		}
		pipe.Object = o
	}
	failed := 0
	for _, s := range scripts {
		res, err := testbed.Run(s, pipe, kind, cpu)
		if err != nil {
			return err
		}
		fmt.Fprint(stdout, res)
		if !res.OK() {
			failed++
		}
	}
	if failed > 0 {
		fmt.Fprintf(stdout, "%d of %d tests failed\n", failed, len(scripts))
		return cli.ErrFailed
	}
	return nil
}

// Object compiles the program's object, or takes the one that is part of
// this binary when the C compiler is missing and the source is the same.
func Object(prog *ir.Program, stderr io.Writer) ([]byte, error) {
	src, err := gen.Generate(prog)
	if err != nil {
		return nil, err
	}
	o, err := build.Object(gen.CFile(prog.Name), src, bpf.Headers)
	if !errors.Is(err, build.ErrNoClang) || !isOwn(prog) {
		return o, err
	}
	if o, oerr := bpf.Object(prog.Name); oerr == nil {
		fmt.Fprintf(stderr, "p4xc: %v: using the object of %s that is part of this binary\n", err, prog.Name)
		return o, nil
	}
	return nil, err
}

// isOwn reports whether a program is one of this binary, and not another one of its name.
func isOwn(prog *ir.Program) bool {
	if !slices.Contains(p4src.Programs(), prog.Name) {
		return false
	}
	text, diags := lang.Preprocess(lang.Options{Path: p4src.Source(prog.Name), FS: p4src.FS})
	return !diags.HasErrors() && unplaced(text) == unplaced(prog.Source)
}

// unplaced is preprocessed text without the names of its files.
func unplaced(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "#line ") {
			b.WriteString(l)
		}
	}
	return b.String()
}
