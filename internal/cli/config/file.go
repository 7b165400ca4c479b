package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/link/files"
)

// section is what the file says about a command.
type section struct {
	file    string
	at      string // file:line
	name    string // as in the file: kv, paxos.host
	entries []entry
}

// entry is one key of a section.
type entry struct {
	key  string
	at   string
	node *yaml.Node
}

// read reads the file's sections: those of the program's commands.
func read(name string) (*section, error) {
	text, err := files.Read(name, files.Settings)
	if err != nil {
		return nil, err
	}
	return parse(name, text)
}

func parse(name string, text []byte) (*section, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &section{file: name, at: name}, nil // it is empty, or all comments
	case err != nil:
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	case len(doc.Content) != 1:
		return nil, fmt.Errorf("%s: not a configuration", name)
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: want one YAML document [remove what begins at the second line ---]", name)
	}
	return sectionOf(name, "", doc.Content[0])
}

// sectionOf reads a mapping. Sections below it stay nodes: which keys are commands is known to the program.
func sectionOf(file, name string, n *yaml.Node) (*section, error) {
	s := &section{file: file, at: fmt.Sprintf("%s:%d", file, n.Line), name: name}
	switch {
	case n.Kind == yaml.AliasNode:
		return nil, fmt.Errorf("%s: %s: a section cannot be a YAML alias", s.at, cmp.Or(name, "the file"))
	case isNull(n):
		return s, nil
	case n.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%s: %s: want settings, each as NAME: VALUE", s.at, cmp.Or(name, "the file"))
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		e := entry{key: k.Value, at: fmt.Sprintf("%s:%d", file, k.Line), node: v}
		if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" || k.Value == "" {
			return nil, fmt.Errorf("%s: want the name of a command or of a setting", e.at)
		}
		if before, ok := seen[e.key]; ok {
			return nil, fmt.Errorf("%s: %s is there twice [the first is at %s]", e.at, join(name, e.key), before)
		}
		seen[e.key] = e.at
		s.entries = append(s.entries, e)
	}
	return s, nil
}

// values are the values of a setting: one, or those of a list.
func (e *entry) values(name string) (list []string, isList bool, err error) {
	n := e.node
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case isNull(n):
		return nil, false, fmt.Errorf("%s: %s: the value is missing", e.at, name)
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}, false, nil
	case n.Kind != yaml.SequenceNode:
		return nil, false, fmt.Errorf("%s: %s: want a value or a list of values", e.at, name)
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind != yaml.ScalarNode || isNull(item) {
			return nil, false, fmt.Errorf("%s: %s: an item of the list is not a value", e.at, name)
		}
		list = append(list, item.Value)
	}
	return list, true, nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func join(section, key string) string {
	if section == "" {
		return key
	}
	return section + "." + key
}
