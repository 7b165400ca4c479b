//go:build race

package replicate

// raceEnabled: the race detector makes sync.Pool forget on purpose.
const raceEnabled = true
