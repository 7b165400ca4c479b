package p4xc

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/p4/gonames"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/p4info"
)

type buildFlags struct {
	sourceFlags
	out       string
	infoDir   string
	goDir     string
	only      []string
	print     bool // where everything lies
	separate  bool // maps
	infoNames p4info.Options
}

// An artifact is a file that build makes from a program.
type artifact struct {
	name string // for --only
	dir  string
	file string
	make func() ([]byte, error)
}

func buildCommand() *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "build PROGRAM.p4 -o DIR",
		Short: "Compile a program: C, eBPF object, p4info and Go names",
		Long: `Compile a program and write
  NAME.p4info.txtpb   what P4Runtime clients need to know about it
  NAME.bpf.c          the program as C, to be read
  NAME.tables.h       its tables, registers, counters and digests, which the C includes
  NAME.bpf.o          the C compiled by the pinned clang
  NAME.pipeline.json  the object's maps: what keys, values and action numbers mean
With --go DIR it also writes DIR/names.go: the program's names, ids, sizes, constants
and enums as Go constants, in a package that is named like the folder.
With --only bundle it writes NAME.p4ce.json, the device configuration that a
P4Runtime client pushes.

With --layout it prints where everything lies that a packet may look at: of each
register, counter and table the key that indexes it, its record or map, and its place
there (bytes, and cache lines of 64 bytes). What one key indexes lies in one record.
With --separate-maps, each table and each counter has a map of its own, to compare with.`,
		Args: exactly(1, "the program"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.out == "" && !f.print {
				return cli.Usagef("-o is missing: the directory to write to")
			}
			prog, _, err := f.compile(args[0], c.ErrOrStderr())
			if err != nil {
				return err
			}
			if f.print || f.wants("c") || f.wants("object") || f.wants("pipeline") || f.wants("bundle") {
				if _, err := f.layout().Generate(prog); err != nil {
					o, _ := f.options(args[0])
					return f.report(args[0], o, err, c.ErrOrStderr())
				}
			}
			prog, err = f.compileRelative(args[0])
			if err != nil {
				return err
			}
			if f.out != "" {
				err = f.write(prog, c)
			}
			if err != nil || !f.print {
				return err
			}
			d, err := f.layout().Describe(prog)
			if err != nil {
				return err
			}
			return d.Print(c.OutOrStdout())
		},
	}
	f.add(c)
	c.Flags().StringVarP(&f.out, "out", "o", "", "directory to write to (made when missing)")
	c.Flags().StringVar(&f.infoDir, "p4info", "", "another directory for the p4info")
	c.Flags().StringVar(&f.goDir, "go", "", "folder of a Go package to write names.go to: the program's names and numbers")
	c.Flags().BoolVar(&f.print, "layout", false, "print where everything lies that a packet may look at; then -o may be missing")
	c.Flags().BoolVar(&f.separate, "separate-maps", false, "a map for each table and counter, instead of one record for what one key indexes")
	c.Flags().StringSliceVar(&f.only, "only", nil, "what to make, of p4info, c, object, pipeline, bundle, go (default: all but the bundle, and go with --go)")
	c.Flags().BoolVar(&f.infoNames.StandardNames, "standard-names", false, "p4info: leave the pipeline's name out, like the public compiler for P4Runtime clients")
	c.Flags().BoolVar(&f.infoNames.PublicIDs, "public-ids", false, "p4info: ignore @id on counters, registers and digests, like the public compiler")
	return c
}

func (f *buildFlags) layout() gen.Layout {
	if f.separate {
		return gen.Separate
	}
	return gen.Records
}

// artifacts lists all that can be made of a program.
func (f *buildFlags) artifacts(prog *ir.Program) []artifact {
	infoDir := f.infoDir
	if infoDir == "" {
		infoDir = f.out
	}
	source := func(file string) func() ([]byte, error) {
		return func() ([]byte, error) {
			src, err := f.layout().Generate(prog)
			return src[file], err
		}
	}
	object := func() ([]byte, error) {
		src, err := f.layout().Generate(prog)
		if err != nil {
			return nil, err
		}
		return build.Object(gen.CFile(prog.Name), src, bpf.Headers)
	}
	return []artifact{
		{"p4info", infoDir, prog.Name + ".p4info.txtpb", func() ([]byte, error) {
			info, err := p4info.Build(prog, f.infoNames)
			if err != nil {
				return nil, err
			}
			return p4info.Text(info)
		}},
		{"c", f.out, gen.CFile(prog.Name), source(gen.CFile(prog.Name))},
		{"c", f.out, gen.TablesFile(prog.Name), source(gen.TablesFile(prog.Name))},
		{"object", f.out, prog.Name + ".bpf.o", object},
		{"pipeline", f.out, prog.Name + ".pipeline.json", func() ([]byte, error) {
			d, err := f.layout().Describe(prog)
			if err != nil {
				return nil, err
			}
			text, err := json.MarshalIndent(d, "", "  ")
			return append(text, '\n'), err
		}},
		{"go", f.goDir, "names.go", func() ([]byte, error) {
			if f.goDir == "" {
				return nil, cli.Usagef("--go is missing: the folder of the Go package")
			}
			dir, err := filepath.Abs(f.goDir)
			if err != nil {
				return nil, err
			}
			return gonames.Generate(prog, gonames.Package(filepath.Base(dir)), f.infoNames)
		}},
		{"bundle", f.out, prog.Name + ".p4ce.json", func() ([]byte, error) {
			o, err := object()
			if err != nil {
				return nil, err
			}
			return bundle.Bundle{Program: prog.Name, Source: prog.Source, Object: o}.Marshal()
		}},
	}
}

// wants reports whether an artifact is to be made.
func (f *buildFlags) wants(name string) bool {
	if len(f.only) == 0 {
		return name != "bundle" && (name != "go" || f.goDir != "")
	}
	return slices.Contains(f.only, name)
}

func (f *buildFlags) write(prog *ir.Program, c *cobra.Command) error {
	list := f.artifacts(prog)
	for _, n := range f.only {
		known := false
		for _, a := range list {
			known = known || a.name == n
		}
		if !known {
			return cli.Usagef("--only %s: what can be made is p4info, c, object, pipeline, bundle, go", n)
		}
	}
	for _, a := range list {
		if !f.wants(a.name) {
			continue
		}
		data, err := a.make()
		if err != nil {
			return fmt.Errorf("%s: %w", a.file, err)
		}
		if err := os.MkdirAll(a.dir, 0o755); err != nil {
			return fmt.Errorf("output directory: %w", err)
		}
		path := filepath.Join(a.dir, a.file)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		fmt.Fprintf(c.OutOrStdout(), "%s\n", path)
	}
	return nil
}
