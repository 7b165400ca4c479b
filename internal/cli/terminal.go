package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether somebody watches what is written to w, or to the writer under it.
func IsTerminal(w io.Writer) bool { return terminal(w) >= 0 }

// terminal is the descriptor of the terminal that what is written to w goes to; -1: none.
func terminal(w io.Writer) int {
	for u, ok := w.(interface{ Under() io.Writer }); ok; u, ok = w.(interface{ Under() io.Writer }) {
		w = u.Under()
	}
	if f, ok := w.(*os.File); ok {
		if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
			return int(f.Fd())
		}
	}
	return -1
}

// Show writes a text. If it is shown again and again, it takes the place of the one before on a terminal, as far as there is
// room; elsewhere an empty line follows it.
func Show(w io.Writer, text []byte, again bool) error {
	fd := terminal(w)
	switch {
	case again && fd < 0:
		text = append(text, '\n')
	case again:
		width, height := 0, 0
		if size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil {
			width, height = int(size.Col), int(size.Row)
		}
		text = append([]byte("\033[H\033[2J"), fit(text, width, height)...)
	}
	_, err := w.Write(text)
	return err
}

// Live shows a text again and again, in the place of the one before on a terminal, until ctx ends, which is no error.
func Live(ctx context.Context, w io.Writer, every time.Duration, text func(context.Context) ([]byte, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		b, err := text(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := Show(w, b, true); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// CheckEvery is an error if a text cannot be shown so often.
func CheckEvery(every time.Duration) error {
	if every < 10*time.Millisecond || every > time.Hour {
		return Usagef("--every: want 10ms to 1h")
	}
	return nil
}

// fit cuts a text to what a terminal has room for; 0 is no limit.
func fit(text []byte, width, height int) []byte {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if height > 1 && len(lines) > height-1 {
		lines = lines[:height-1]
	}
	for i, l := range lines {
		if r := []rune(string(l)); width > 0 && len(r) > width {
			lines[i] = []byte(string(r[:width-1]) + "…")
		}
	}
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

// Progress shows how far something is, on one line that is written again and again. Where nobody watches w
// it shows nothing.
func Progress(w io.Writer) func(format string, args ...any) {
	if !IsTerminal(w) {
		return func(string, ...any) {}
	}
	return func(format string, args ...any) { fmt.Fprintf(w, "\r\033[K"+format, args...) }
}
