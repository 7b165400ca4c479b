// Package long leaves tests that take several seconds out of short runs: go test -short, make test-short.
package long

import "testing"

// Test skips a test in a short run. It is the first thing that a long test does.
func Test(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes several seconds: a short run leaves it out")
	}
}
