// Package event is how a program tells whoever started it what happens: one JSON object a line, on its
// standard output. The first says that it is ready, the last that it ends and why.
package event
