package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

// logTo is the standard error of a command, and says how log lines are written to it.
type logTo struct {
	io.Writer
	format logFormat
	level  slog.Level
}

// logFormat is text or json.
type logFormat string

const (
	formatText logFormat = "text"
	formatJSON logFormat = "json"
)

func (f *logFormat) Set(s string) error {
	if s != string(formatText) && s != string(formatJSON) {
		return errors.New("want text or json")
	}
	*f = logFormat(s)
	return nil
}
func (f *logFormat) String() string { return string(*f) }
func (f *logFormat) Type() string   { return "string" }

// flags adds the flags of all commands.
func (l *logTo) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.Var(&l.format, "log-format", "format of log lines: text or json")
	f.TextVar(&l.level, "log-level", slog.LevelInfo, "least important log lines to write: debug, info, warn or error")
}

// LogFlags adds the flags of all commands to a command line that is looked at, and not run.
func LogFlags(root *cobra.Command) { (&logTo{format: formatText}).flags(root) }

// Under is the writer that lines are written to.
func (l *logTo) Under() io.Writer { return l.Writer }

// logger writes lines of a level and above.
func (l *logTo) logger(level slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if l.format == formatJSON {
		return slog.New(slog.NewJSONHandler(l.Writer, o))
	}
	return slog.New(slog.NewTextHandler(l.Writer, o))
}

// end writes the error of a program that ends.
func (l *logTo) end(program string, err error) {
	if l.format == formatJSON {
		l.logger(slog.LevelError).Error("the program ends", "program", program, "err", err.Error())
		return
	}
	fmt.Fprintf(l.Writer, "%s: %v\n", program, err)
}

// Logger writes to the standard error of a command, in the format and from the level on that the command line says. verbose
// is its flag -v, which is level debug.
func Logger(w io.Writer, verbose bool) *slog.Logger {
	l, ok := w.(*logTo)
	if !ok {
		l = &logTo{Writer: w, format: formatText}
	}
	level := l.level
	if verbose {
		level = min(level, slog.LevelDebug)
	}
	return l.logger(level)
}
