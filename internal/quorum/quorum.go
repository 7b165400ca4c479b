// Package quorum says what a majority has reached.
package quorum

import (
	"cmp"
	"slices"
)

// Majority is the number of n that no other such number can avoid.
func Majority(n int) int { return n/2 + 1 }

// Reached is the highest position that so many of those at these positions have reached.
func Reached[T cmp.Ordered](at []T, many int) T {
	return slices.Sorted(slices.Values(at))[len(at)-many]
}
