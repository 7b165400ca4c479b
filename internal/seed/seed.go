// Package seed chooses the seeds of random tests. A run of the tests repeats the one before it, so that a failure is one of what
// was changed; make fuzz looks for what nobody has seen.
package seed

import (
	"os"
	"testing"
	"time"
)

// Random is the environment variable with which each run has new seeds.
const Random = "P4CE_RANDOM"

// Of returns the seed of a test: the given one, unless that is 0. It logs how to repeat the test; flag is the flag that takes a seed.
func Of(t testing.TB, flag string, given uint64) uint64 {
	t.Helper()
	switch {
	case given != 0:
	case os.Getenv(Random) != "":
		given = uint64(time.Now().UnixNano())
	default:
		given = 1
	}
	t.Logf("seed %d (repeat with -args -%s %d)", given, flag, given)
	return given
}
