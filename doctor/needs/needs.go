// Package needs says what a test needs of the machine it runs on. What is missing is
// named, in one form, and skips the test:
//
//	needs root: network namespaces [run as root]
//
// On a machine that has to have it the test fails instead: P4CE_MUST names, by commas,
// what must be there ("root", "tool", "kernel"), or is "all". Continuous integration
// sets it, so that no test is lost because something was not installed.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Must is the environment variable that names what has to be there.
const Must = "P4CE_MUST"

// Kinds of what can be missing.
const (
	kindRoot   = "root"
	kindTool   = "tool"
	kindKernel = "kernel"
)

func must(kind string) bool {
	v := os.Getenv(Must)
	return v == "all" || slices.Contains(strings.Split(v, ","), kind)
}

// lacking ends the test: it fails if the machine must have what is missing.
func lacking(t testing.TB, kind, what, mend string) {
	t.Helper()
	text := fmt.Sprintf("needs %s: %s", kind, what)
	if mend != "" {
		text += " [" + mend + "]"
	}
	if must(kind) {
		t.Fatalf("%s; %s=%s says that it is there", text, Must, os.Getenv(Must))
	}
	t.Skip(text)
}

// Root is for tests that need privileges, for what is said.
func Root(t testing.TB, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		lacking(t, kindRoot, what, "run as root")
	}
}

// Tool returns the path of a program, which a Debian package has.
func Tool(t testing.TB, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lacking(t, kindTool, name+" is not installed", "apt-get install "+pkg)
	}
	return path
}

// File is for tests that need a file, which a Debian package has.
func File(t testing.TB, path, pkg string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		lacking(t, kindTool, path+" is missing", "apt-get install "+pkg)
	}
}

// Tools is for tests that have looked for their tools themselves: err says what is
// missing, and is nil if nothing is.
func Tools(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		lacking(t, kindTool, err.Error(), "")
	}
}

// Kernel is for tests of what a kernel has or a privileged user may do: err says what is
// missing, and is nil if nothing is.
func Kernel(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		lacking(t, kindKernel, err.Error(), "")
	}
}

// Hardware is for tests of what few machines have. It is never demanded.
func Hardware(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Skipf("needs hardware: %v", err)
	}
}

// Time is for tests that take long: -short leaves them out, and says why.
func Time(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("needs time: %s [run without -short]", why)
	}
}

// Ask is for tests that are run when an environment variable asks for them.
func Ask(t testing.TB, variable, why string) {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skipf("needs asking: %s [%s=1]", why, variable)
	}
}
