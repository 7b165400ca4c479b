package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/ctrl/store"
)

// App is a system's part of the controller's command line.
type App struct {
	// Program is what its switches run. Default is that it is the program of a switch of which nothing is said.
	Program string
	Default bool
	// Keys are what --switch may say of one of its switches, beside what is so for all programs.
	Keys []string
	// Usage is a flag that takes the place of --switch, such as --topology FILE; Help is a paragraph, and Example
	// has a line for each.
	Usage, Help, Example string
	// New makes the application's flags.
	New func() Flags
	// Status prints what the application says about a switch; nil prints nothing.
	Status func(io.Writer, *admin.SwitchStatus) error
}

// Flags are those of an application, on one command line.
type Flags interface {
	// Add adds them.
	Add(*pflag.FlagSet)
	// App makes the application of one switch.
	App(Switch, Kept) (session.App, error)
	// Fleet says which switches there are, if the flags do so in place of --switch; nil if they do not.
	Fleet() (*Fleet, error)
}

// Switch is what --switch says of one.
type Switch struct {
	Name, Address string
	Program       string
	DeviceID      uint64
	Ports         []uint16            // that hosts may be on, of --ports
	Keys          map[string][]string // of App.Keys
}

// Kept is where a controller keeps what its successor needs: a folder, or records of etcd, or neither.
type Kept struct {
	Folder  string
	Records store.Records
}

// Fleet is switches that an application serves together.
type Fleet struct {
	// Flag is the one that asks for it, without dashes. Without are those that make no sense beside it.
	Flag    string
	Without []string
	// Unit is the name of what one controller at a time serves.
	Unit string
	// Prepare looks at what the flags say, and returns what makes the switches, each time that this controller
	// begins to serve them. etcd says that there may be other controllers.
	Prepare func(etcd bool, log *slog.Logger) (Make, error)
}

// Make makes switches, and what ends them; options are what is the same for all.
type Make func(ctx context.Context, kept Kept, options p4rtclient.Options) ([]ctrl.SwitchConfig, func(), error)
