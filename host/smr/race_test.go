//go:build race

package smr

// raceEnabled: the race detector makes sync.Pool forget on purpose.
const raceEnabled = true
