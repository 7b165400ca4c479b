package fabric

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed scenarios/*.yaml
var examples embed.FS

// Examples are the names of the scenarios that come with the program.
func Examples() []string {
	files, _ := examples.ReadDir("scenarios") // of an embedded file system: no error
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// Example is the text of one of them.
func Example(name string) ([]byte, error) {
	if !slices.Contains(Examples(), name) {
		return nil, fmt.Errorf("scenario %s: there is no such example (there are %s)", name, strings.Join(Examples(), ", "))
	}
	return examples.ReadFile(path.Join("scenarios", name+".yaml"))
}
