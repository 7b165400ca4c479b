// Package cli is the command line of the controller and its clients: the commands controller and
// status, and the flags that select a controller.
//
// It knows no system. A system provides an App: the controller's application for a program, its
// flags, and how to print its state. The main package of a program lists the Apps.
package cli
