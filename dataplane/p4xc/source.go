package p4xc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/chip"
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// sourceFlags are the flags that say how to read a program.
type sourceFlags struct {
	include []string
	define  []string
}

func (f *sourceFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVarP(&f.include, "include", "I", nil, "directory to look for #include files in (may be repeated)")
	c.Flags().StringArrayVarP(&f.define, "define", "D", nil, "macro to define, NAME or NAME=TEXT (may be repeated)")
}

func (f *sourceFlags) options(path string) (lang.Options, error) {
	o := lang.Options{Path: path, IncludeDirs: f.include, Defines: map[string]string{}}
	for _, d := range f.define {
		name, text, ok := strings.Cut(d, "=")
		if !ok {
			text = "1"
		}
		if !isName(name) {
			return o, cli.Usagef("-D %s: %q is not a name", d, name)
		}
		o.Defines[name] = text
	}
	return o, nil
}

func isName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// compile compiles a program and prints what there is to say about it.
func (f *sourceFlags) compile(path string, stderr io.Writer) (*ir.Program, int, error) {
	o, err := f.options(path)
	if err != nil {
		return nil, 0, err
	}
	prog, diags := lang.Compile(o)
	if err := diags.Write(stderr); err != nil {
		return nil, 0, err
	}
	if prog == nil {
		n := diags.Len() + diags.Dropped
		fmt.Fprintf(stderr, "%s: %d %s\n", path, n, plural(n, "error"))
		return nil, 0, cli.ErrFailed
	}
	return prog, len(diags.Items), nil
}

// report prints what a back end cannot do, as the compiler prints its own errors.
func (f *sourceFlags) report(path string, o lang.Options, err error, stderr io.Writer) error {
	var cannot ir.Errors
	if !errors.As(err, &cannot) {
		return err
	}
	if err := printErrors(o, cannot, stderr); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s: %d %s\n", path, len(cannot), plural(len(cannot), "error"))
	return cli.ErrFailed
}

func printErrors(o lang.Options, list ir.Errors, stderr io.Writer) error {
	var diags diag.List
	for _, e := range list {
		diags.Errorf(o.Place(e.Pos), diag.Code(e.Code), "%s", e.Text)
	}
	return diags.Write(stderr)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// compileRelative compiles a program that is known to be right once more, with
// names of files relative to its own directory: what is generated then does
// not depend on where the compiler was started.
func (f *sourceFlags) compileRelative(path string) (*ir.Program, error) {
	o, err := f.options(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	o.FS = dirFS(dir)
	for i, d := range o.IncludeDirs {
		if o.IncludeDirs[i], err = filepath.Abs(d); err != nil {
			return nil, err
		}
	}
	prog, diags := lang.Compile(o)
	if prog == nil {
		return nil, fmt.Errorf("%s: it compiles, but not from its own directory: %w", path, diags.Err())
	}
	return prog, nil
}

// dirFS is the operating system's files as seen from a directory. Unlike
// os.DirFS it lets a program include from elsewhere.
type dirFS string

func (d dirFS) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

func (d dirFS) Open(name string) (fs.File, error)    { return os.Open(d.path(name)) }
func (d dirFS) ReadFile(name string) ([]byte, error) { return files.Read(d.path(name), files.Settings) }

// Checks lists the targets, in the order in which check reports them.
func Checks() []TargetCheck {
	return []TargetCheck{
		{"xdp", func(p *ir.Program) error { _, err := gen.Generate(p); return err }},
		{"interp", interp.Check},
		{"tofino", chip.Check},
	}
}

// TargetCheck is a target's check of a program.
type TargetCheck struct {
	Target string
	// Check says what the target cannot do in a program, as ir.Errors; nil: it takes it.
	Check func(*ir.Program) error
}

func checkCommand() *cobra.Command {
	var src sourceFlags
	var targets []string
	c := &cobra.Command{
		Use:   "check PROGRAM.p4",
		Short: "Report the errors and warnings of a program, and what each target cannot do in it",
		Long: `Report the errors and warnings of a program, and what each target cannot do in it, with place and
reason: xdp (P4601), interp (P4602), and tofino (P4603). Of a Tofino that is what is known without its
compiler, which alone can say whether a program fits (make tofino). With --target, only the
targets that are named count. The exit status is 1 if one of them cannot take the program.`,
		Args: exactly(1, "the program"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, t := range targets {
				if !slices.ContainsFunc(Checks(), func(x TargetCheck) bool { return x.Target == t }) {
					return cli.Usagef("--target %s: xdp, interp or tofino", t)
				}
			}
			prog, warnings, err := src.compile(args[0], c.ErrOrStderr())
			if err != nil {
				return err
			}
			o, err := src.options(args[0])
			if err != nil {
				return err
			}
			var not []string
			for _, x := range Checks() {
				if !slices.Contains(targets, x.Target) {
					continue
				}
				var cannot ir.Errors
				switch err := x.Check(prog); {
				case err == nil:
				case errors.As(err, &cannot):
					if err := printErrors(o, cannot, c.ErrOrStderr()); err != nil {
						return err
					}
					not = append(not, fmt.Sprintf("%s (%d %s)", x.Target, len(cannot), plural(len(cannot), "error")))
				default:
					return err
				}
			}
			if len(not) > 0 {
				fmt.Fprintf(c.ErrOrStderr(), "%s: not for %s\n", args[0], strings.Join(not, ", "))
				return cli.ErrFailed
			}
			note := ""
			if warnings > 0 {
				note = fmt.Sprintf(" (%d %s)", warnings, plural(warnings, "warning"))
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: ok%s\n", args[0], note)
			return nil
		},
	}
	src.add(c)
	c.Flags().StringSliceVar(&targets, "target", []string{"xdp", "interp", "tofino"}, "targets that must take the program")
	return c
}

func irCommand() *cobra.Command {
	var src sourceFlags
	c := &cobra.Command{
		Use:   "ir PROGRAM.p4",
		Short: "Print the intermediate form of a program",
		Args:  exactly(1, "the program"),
		RunE: func(c *cobra.Command, args []string) error {
			prog, _, err := src.compile(args[0], c.ErrOrStderr())
			if err != nil {
				return err
			}
			return ir.Fprint(c.OutOrStdout(), prog)
		},
	}
	src.add(c)
	return c
}

func bundleCommand() *cobra.Command {
	var src sourceFlags
	c := &cobra.Command{
		Use:   "bundle PROGRAM.p4",
		Short: "Print a program as one file that needs no include files",
		Args:  exactly(1, "the program"),
		RunE: func(c *cobra.Command, args []string) error {
			prog, _, err := src.compile(args[0], c.ErrOrStderr())
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), prog.Source)
			return err
		},
	}
	src.add(c)
	return c
}
