// Package cli is shared by all command lines of p4ce: exit statuses, usage errors, flags for
// certificates and secrets, and how one program finds and runs another.
//
// A command returns an error, and prints none. Exit status: 0 when all is well, 1 when something failed,
// 2 for wrong usage.
package cli
