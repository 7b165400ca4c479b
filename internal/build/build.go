// Package build says which build of which commit a program is.
package build

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Info is what Go has recorded about the program that runs.
type Info struct {
	Version  string `json:"version"`            // of the tag and the commit: v0.4.0; "(devel)" without
	Commit   string `json:"commit,omitempty"`   // 40 hex digits, if it was recorded
	Modified bool   `json:"modified,omitempty"` // the tree had changes
	Go       string `json:"go"`
	Platform string `json:"platform"` // operating system, processor
}

// Read returns it.
var Read = sync.OnceValue(func() Info {
	b, _ := debug.ReadBuildInfo()
	return of(b)
})

func of(b *debug.BuildInfo) Info {
	i := Info{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if b == nil {
		return i
	}
	if b.Main.Version != "" {
		i.Version = b.Main.Version
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}

// String is one line.
func (i Info) String() string {
	words := []string{i.Version, i.Go}
	if i.Commit != "" {
		words = append(words, "commit "+i.Commit[:min(12, len(i.Commit))])
	}
	if i.Modified {
		words = append(words, "modified")
	}
	return strings.Join(words, ", ")
}
