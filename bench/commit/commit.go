// Package commit says of which commit a program is.
package commit

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Of is the commit of this program, as Go has stamped it: with "+" at its end, if there
// were changes. Where it has not (-buildvcs=false, a test), it is that of the folder in which the
// program runs, or else of the one in which it lies, with "?" at its end.
func Of() string {
	info, _ := debug.ReadBuildInfo()
	binary, _ := os.Executable()
	return of(info, "", filepath.Dir(binary))
}

// digits are so many of a commit's as tell it from all others.
const digits = 12

func of(info *debug.BuildInfo, folders ...string) string {
	rev, end := stamped(info)
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

func stamped(info *debug.BuildInfo) (rev, end string) {
	if info == nil {
		return "", ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			end = "+"
		}
	}
	return rev, end
}
