// Package cli is the command line of a server of the replicated key-value store: p4ce kv.
//
// What is the same for every server is here: clients and their rights, metrics, the state on disk, and the commands on
// the standard input. The log that the store runs on comes from a system: its package systems/NAME/cli/kv declares a
// Log, with flags of its own, and --log NAME chooses one.
package cli
