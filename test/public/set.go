package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4xc"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A set is a folder of programs that are all judged by one question.
type set struct {
	name, dir string
	include   []string // where #include looks, before the built-in files
	deep      bool     // folders in dir have programs too
	mainOnly  bool     // files without a package "main" are parts of programs
	refuse    bool     // the programs have errors, which the front end must see
}

// find lists the sets of a checkout.
func find(checkout string) ([]set, error) {
	if checkout == "" {
		return nil, fmt.Errorf("-checkout is missing: a checkout of p4lang/p4c or of p4lang/open-p4studio (make p4-public CHECKOUT=DIR)")
	}
	is := func(parts ...string) (string, bool) {
		dir := filepath.Join(append([]string{checkout}, parts...)...)
		st, err := os.Stat(dir)
		return dir, err == nil && st.IsDir()
	}
	if samples, ok := is("testdata", "p4_16_samples"); ok {
		sets := []set{{name: "p4c samples", dir: samples, include: []string{filepath.Join(checkout, "p4include")}}}
		if wrong, ok := is("testdata", "p4_16_errors"); ok {
			sets = append(sets, set{name: "p4c errors", dir: wrong, include: sets[0].include, refuse: true})
		}
		return sets, nil
	}
	if dir, ok := is("pkgsrc", "p4-examples", "p4_16_programs"); ok {
		return []set{{name: "open-p4studio examples", dir: dir, include: []string{dir}, deep: true, mainOnly: true}}, nil
	}
	return nil, fmt.Errorf("%s: neither testdata/p4_16_samples nor pkgsrc/p4-examples/p4_16_programs (want a checkout of p4lang/p4c or of p4lang/open-p4studio)", checkout)
}

// A verdict is what a phase or a target says of a program.
type verdict string

const (
	yes    verdict = "yes"
	no     verdict = "no"
	asked  verdict = "-" // not asked
	panics verdict = "PANIC"
	slow   verdict = "SLOW"
)

// A row is what is known of a program.
type row struct {
	program            string
	front, interp, xdp verdict
	tna                bool
	reason             string
}

var (
	hasMain    = regexp.MustCompile(`\)\s*main\s*;`)
	includeTNA = regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"](t2?na|tofino\w*)\.p4[>"]`)
)

// patience is how long a program may take: the compiler works in time that grows with the text.
const patience = 5 * time.Minute

// run judges the programs of a set, prints rows and totals, and returns how often the compiler panicked or did not end.
func (s set) run(o options, out io.Writer) (bad int) {
	var n, front, tna, interp, xdp int
	fmt.Fprintf(out, "# %s\n%-60s %-6s %-6s %-6s %s\n", s.name, "program", "front", "interp", "xdp", "first reason")
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != s.dir && !s.deep:
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".p4" || !strings.Contains(path, o.only):
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a link to a part of the checkout that is missing
		}
		if err != nil {
			return err
		}
		if s.mainOnly && !hasMain.Match(text) {
			return nil
		}
		rel, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		r := s.judge(path, text, o.load)
		r.program = rel
		n++
		for _, c := range []struct {
			v verdict
			n *int
		}{{r.front, &front}, {r.interp, &interp}, {r.xdp, &xdp}} {
			switch c.v {
			case yes:
				*c.n++
			case panics, slow:
				bad++
			}
		}
		if r.tna {
			tna++
		}
		if o.all || r.front == yes == s.refuse || r.interp == no || r.xdp == no || r.front == panics || r.front == slow {
			fmt.Fprintf(out, "%-60s %-6s %-6s %-6s %s\n", r.program, r.front, r.interp, r.xdp, r.reason)
		}
		return nil
	})
	if err != nil {
		fmt.Fprintf(out, "%s: %v\n", s.dir, err)
		bad++
	}
	if s.refuse {
		fmt.Fprintf(out, "total: %d programs with errors, %d accepted\n\n", n, front)
		return bad
	}
	fmt.Fprintf(out, "total: %d programs, %d rejected; for TNA %d: interp takes %d, xdp takes %d\n\n", n, n-front, tna, interp, xdp)
	return bad
}

// judge judges one program, in a goroutine that may be given up.
func (s set) judge(path string, text []byte, load bool) row {
	done := make(chan row, 1)
	go func() {
		r := row{front: asked, interp: asked, xdp: asked}
		defer func() {
			if p := recover(); p != nil {
				r.front, r.reason = panics, fmt.Sprint(p)
			}
			done <- r
		}()
		s.phases(&r, path, text, load)
	}()
	select {
	case r := <-done:
		return r
	case <-time.After(patience):
		return row{front: slow, interp: asked, xdp: asked, reason: "it did not end in " + patience.String()}
	}
}

func (s set) phases(r *row, path string, text []byte, load bool) {
	o := lang.Options{Path: path, Source: text, IncludeDirs: s.include, Defines: map[string]string{}}
	r.tna = s.mainOnly || includeTNA.Match(text)
	if _, _, l := lang.Check(o); l.HasErrors() {
		r.front, r.reason = no, first(s.dir, l.String())
		return
	}
	r.front = yes
	if !r.tna || s.refuse {
		return
	}
	prog, l := lang.Compile(o)
	if prog == nil {
		r.interp, r.xdp, r.reason = no, no, first(s.dir, l.String())
		return
	}
	for _, c := range p4xc.Checks() {
		v := map[string]*verdict{"interp": &r.interp, "xdp": &r.xdp}[c.Target]
		if v == nil {
			continue
		}
		*v = yes
		if err := c.Check(prog); err != nil {
			*v, r.reason = no, first(s.dir, err.Error())
		}
	}
	for target, v := range map[string]*verdict{"interp": &r.interp, "xdp": &r.xdp} {
		if *v != yes || !load {
			continue
		}
		if err := loads(prog, target); err != nil {
			*v, r.reason = no, target+": "+first(s.dir, err.Error())
		}
	}
}

// loads loads a program as a switch does.
func loads(prog *ir.Program, target string) error {
	pipe := &dataplane.Pipeline{Program: prog}
	if target == "xdp" {
		var err error
		if pipe.Object, err = p4xc.Object(prog, io.Discard); err != nil {
			return err
		}
	}
	const cpu = 64
	sw, err := testbed.New(target, cpu)
	if err != nil {
		return err
	}
	err = sw.Load(pipe)
	if cerr := sw.Close(); err == nil {
		err = cerr
	}
	return err
}

// first is the first line of a list of errors that names one, without the folder.
func first(dir, text string) string {
	text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	for line := range strings.Lines(text) {
		if strings.Contains(line, ": error P") {
			return string(bytes.TrimSpace([]byte(line)))
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}
