package cli

import (
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/link/certs"
)

// Log is a kind of log that a store can run on.
type Log struct {
	// Name is the value of --log. Default is that a store runs on it unless --log says otherwise.
	Name    string
	Default bool
	// About says in the help of --log what replicates. Usage has the flags that a server needs, Help is a paragraph,
	// and Example has a line for each.
	About, Usage, Help, Example string
	// New makes the log's flags.
	New func() Flags
	// Commands make the commands below kv that only this log has.
	Commands []func() *cobra.Command
}

// Flags are those of a log, on one command line.
type Flags interface {
	// Add adds them. No two logs have a flag of the same name.
	Add(*pflag.FlagSet)
	// Check looks at them, and returns the log of a server. Nothing is opened yet.
	Check(s Server, changed func(flag string) bool) (Opener, error)
}

// Server is what a log needs to know of its server.
type Server struct {
	Data      string        // the folder with the state
	SyncEvery time.Duration // how often the state is flushed to disk
	Listen    string        // where it serves clients, as the command line has it
	TLS       certs.Files
	Insecure  bool
	Log       *slog.Logger
	Print     func(Event) // to the standard output
}

// Opener opens a log.
type Opener interface {
	// Attach opens what the server has for other servers. If it fails, nothing is open.
	Attach() error
	// Open opens the log of a machine, and says what the server needs to know of it. clients is where it serves them.
	Open(m *kv.Machine, reg prometheus.Registerer, clients net.Addr) (Replicator, kv.Config, error)
	// Records is how many records were applied.
	Records() uint64
	// Close closes what Attach has opened, after the log.
	Close()
}

// Replicator is an open log.
type Replicator interface {
	replicated.Log
	// Health says what keeps it from its work; nil: nothing.
	Health() error
	// Done is closed when the log has ended by itself, for the reason Err.
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Event is what a server prints.
type Event struct {
	Event   string `json:"event"` // ready, digest, status, error, end
	Role    string `json:"role,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Records uint64 `json:"records,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Error   string `json:"error,omitempty"`
	State   string `json:"state,omitempty"` // of membership, where a log has that
	Term    uint64 `json:"term,omitempty"`
	Leader  string `json:"leader,omitempty"`  // where it serves clients
	Listen  string `json:"listen,omitempty"`  // where this server does
	Metrics string `json:"metrics,omitempty"` // where it serves metrics
}
