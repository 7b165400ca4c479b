package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is a construct of a legal program that a back end does not do. Pos is zero when
// it is nowhere in the source.
type Error struct {
	Pos  Pos
	Code string // the back end's: "P4601"
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: error %s: %s", e.Pos, e.Code, e.Text) }

// Errors is everything that a back end does not do in a program, each once.
type Errors []*Error

func (e Errors) Error() string {
	var lines []string
	for _, x := range e {
		lines = append(lines, x.Error())
	}
	return strings.Join(lines, "\n")
}

// Add notes what cannot be done, unless it has been.
func (e *Errors) Add(err Error) {
	if !slices.ContainsFunc(*e, func(x *Error) bool { return *x == err }) {
		*e = append(*e, &err)
	}
}

// Err is all that has been noted, in the order of the source; nil is nothing.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return e
}
