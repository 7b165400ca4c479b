package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/p4/lang"
)

// builder sees whether mutants compile, without building them: Go files are
// type-checked with their package, P4 files compiled with their program. Only C becomes
// an object, which is what its package embeds.
type builder struct {
	root string
	mu   sync.Mutex
	pkgs map[string]*goPackage // by directory
}

// goPackage is a package as the go command lists it.
type goPackage struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	Error                   *struct{ Err string }

	exports map[string]string // import path -> file
}

// build says what is wrong with a mutant's text. It returns the file that the mutant changes
// for its tests, and what is in it.
func (b *builder) build(m *mutant, text string) (file, content string, err error) {
	switch path.Ext(m.file) {
	case ".go":
		err = b.goFile(m.file, text)
	case ".p4":
		err = b.p4File(m.file, text)
	case ".c":
		var object []byte
		object, err = build.Object(path.Base(m.file), map[string][]byte{path.Base(m.file): []byte(text)}, bpf.Headers)
		return strings.TrimSuffix(m.file, ".c") + ".o", string(object), err
	}
	return m.file, text, err
}

// list asks the go command about a package and all that it imports.
func (b *builder) list(dir string) (*goPackage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pkgs[dir]; p != nil {
		return p, nil
	}
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,Error", "./"+dir)
	cmd.Dir, cmd.Stderr = b.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./%s: %w", dir, err)
	}
	exports := map[string]string{}
	var last *goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := &goPackage{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list ./%s: %w", dir, err)
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%s does not build without a mutant: %s", p.ImportPath, p.Error.Err)
		}
		exports[p.ImportPath] = p.Export
		last = p // the package itself comes behind all that it needs
	}
	if last == nil {
		return nil, fmt.Errorf("./%s: no package", dir)
	}
	last.exports = exports
	if b.pkgs == nil {
		b.pkgs = map[string]*goPackage{}
	}
	b.pkgs[dir] = last
	return last, nil
}

func (b *builder) goFile(file, text string) error {
	p, err := b.list(path.Dir(file))
	if err != nil {
		return err
	}
	if !slices.Contains(p.GoFiles, path.Base(file)) {
		return fmt.Errorf("%s is no file of package %s as it is built here", file, p.ImportPath)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		var src any
		if name == path.Base(file) {
			src = text
		}
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(ip string) (io.ReadCloser, error) {
		f, ok := p.exports[ip]
		if !ok || f == "" {
			return nil, fmt.Errorf("no export data of %s", ip)
		}
		return os.Open(f)
	})}
	_, err = conf.Check(p.ImportPath, fset, files, nil)
	return err
}

// p4File compiles the program that a P4 file belongs to: that of its folder, or every
// program if its folder has none, as with what they share.
func (b *builder) p4File(file, text string) error {
	tree := os.DirFS(b.root)
	dir := path.Dir(file)
	programs := []string{path.Join(dir, path.Base(dir)+".p4")}
	if _, err := fs.Stat(tree, programs[0]); err != nil {
		programs = nil
		found, err := fs.Glob(tree, path.Join(path.Dir(dir), "*", "*.p4"))
		if err != nil {
			return err
		}
		for _, f := range found {
			if path.Base(f) == path.Base(path.Dir(f))+".p4" {
				programs = append(programs, f)
			}
		}
		if len(programs) == 0 {
			return fmt.Errorf("%s belongs to no program", file)
		}
	}
	for _, prog := range programs {
		_, diags := lang.Compile(lang.Options{Path: prog, FS: changed{tree, file, text}})
		if diags.HasErrors() {
			return errors.New(diags.String())
		}
	}
	return nil
}

// changed is a file system in which one file has another text.
type changed struct {
	fs.FS
	file, text string
}

func (c changed) ReadFile(name string) ([]byte, error) {
	if name == c.file {
		return []byte(c.text), nil
	}
	return fs.ReadFile(c.FS, name)
}
