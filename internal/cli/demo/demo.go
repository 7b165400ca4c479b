package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/internal/cli"
)

// Demo is what a system shows.
type Demo struct {
	// Command makes the command. Default is that it is p4ce demo, and not one below it.
	Command func() *cobra.Command
	Default bool
	// About is a paragraph in the help of p4ce demo.
	About string
}

// exit is the last paragraph of every demo's help.
const exit = "\n\nExit status 0 means that every check held."

// Command is the command demo, with the demos of each system.
func Command(systems ...[]Demo) *cobra.Command {
	c := cli.Parent(&cobra.Command{Use: "demo", Short: "Show what runs on this machine"})
	all := slices.Concat(systems...)
	for _, d := range all {
		if d.Default {
			c = d.Command()
		}
	}
	for _, d := range all {
		if d.Default {
			continue
		}
		below := d.Command()
		c.Long += "\n\n" + d.About
		c.Example += "\n  p4ce demo " + below.Name()
		below.Long += exit
		c.AddCommand(below)
	}
	c.Long += exit
	return c
}

// StartTimeout bounds what should take a moment.
const StartTimeout = 3 * time.Minute

// Flags are those of every demo.
type Flags struct {
	Target  string // of the switches: xdp or interp
	Window  int    // records under way at once
	Verbose bool   // show what processes log
}

// Add adds them to a command.
func (o *Flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.Target, "target", "", "what the switches run on: xdp or interp (default: xdp, without root interp)")
	f.IntVar(&o.Window, "window", 64, "records under way at once")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show what the processes log")
}

// Check looks at them, and chooses a target.
func (o *Flags) Check() error {
	root := os.Geteuid() == 0
	switch o.Target {
	case "":
		o.Target = "interp"
		if root {
			o.Target = "xdp"
		}
	case "xdp":
		if !root {
			return errors.New("--target xdp needs root; without it the demo runs on the interpreter (--target interp)")
		}
	case "interp":
	default:
		return cli.Usagef("--target %q: xdp or interp", o.Target)
	}
	if o.Window < 1 {
		return cli.Usagef("--window %d: at least one record is under way", o.Window)
	}
	return nil
}

// Folder runs a demo in a folder of its own, which is removed after it. Signals that end programs end its context.
func Folder(ctx context.Context, run func(ctx context.Context, dir string) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, err := os.MkdirTemp("", "p4ce-demo-")
	if err != nil {
		return fmt.Errorf("temporary folder: %w (set TMPDIR to choose another)", err)
	}
	defer os.RemoveAll(dir)
	return run(ctx, dir)
}

// Micros rounds a duration for a table.
func Micros(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
