// Package commit says of which commit a program is.
package commit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/p4ce/p4ce/internal/build"
)

// Of is the commit of this program, as Go has stamped it: with "+" at its end, if there
// were changes. Where it has not (-buildvcs=false, a test), it is that of the folder in which the
// program runs, or else of the one in which it lies, with "?" at its end.
func Of() string {
	binary, _ := os.Executable()
	return of(build.Read(), "", filepath.Dir(binary))
}

// digits are so many of a commit's as tell it from all others.
const digits = 12

func of(info build.Info, folders ...string) string {
	rev, end := info.Commit, ""
	if rev != "" && info.Modified {
		end = "+"
	}
	for _, dir := range folders {
		if rev != "" {
			break
		}
		c := exec.Command("git", "rev-parse", "HEAD")
		c.Dir = dir
		if out, err := c.Output(); err == nil {
			rev, end = strings.TrimSpace(string(out)), "?"
		}
	}
	if rev == "" {
		return "unknown"
	}
	return rev[:min(digits, len(rev))] + end
}
