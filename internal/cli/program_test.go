package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// asCommand makes the test binary be a program whose command bench is another program's.
const asCommand = "P4CE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		root := &cobra.Command{Use: "p4ce"}
		root.AddCommand(Bench.Command("bench", "is another program's"))
		Main(root)
	}
	os.Exit(m.Run())
}

// folder has this program in it, as p4ce.
func folder(t *testing.T) string {
	self, err := os.Executable()
	require.NoError(t, err)
	b, err := os.ReadFile(self)
	require.NoError(t, err)
	dir := t.TempDir()
	executable(t, filepath.Join(dir, "p4ce"), b)
	return dir
}

// executable writes a program. One that another test forks meanwhile would hold it open for writing, and
// nobody could run it.
func executable(t *testing.T, path string, b []byte) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, b, 0o755))
}

// other is a program that says how it was called, and what it has read.
const other = "#!/bin/sh\nprintf '%s|' \"$0\" \"$@\"\ncat\necho wrong >&2\nexit 7\n"

func bench(dir, path string, args ...string) (code int, stdout, stderr string) {
	c := exec.Command(filepath.Join(dir, "p4ce"), append([]string{"bench"}, args...)...)
	c.Env = append(os.Environ(), asCommand+"=1", "PATH="+path+":/bin:/usr/bin")
	c.Stdin = strings.NewReader("input")
	var out, errs strings.Builder
	c.Stdout, c.Stderr = io.Writer(&out), &errs
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return -1, "", err.Error()
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestProgram: another program is found beside this one, before one in PATH; it gets all that was on the command
// line, flags included, and what it prints, reads and ends with is this one's.
func TestProgram(t *testing.T) {
	dir, path := folder(t), t.TempDir()
	for _, at := range []string{path, dir} {
		file := filepath.Join(at, "p4bench")
		executable(t, file, []byte(other))
		code, stdout, stderr := bench(dir, path, "rate", "--help", "-v", "--", "x y")
		require.Equal(t, 7, code, stderr)
		require.Equal(t, file+"|bench|rate|--help|-v|--|x y|input", stdout)
		require.Equal(t, "wrong\n", stderr)
	}
}

// TestNoProgram: one that is not there, or that nobody may run, is an error that says how to build it.
func TestNoProgram(t *testing.T) {
	dir := folder(t)
	for range 2 {
		code, stdout, stderr := bench(dir, t.TempDir(), "--help")
		require.Equal(t, 1, code)
		require.Empty(t, stdout)
		require.Equal(t, "p4ce: the program p4bench is neither in "+dir+" nor in a folder of PATH [build it there: make build, or go build -o "+dir+"/p4bench ./cmd/p4bench]\n", stderr)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "p4bench"), []byte(other), 0o644))
	}
}

// TestVersion: every program says which version it is.
func TestVersion(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, Run(t.Context(), &cobra.Command{Use: "p4ce"}, []string{"--version"}, nil, &out, &out))
	require.Regexp(t, `^p4ce \S.*, go1\.\d`, out.String())
}
