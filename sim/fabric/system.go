package fabric

import (
	"io/fs"

	"github.com/p4ce/p4ce/ctrl/session"
)

// System is what one system gives the fabric: what its switches and its hosts run, what a load asks
// of them, and what is said of it in scenarios and results. The engine knows no system; a program that
// runs scenarios has a list (Systems).
type System struct {
	Name string // in scenarios; also what switches run that run its program
	// Program is that program, of package p4; empty: all switches are plain.
	Program string
	// Routes says that the switches route: hosts address what is for those behind other switches
	// to their own switch.
	Routes bool
	// Scenarios has examples, *.yaml.
	Scenarios fs.FS
	// Labels are what is said of each load (LoadSettings.Labels), Counts what is counted of it
	// (Client.Counts), as columns of results.
	Labels, Counts []Column
	// Describe is a line about a frame, for traces; nil: its addresses and length.
	Describe func(frame []byte) string
	// Settings are the system's own keys of a scenario, Load those of one of its loads, with their
	// defaults: pointers to structs, which YAML is decoded into. Settings may be nil: there are none.
	Settings func() Settings
	Load     func() LoadSettings
	// New puts the system into a network that has no nodes yet.
	New func(f *Fabric, s Settings) (Instance, error)
}

// Settings are what a scenario says of a system.
type Settings interface {
	// Check is called before anything is built.
	Check(t *TopologyConfig) error
}

// LoadSettings are what a load says of a system.
type LoadSettings interface {
	Check(c *LoadConfig) error
	// Labels are the values of System.Labels.
	Labels() []string
}

// Addressed are LoadSettings that say who receives the requests of a load: LoadConfig.To is empty.
type Addressed interface{ Addressed() }

// Column is one of a result: its name in files, and in the table that people read; there it is
// left out when that is empty.
type Column struct{ CSV, Table string }

// Instance is a system in one network.
type Instance interface {
	// Endpoint is what a new host runs.
	Endpoint(h *Host) Endpoint
	// Ready is called when the network is complete and its routes are known, before controllers begin.
	Ready() error
	// App is the controller's application of a switch: called for one after the other.
	App(s *P4Switch) (App, error)
	// Client connects a load: it calls Load.Connected when requests can be sent (not from within
	// Client), and Load.End when it cannot go on.
	Client(l *Load, own LoadSettings) (Client, error)
}

// Verifier is an Instance with properties of its own.
type Verifier interface {
	// Verify says which of them the network breaks. It may be called between any two events.
	Verify() error
}

// Halver is an Instance some of whose switches run the program in halves (package dataplane/halves).
type Halver interface {
	// Halves says how a switch does, when it is made; nil: its data plane runs the whole program.
	Halves(name string) *Halves
}

// App is an application of an owned session.
type App interface {
	session.App
	// Begin does what Sync and what it returns do, on a switch that holds nothing.
	Begin() error
}

// Client sends the requests of a load.
type Client interface {
	// Send sends a request. Request.Answered is called when it is answered, Request.Free when nobody
	// needs its data.
	Send(r *Request)
	// Held reports whether a request that has just been answered is where it must be.
	Held(r *Request) bool
	// Counts are the values of System.Counts.
	Counts() []uint64
}
