// Package demo is the command line of demonstrations: p4ce demo.
//
// A system provides its demos as values of type Demo, in the variable Demos of its package
// systems/NAME/cli/demo. One of them is the default, which p4ce demo runs; the others are commands
// below it.
package demo
