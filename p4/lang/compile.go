package lang

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/include"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/lower"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// Options say what to compile.
type Options struct {
	// Path is the name of the program, for diagnostics and for #include "…"
	// relative to it. It is read when Source is nil.
	Path string
	// Source is the program's text, nil to read Path.
	Source []byte
	// IncludeDirs are searched for #include, before the built-in files.
	IncludeDirs []string
	// Defines are macros; the value is the replacement text.
	Defines map[string]string
	// FS is where files are read from, nil for the operating system.
	FS fs.FS
}

// Predefined are the macros that every program sees, as with the public
// compiler for Tofino 1. A Define of the same name replaces one.
func Predefined() map[string]string {
	return map[string]string{
		"__TARGET_TOFINO__":  "1",
		"__p4c__":            "1",
		"__p4c_major__":      "1",
		"__p4c_minor__":      "2",
		"__p4c_patchlevel__": "5",
		"__p4xc__":           "1",
	}
}

// read reads a file of the options' file system.
func (o *Options) read(name string) ([]byte, error) {
	if o.FS == nil {
		return os.ReadFile(name)
	}
	return fs.ReadFile(o.FS, path.Clean(name))
}

// parse runs the first two phases.
func parse(o Options, diags *diag.List) (prog *syntax.Program, toks []syntax.Token) {
	text := o.Source
	if text == nil {
		b, err := o.read(o.Path)
		if err != nil {
			diags.Errorf(diag.Pos{}, diag.Include, "%q cannot be read: %v", o.Path, err)
			return nil, nil
		}
		text = b
	}
	defines := Predefined()
	maps.Copy(defines, o.Defines)
	toks = syntax.Preprocess(o.Path, string(text), syntax.Source{
		Read:        o.read,
		IncludeDirs: o.IncludeDirs,
		Builtin:     include.Read,
		Defines:     defines,
	}, diags)
	if diags.Fatal() {
		return nil, nil
	}
	return syntax.Parse(toks, diags), toks
}

// Check runs the phases before the lowering: the syntax tree, and what the type checker has found out. They are nil when
// the list has errors.
func Check(o Options) (*syntax.Program, *types.Info, diag.List) {
	var diags diag.List
	prog, _ := parse(o, &diags)
	if prog == nil {
		diags.Sort()
		return nil, nil, diags
	}
	info := types.Check(prog, &diags)
	diags.Sort()
	if diags.HasErrors() {
		return nil, nil, diags
	}
	return prog, info, diags
}

// Compile compiles a program. It is nil when the list has errors.
func Compile(o Options) (*ir.Program, diag.List) {
	var diags diag.List
	prog, toks := parse(o, &diags)
	if prog == nil {
		diags.Sort()
		return nil, diags
	}
	info := types.Check(prog, &diags)
	if diags.HasErrors() {
		diags.Sort()
		return nil, diags
	}
	out := lower.Lower(programName(o.Path), prog, info, &diags)
	if out != nil {
		out.Source = syntax.Bundle(toks)
	}
	diags.Sort()
	return out, diags
}

// Preprocess returns the program as one text that needs no include files, with
// line markers that keep diagnostics true. It is "" when the list has errors.
func Preprocess(o Options) (string, diag.List) {
	var diags diag.List
	_, toks := parse(o, &diags)
	if diags.HasErrors() {
		return "", diags
	}
	return syntax.Bundle(toks), diags
}

// Place is a place of a compiled program as diagnostics show it, with its line.
func (o *Options) Place(p ir.Pos) diag.Pos {
	if p.Line == 0 {
		return diag.Pos{}
	}
	text := o.Source
	if text == nil || p.File != o.Path {
		var err error
		if text, err = o.read(p.File); err != nil {
			text, _ = include.Read(p.File)
		}
	}
	return diag.Pos{File: diag.NewFile(p.File, string(text)), Line: int32(p.Line), Col: int32(p.Col)}
}

// programName is a file name without directory and .p4.
func programName(p string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(p, "\\", "/")), ".p4")
}
