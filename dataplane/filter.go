package dataplane

import (
	"errors"
	"fmt"
	"math"
)

// Filter is the configuration of a cell of a low-pass filter (Lpf of TNA) or of a random early detection (Wred).
//
// A cell has an average, in units of 1/256, and the time at which it was computed. Integers are divided towards zero; time is that
// which the program sees, in ns, and dt is what has passed since, at most FilterMax. The first value of a cell is its average.
//
//	sample: a = dt * 2^16 / (dt + T)     average += (256 * value - average) * a / 2^16
//	rate:   b = T * 2^16 / (dt + T)      average = average * b / 2^16 + 256 * value, at most 2^47 - 1
//
// T is Gain where 256 * value is the average at least, else Decay; a rate has Decay only. Where dt + T is 0, a and b are 2^16. This is
// the exponential filter with the time constant T, by the implicit Euler method. The result of an Lpf is average / 256 / 2^Scale, or the
// largest number of its type.
//
// A Wred (a sample with both constants) drops nothing while average / 256 is below Min, and all from Max on. Between them it drops
// with a probability of Probability * (average / 256 - Min) / (Max - Min) in 1/2^16, by a random number as that of Random.
type Filter struct {
	Rate        bool
	Gain, Decay uint64 // ns
	Scale       uint8
	// Of a Wred.
	Min, Max    uint32
	Probability uint32 // in 1/2^16
}

// FilterMax is the largest time constant, and the largest time between two values that counts, in ns.
const FilterMax = 1<<40 - 1

// ErrFilter: the configuration of a filter is invalid.
var ErrFilter = errors.New("filter: bad configuration")

// Check reports what is wrong with a configuration.
func (f *Filter) Check() error {
	switch {
	case f.Gain > FilterMax || f.Decay > FilterMax:
		return fmt.Errorf("%w: a time constant above %d ns", ErrFilter, uint64(FilterMax))
	case f.Scale > 32:
		return fmt.Errorf("%w: a scale of %d (at most 32)", ErrFilter, f.Scale)
	case f.Min > f.Max:
		return fmt.Errorf("%w: the lower threshold %d is above the upper one, %d", ErrFilter, f.Min, f.Max)
	case f.Probability > 1<<16:
		return fmt.Errorf("%w: a probability above 1", ErrFilter)
	}
	return nil
}

// maxSum is the largest average of a rate: times 2^16, it does not overflow.
const maxSum = 1<<47 - 1

// Next is the average after a value, dt ns after the one before.
func (f *Filter) Next(average, value, dt uint64) uint64 {
	dt, value = min(dt, FilterMax), value<<8
	part := func(x, t uint64) uint64 { // x / (dt + t) in 1/2^16
		if dt+t == 0 {
			return 1 << 16
		}
		return x << 16 / (dt + t)
	}
	switch {
	case f.Rate:
		return min(average*part(f.Decay, f.Decay)>>16+value, maxSum)
	case value >= average:
		return average + (value-average)*part(dt, f.Gain)>>16
	}
	return average - (average-value)*part(dt, f.Decay)>>16
}

// Result is what an Lpf whose type has w bits makes of an average.
func (f *Filter) Result(average uint64, w int) uint64 {
	return min(average>>8>>f.Scale, uint64(math.MaxUint64)>>(64-w))
}

// Drops reports whether a Wred drops at an average, with a random number of 16 bits.
func (f *Filter) Drops(average uint64, random uint16) bool {
	switch avg := average >> 8; {
	case avg >= uint64(f.Max):
		return true
	case avg < uint64(f.Min):
		return false
	default:
		return uint64(random) < uint64(f.Probability)*(avg-uint64(f.Min))/uint64(f.Max-f.Min)
	}
}
