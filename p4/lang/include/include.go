// Package include holds the compiler's own declarations of the P4_16 core
// library and of the Tofino Native Architecture, for Tofino 1: what a program
// gets from #include <core.p4> and #include <tna.p4>.
//
// Contract: names, signatures, field widths, order and padding equal those of
// the public interface, so that a program compiles unchanged with the public
// compiler's own files. Externs that the lowering does not implement are
// declared too.
package include

import "embed"

//go:embed *.p4
var files embed.FS

// Read returns a built-in file by the name in the directive.
func Read(name string) ([]byte, bool) {
	b, err := files.ReadFile(name)
	return b, err == nil
}
