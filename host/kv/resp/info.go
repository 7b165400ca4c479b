package resp

import (
	"fmt"
	"slices"
	"strings"
)

// Info makes the reply of INFO.
type Info struct {
	sections [][]byte
	b        strings.Builder
}

// NewInfo makes a reply with these sections, as a client has named them: with none, with all.
func NewInfo(sections [][]byte) *Info { return &Info{sections: sections} }

// Section adds a section, if it is wanted: lines adds names and values.
func (i *Info) Section(name string, lines func(add func(key string, value any))) {
	if len(i.sections) > 0 && !slices.ContainsFunc(i.sections, func(a []byte) bool {
		return Is(a, name) || Is(a, "all") || Is(a, "everything") || Is(a, "default")
	}) {
		return
	}
	if i.b.Len() > 0 {
		i.b.WriteString("\r\n")
	}
	fmt.Fprintf(&i.b, "# %s%s\r\n", strings.ToUpper(name[:1]), name[1:])
	lines(func(key string, value any) { fmt.Fprintf(&i.b, "%s:%v\r\n", key, value) })
}

// String is the reply.
func (i *Info) String() string { return i.b.String() }
