// Package demo is the command line of demonstrations: p4ce demo.
//
// A system provides its demos as values of type Demo, in the variable Demos of its package systems/NAME/cli/demo. One
// of all is the demo that p4ce demo shows by itself; the others are commands below it.
package demo
