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
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/certs"
)

// Log is a kind of log on which a store can run.
type Log struct {
	// Name is the value of --log. A store runs on the Default log unless --log says otherwise.
	Name    string
	Default bool
	// About says in the help of --log what replicates. Usage has the flags that a server needs. Help
	// is a paragraph. Example has one line for each example.
	About, Usage, Help, Example string
	// New returns the flags of the log.
	New func() Flags
	// Commands returns the commands below kv that only this log has.
	Commands []func() *cobra.Command
}

// Flags are the flags of a log on one command line.
type Flags interface {
	// Add adds them to a flag set. A flag that several logs have is one flag of the command: it must mean the same.
	Add(*pflag.FlagSet)
	// Check validates them, and returns the log of a server. It opens nothing.
	Check(s Server, changed func(flag string) bool) (Opener, error)
}

// FsyncUsage describes the flag --fsync, for logs that have it.
const FsyncUsage = "answer a write once it is on disk: with --log mu, on the disks of a majority, and a restarted server has forgotten nothing; with --log onepipe, on the disk of the server that answers. Set it on all servers or on none"

// Server is what a log needs to know about its server.
type Server struct {
	Data      string        // the folder of the state
	SyncEvery time.Duration // how often the state is flushed to disk
	Listen    string        // where it serves clients, as given on the command line
	TLS       certs.Files
	Insecure  bool
	Log       *slog.Logger
	Print     func(Event) // prints an event to standard output
}

// Opener opens a log.
type Opener interface {
	// Attach opens what the server provides to other servers. If it fails, nothing remains open.
	Attach() error
	// Open opens the log of a machine, and returns what the server needs to know about it. clients is
	// the address at which the server serves them.
	Open(m *kv.Machine, reg prometheus.Registerer, clients net.Addr) (Replicator, kv.Config, error)
	// Records returns how many records were applied.
	Records() uint64
	// Close closes what Attach has opened, after the log was closed.
	Close()
}

// Replicator is an open log.
type Replicator interface {
	replicated.Log
	// Health reports what prevents the log from doing its work, or nil.
	Health() error
	// Done is closed when the log has ended by itself. Err returns the reason.
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Event is what a server prints.
type Event struct {
	Event   event.Kind `json:"event"` // ready, digest, status, error, end
	Role    string     `json:"role,omitempty"`
	Mode    string     `json:"mode,omitempty"`
	Records uint64     `json:"records,omitempty"`
	SHA256  string     `json:"sha256,omitempty"`
	Error   string     `json:"error,omitempty"`
	State   string     `json:"state,omitempty"`   // of the membership, if the log has one
	Term    string     `json:"term,omitempty"`    // as the log's other messages have it
	Leader  string     `json:"leader,omitempty"`  // where the leader serves clients
	Listen  string     `json:"listen,omitempty"`  // where this server serves clients
	Metrics string     `json:"metrics,omitempty"` // where this server serves metrics
}
