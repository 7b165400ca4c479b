package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// Program is one of p4ce's programs, by its name: what few need is a program of its own, so that the others
// do not link its libraries.
type Program string

// These are the programs.
const (
	P4ce  Program = "p4ce"
	Bench Program = "p4bench"
	Etcd  Program = "p4etcd"
)

// environ is the environment of this program when it began: what it has taken out since, the program that takes its place
// is to see (package config).
var environ = os.Environ()

// Find is where the program is: beside the one that runs, or else in a folder of PATH.
func (p Program) Find() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	beside := filepath.Join(filepath.Dir(self), string(p))
	if _, err := exec.LookPath(beside); err == nil {
		return beside, nil
	}
	path, err := exec.LookPath(string(p))
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("the program %s is neither in %s nor in a folder of PATH [build it there: make build, or go build -o %s ./cmd/%s]", p, filepath.Dir(self), beside, p)
	}
	return path, err
}

// Exec becomes the program. It returns only if it cannot.
func (p Program) Exec(args ...string) error {
	path, err := p.Find()
	if err != nil {
		return err
	}
	err = syscall.Exec(path, append([]string{path}, args...), environ)
	return fmt.Errorf("%s: %w", path, err)
}

// Command is the command of that name in the program: whatever is behind it on the command line is left to
// the program, which takes this one's place.
func (p Program) Command(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:                name + " ...",
		Short:              short,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return p.Exec(append([]string{name}, args...)...) },
	}
}
