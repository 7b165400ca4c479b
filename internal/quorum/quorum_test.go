package quorum

import (
	"testing"
	"testing/quick"
)

// naive tries every position.
func naive(at []uint8, many int) (best uint8) {
	for _, p := range at {
		n := 0
		for _, o := range at {
			if o >= p {
				n++
			}
		}
		if n >= many {
			best = max(best, p)
		}
	}
	return best
}

func TestReached(t *testing.T) {
	if err := quick.Check(func(at []uint8, many uint8) bool {
		at = append(at, 0)
		n := 1 + int(many)%len(at)
		return Reached(at, n) == naive(at, n)
	}, nil); err != nil {
		t.Error(err)
	}
}

// TestMajority: two majorities meet, and one fewer need not.
func TestMajority(t *testing.T) {
	for n := 1; n < 20; n++ {
		if m := Majority(n); 2*m <= n || 2*(m-1) > n {
			t.Errorf("%d of %d", m, n)
		}
	}
}
