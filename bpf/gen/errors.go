package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Code is the code of every message of this back end: legal P4 that XDP, or the way
// in which it is used here, cannot do.
const Code diag.Code = "P4601"

// Error is a construct that this back end does not do.
type Error struct {
	Pos  ir.Pos
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: error %s: %s", e.Pos, Code, e.Text) }

// Errors is everything that this back end does not do in a program, each once and in
// the order of the source.
type Errors []*Error

func (e Errors) Error() string {
	var lines []string
	for _, x := range e {
		lines = append(lines, x.Error())
	}
	return strings.Join(lines, "\n")
}

// fail notes what cannot be done, and lets the rest be looked at.
func (d *Description) fail(pos ir.Pos, format string, args ...any) {
	e := Error{pos, fmt.Sprintf(format, args...)}
	if !slices.ContainsFunc(d.errors, func(x *Error) bool { return *x == e }) {
		d.errors = append(d.errors, &e)
	}
}

// err is what has been noted; nil is nothing.
func (d *Description) err() error {
	if len(d.errors) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errors, func(a, b *Error) int {
		if c := strings.Compare(a.Pos.File, b.Pos.File); c != 0 {
			return c
		}
		if c := a.Pos.Line - b.Pos.Line; c != 0 {
			return c
		}
		return a.Pos.Col - b.Pos.Col
	})
	return d.errors
}
