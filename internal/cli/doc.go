// Package cli is what all of p4ce's command lines have in common: exit statuses, errors about how a program
// is used, flags for certificates and secrets, and how one of the programs finds and runs another.
//
// A command returns an error, and prints none. Exit status: 0 when all is well, 1 when something failed,
// 2 for wrong usage.
package cli
