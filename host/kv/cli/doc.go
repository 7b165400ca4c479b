// Package cli is the command line of a server of the replicated key-value store: p4ce kv.
//
// It contains everything that is the same for every server: clients and their rights, metrics, the
// state on disk, and the commands on standard input. A system provides the log of the store: its
// package systems/NAME/cli/kv declares a Log, with its own flags, and --log NAME chooses one.
package cli
