// Package disk keeps pebble databases whose failures are errors.
//
// Pebble panics, exits or blocks when a disk fails. Here a failure ends the Store, and
// nothing else: every call in progress and every later one return its first error.
package disk
