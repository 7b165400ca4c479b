// Package disk wraps pebble databases, and turns their failures into errors.
//
// Pebble panics, exits or blocks when a disk fails. Here a failure ends the Store, and nothing
// else: every call in progress and every later call returns the first error.
package disk
