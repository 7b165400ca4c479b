package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/build"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/link/logpipe"
)

// Main runs a program's command line, and ends the program. An interrupt ends the context of the command.
func Main(root *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := logpipe.New(os.Stderr, logpipe.Text)
	code := Run(ctx, root, os.Args[1:], os.Stdin, os.Stdout, log)
	stop()
	log.Close(event.Patience)
	os.Exit(code)
}

// Run runs a command line and returns the exit status. It prints the error of one that fails.
func Run(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = build.Read().String()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	logs := &logTo{Writer: stderr, format: formatText}
	logs.flags(root)
	root.SetErr(logs)
	root.SetFlagErrorFunc(flagError)
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrFailed):
		return 1
	case errors.As(err, &usage), isCobraUsage(err):
		logs.end(root.Name(), fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath()))
		return 2
	}
	logs.end(root.Name(), err)
	return 1
}

// ErrFailed ends a command whose findings have been printed.
var ErrFailed = errors.New("failed")

// usageError is a command line that makes no sense.
type usageError struct{ error }

// Usage makes an error about the command line of an error.
func Usage(err error) error { return usageError{err} }

// Usagef makes an error about the command line.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// IsUsage reports that an error is about the command line.
func IsUsage(err error) bool {
	var usage usageError
	return errors.As(err, &usage)
}

// Parent is a command that has only others under it.
func Parent(c *cobra.Command, children ...*cobra.Command) *cobra.Command {
	c.AddCommand(children...)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usagef("unknown command %q for %q", args[0], cmd.CommandPath())
		}
		return cmd.Help()
	}
	return c
}

// flagError makes a usage error of what cobra says about a flag, without the words
// of package strconv.
func flagError(_ *cobra.Command, err error) error {
	var num *strconv.NumError
	head, _, ok := strings.Cut(err.Error(), " flag: ")
	if !ok || !errors.As(err, &num) {
		return usageError{err}
	}
	if errors.Is(num, strconv.ErrRange) {
		return Usagef("%s: out of range", head)
	}
	return Usagef("%s: not a valid number", head)
}

// isCobraUsage recognises cobra's own complaints about a command line.
func isCobraUsage(err error) bool {
	for _, s := range []string{"unknown command", "accepts ", "requires at least", "required flag", "invalid argument "} {
		if strings.HasPrefix(err.Error(), s) {
			return true
		}
	}
	return false
}

// Settings reads a file that the command line names, and whose contents are settings. Its errors are about the command
// line.
func Settings(name string) ([]byte, error) {
	text, err := files.Read(name, files.Settings)
	if err != nil {
		return nil, Usage(err)
	}
	return text, nil
}

// Ended is the error of a command that ended with err. One that was interrupted, and has taken down what it had built,
// says only that.
func Ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted; everything has been taken down")
	}
	return err
}

// Lines are those of a reader, without white space around them, until there are no more or ctx ends.
func Lines(ctx context.Context, r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		for in := bufio.NewScanner(r); in.Scan(); {
			select {
			case lines <- strings.TrimSpace(in.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
