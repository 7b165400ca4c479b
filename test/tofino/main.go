package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/p4"
)

// Files, from the root of the repository.
const (
	measuredFile = "p4/tofino.csv"
	pageFile     = "docs/tofino.md"
)

func main() {
	compiler := flag.String("compiler", "", "the compiler's driver (none: only write the page)")
	only := flag.String("programs", "", "programs, separated by commas (none: all)")
	keep := flag.String("keep", "", "an empty folder for what the compiler writes (none: a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *compiler, *only, *keep); err != nil {
		fmt.Fprintf(os.Stderr, "tofino: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, compiler, only, keep string) error {
	rows, err := readRows(measuredFile)
	if err != nil {
		return err
	}
	var failed error
	if compiler == "" {
		fmt.Println("no compiler given (BF_P4C): nothing is measured")
	} else {
		rows, failed = measure(ctx, compiler, only, keep, rows)
	}
	if err := writeRows(measuredFile, rows); err != nil {
		return errors.Join(failed, err)
	}
	page, err := render(rows, sourceOf)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, os.WriteFile(pageFile, page, 0o644))
}

// measure compiles programs and replaces their rows. The rows of those that fail stay.
func measure(ctx context.Context, compiler, only, keep string, rows []Row) ([]Row, error) {
	if _, err := exec.LookPath(compiler); err != nil {
		return rows, fmt.Errorf("compiler: %w (want the path of bf-p4c, or of p4c with its Tofino back end)", err)
	}
	names := p4.Programs()
	if only != "" {
		names = strings.Split(only, ",")
		for _, n := range names {
			if !slices.Contains(p4.Programs(), n) {
				return rows, fmt.Errorf("program %q: want one of %s", n, strings.Join(p4.Programs(), ", "))
			}
		}
	}
	dir := keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "p4ce-tofino"); err != nil {
			return rows, err
		}
		defer os.RemoveAll(dir)
	}
	var failed error
	for _, name := range names {
		start := time.Now()
		fmt.Printf("%-12s ", name)
		row, err := compile(ctx, compiler, name, filepath.Join(dir, name))
		if ctx.Err() != nil {
			fmt.Println()
			return rows, errors.New("interrupted")
		}
		if err != nil {
			fmt.Printf("FAILED: %v\n", err)
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
			continue
		}
		fmt.Printf("%2d stages in the ingress, %2d in the egress, of %d (%v)\n", row.Ingress, row.Egress, stages, time.Since(start).Round(time.Second))
		rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Program == name })
		rows = append(rows, row)
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { return !slices.Contains(p4.Programs(), r.Program) })
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Program, b.Program) })
	return rows, failed
}

// compile compiles a program, and has its row.
func compile(ctx context.Context, compiler, name, dir string) (Row, error) {
	source, err := sourceOf(name)
	if err != nil {
		return Row{}, err
	}
	cmd := exec.CommandContext(ctx, compiler, "--target", "tofino", "--arch", "tna", "--std", "p4-16", "-g", "-o", dir,
		filepath.Join("p4", name, name+".p4"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return Row{}, fmt.Errorf("%w\n%s", err, wrong(out))
	}
	binary, err := filepath.Glob(filepath.Join(dir, "*", "tofino.bin"))
	if err != nil || len(binary) == 0 {
		return Row{}, fmt.Errorf("the compiler has written no binary\n%s", wrong(out))
	}
	row, err := read(filepath.Dir(binary[0]))
	if err != nil {
		return Row{}, err
	}
	row.Program, row.Source = name, source
	if row.Ingress > stages || row.Egress > stages {
		return Row{}, fmt.Errorf("%d stages in the ingress and %d in the egress: a Tofino 1 has %d", row.Ingress, row.Egress, stages)
	}
	return row, nil
}

// wrong is what a compiler has said of errors; its last lines if nothing looks like one.
func wrong(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var errs []string
	for _, l := range lines {
		if strings.Contains(l, "error") {
			errs = append(errs, l)
		}
	}
	if errs == nil {
		errs = lines
	}
	return strings.Join(errs[max(0, len(errs)-10):], "\n")
}
