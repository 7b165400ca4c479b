// Package tally holds the names and numbers of tally.p4, a switch that counts requests by
// their keys. p4xc generates names.go.
package tally
