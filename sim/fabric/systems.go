package fabric

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Systems are those that a program has: a scenario names one of them.
type Systems []*System

func (list Systems) named(name string) (*System, error) {
	var names []string
	for _, s := range list {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if name == "" {
		return nil, fmt.Errorf("system: missing [want %s]", strings.Join(names, " or "))
	}
	return nil, fmt.Errorf("system: %q: want %s", name, strings.Join(names, " or "))
}

// Examples are the names of the scenarios that come with the systems, in order.
func (list Systems) Examples() (names []string) {
	for _, s := range list {
		files, _ := fs.Glob(s.Scenarios, "*.yaml") // the pattern is right
		for _, f := range files {
			names = append(names, strings.TrimSuffix(f, ".yaml"))
		}
	}
	slices.Sort(names)
	return names
}

// Example is the text of one of them.
func (list Systems) Example(name string) ([]byte, error) {
	for _, s := range list {
		text, err := fs.ReadFile(s.Scenarios, name+".yaml")
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			return text, err
		}
	}
	return nil, fmt.Errorf("scenario %s: no such example [examples: %s]", name, strings.Join(list.Examples(), ", "))
}

// Folder is a folder of a system's embedded files, which is there.
func Folder(files fs.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err)
	}
	return sub
}
