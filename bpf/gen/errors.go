package gen

import (
	"fmt"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Code is the code of every message of this back end: legal P4 that XDP, or the way
// in which it is used here, cannot do.
const Code = "P4601"

// fail notes what cannot be done, and lets the rest be looked at.
func (d *Description) fail(pos ir.Pos, format string, args ...any) {
	d.errors.Add(ir.Error{Pos: pos, Code: Code, Text: fmt.Sprintf(format, args...)})
}

// err is what has been noted, an ir.Errors; nil is nothing.
func (d *Description) err() error { return d.errors.Err() }
