// Package cli is the command line of the controller, and of those who ask it: the commands controller and
// status, and the flags that say which controller is asked.
//
// It knows no system. An App is what a system gives: the application that the controller has for a program, its
// flags, and how its state is printed. A program's main has the list of them.
package cli
