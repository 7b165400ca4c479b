package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether somebody watches what is written to w, or to the writer under it.
func IsTerminal(w io.Writer) bool {
	for u, ok := w.(interface{ Under() io.Writer }); ok; u, ok = w.(interface{ Under() io.Writer }) {
		w = u.Under()
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// Progress shows how far something is, on one line that is written again and again. Where nobody watches w
// it shows nothing.
func Progress(w io.Writer) func(format string, args ...any) {
	if !IsTerminal(w) {
		return func(string, ...any) {}
	}
	return func(format string, args ...any) { fmt.Fprintf(w, "\r\033[K"+format, args...) }
}
