// Command p4ce is in-network consensus for RDMA on one command line: the switch,
// its controller, the servers, and a demonstration of all of them.
//
//	p4ce demo         replicate a file through the switch, in network namespaces
//	p4ce switch       run a switch (XDP, or the interpreter) with a P4Runtime server
//	p4ce controller   run the controller of a switch
//	p4ce node         run a server: a leader or a replica
//	p4ce kv           run a server of the replicated key-value store
//	p4ce group        list, show, create or delete the groups of a controller
//	p4ce cast         copy a file to many hosts at once, by multicast
//	p4ce status       what a switch and its controller are doing
//	p4ce bench        measure on this machine
//	p4ce sim          run a scenario in simulated time
//	p4ce doctor       whether this machine can be a switch or a server
//
// Exit status: 0 when all is well, 1 when something failed, 2 for wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/link/logpipe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := logpipe.New(os.Stderr, logpipe.Text)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, log)
	stop()
	log.Close(logPatience)
	os.Exit(code)
}

// logPatience is how long a program that ends waits for whoever reads its log.
const logPatience = time.Second

// usageError is a command line that makes no sense.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// parent is a command that has only others under it.
func parent(c *cobra.Command, children ...*cobra.Command) *cobra.Command {
	c.AddCommand(children...)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q for %q", args[0], cmd.CommandPath())
		}
		return cmd.Help()
	}
	return c
}

// errFailed ends a command whose findings have been printed.
var errFailed = errors.New("failed")

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "p4ce",
		Short:         "In-network consensus for RDMA",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(demoCommand(), switchCommand(), controllerCommand(), nodeCommand(), kvCommand(), groupCommand(), paxosCommand(), statusCommand(), doctorCommand(), benchCommand(), simCommand(), castCommand())
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	case errors.As(err, &usage), isCobraUsage(err):
		fmt.Fprintf(stderr, "p4ce: %v (see %s --help)\n", err, cmd.CommandPath())
		return 2
	}
	fmt.Fprintf(stderr, "p4ce: %v\n", err)
	return 1
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
		return usagef("%s: out of range", head)
	}
	return usagef("%s: not such a number", head)
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

// logger writes to w at the level that the -v flag asks for.
func logger(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
