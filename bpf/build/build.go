// Package build compiles the C that bpf/gen writes into an eBPF object. It needs
// clang, which only those who change a P4 program or the compiler have to have:
// the objects are committed.
package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Clang is the compiler that committed objects are made with: objects of
// another version differ, so this one is pinned.
const Clang = "clang-19"

// ErrNoClang is returned when the pinned compiler is not installed.
var ErrNoClang = errors.New(Clang + " is not installed (apt-get install " + Clang + ")")

// Flags of every compilation. Paths in the debug information are relative, so
// that the object does not depend on where it was built. Packets are read and
// written as words of one size after another: there is no strict aliasing. Warnings about what a person may have meant
// (2 ^ 2, 1 && 2) are off: the code is generated, and its constants come from anybody's program.
var flags = []string{
	"-target", "bpf", "-mcpu=v3", "-O2", "-fno-strict-aliasing", "-g", "-Wall", "-Werror", "-Wno-unused-function",
	"-Wno-unused-const-variable", "-Wno-tautological-compare", "-Wno-self-assign", "-Wno-unused-label", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
	"-Wno-xor-used-as-pow", "-Wno-constant-logical-operand",
	"-fdebug-compilation-dir=.",
}

// systemInclude finds the folder with asm/types.h, which Debian keeps apart.
func systemInclude() []string {
	dirs, _ := filepath.Glob("/usr/include/*-linux-gnu")
	var out []string
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, "asm/types.h")); err == nil {
			out = append(out, "-idirafter", d)
		}
	}
	return out
}

// Object compiles a file of C with the files beside it that it includes, by their names
// (which diagnostics and debug information have), and with the headers of headers; it
// returns the ELF object.
func Object(name string, files map[string][]byte, headers fs.FS) ([]byte, error) {
	clang, err := exec.LookPath(Clang)
	if err != nil {
		return nil, ErrNoClang
	}
	dir, err := os.MkdirTemp("", "p4xc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := copyHeaders(dir, headers); err != nil {
		return nil, err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			return nil, err
		}
	}
	args := append([]string{}, flags...)
	args = append(args, systemInclude()...)
	args = append(args, "-I", "include", "-c", name, "-o", "out.o")
	cmd := exec.Command(clang, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", Clang, name, err, stderr.String())
	}
	// Drop DWARF, keep BTF: a tenth of the size.
	if strip, err := exec.LookPath(strings.Replace(Clang, "clang", "llvm-strip", 1)); err == nil {
		cmd := exec.Command(strip, "-g", "out.o")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("llvm-strip: %w\n%s", err, out)
		}
	} else {
		return nil, fmt.Errorf("llvm-strip-19 is not installed (apt-get install llvm-19)")
	}
	return os.ReadFile(filepath.Join(dir, "out.o"))
}

// copyHeaders copies the folder include of a file system.
func copyHeaders(dir string, headers fs.FS) error {
	sub, err := fs.Sub(headers, "include")
	if err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(dir, "include"), sub)
}
