package dataplane

import (
	"errors"
	"fmt"
	"math"
)

// Meter is the configuration of a cell of a meter (RFC 2698): packets beyond the peak
// rate are red, beyond the committed rate yellow. Rates are packets or bytes per second, bursts
// packets or bytes. A packet that has a colour already gets no better one: a red one takes no tokens, a
// yellow one only those of the peak rate (4.2, colour-aware).
type Meter struct {
	CIR, CBurst uint64 // committed
	PIR, PBurst uint64 // peak
}

// Limits of Meter: with these no sum of token counts overflows.
const (
	maxRate  = 1 << 40
	maxBurst = 1 << 32
)

// ErrMeter: the configuration of a meter is invalid.
var ErrMeter = errors.New("meter: bad configuration")

// Check reports what is wrong with a configuration.
func (m *Meter) Check() error {
	switch {
	case m.CIR > maxRate || m.PIR > maxRate:
		return fmt.Errorf("%w: a rate above %d per second", ErrMeter, maxRate)
	case m.CBurst > maxBurst || m.PBurst > maxBurst:
		return fmt.Errorf("%w: a burst above %d", ErrMeter, maxBurst)
	case m.PIR < m.CIR:
		return fmt.Errorf("%w: the peak rate %d is below the committed rate %d (RFC 2698, 2)", ErrMeter, m.PIR, m.CIR)
	}
	return nil
}

// MeterUnit is the number of a bucket's tokens per packet or byte: a rate of one per second adds
// one token in a nanosecond.
const MeterUnit = 1_000_000_000

// Bucket is a token bucket, in the form that targets use.
type Bucket struct {
	Rate uint64 // tokens per ns
	Full uint64 // tokens
	Fill uint64 // ns until an empty bucket is full
}

// Buckets are the two buckets of a configuration.
func (m *Meter) Buckets() (committed, peak Bucket) {
	return bucket(m.CIR, m.CBurst), bucket(m.PIR, m.PBurst)
}

func bucket(rate, burst uint64) Bucket {
	b := Bucket{Rate: rate, Full: burst * MeterUnit, Fill: math.MaxUint64}
	if rate > 0 {
		b.Fill = (b.Full + rate - 1) / rate
	}
	return b
}

// Add returns the number of tokens ns later.
func (b *Bucket) Add(tokens, ns uint64) uint64 {
	if ns >= b.Fill {
		return b.Full
	}
	return min(tokens+ns*b.Rate, b.Full)
}
