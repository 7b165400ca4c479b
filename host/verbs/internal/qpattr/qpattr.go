// Package qpattr encodes attributes of queue pairs as the IB spec does.
package qpattr

import (
	"math/bits"
	"time"
)

// AckTimeout encodes a time-out as the IB spec does: the smallest n for which
// 4.096 us << n is not less than d, from 1 to 31. 0 is the default of
// rdma.QPConfig; a negative time means never, which is 0 on the wire.
func AckTimeout(d time.Duration) uint8 {
	const unit = 4096 * time.Nanosecond
	switch {
	case d == 0:
		return 14
	case d < 0:
		return 0
	}
	// Rounded up, so that (units - 1) has n significant bits when units <= 1<<n.
	units := uint64((d + unit - 1) / unit)
	return uint8(min(max(bits.Len64(units-1), 1), 31))
}

// rnrDelays are the times that the 5-bit code of a receiver-not-ready NAK stands
// for, in units of 10 us (IB spec table 45). Code 0 is the longest.
var rnrDelays = [32]uint32{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRDelay encodes the shortest time that is not less than d.
func RNRDelay(d time.Duration) uint8 {
	if d <= 0 {
		d = 1280 * time.Microsecond
	}
	for code := 1; code < len(rnrDelays); code++ {
		if time.Duration(rnrDelays[code])*10*time.Microsecond >= d {
			return uint8(code)
		}
	}
	return 0
}

// MaxRetry is the largest retry count that ends: the kernel's rxe takes 7 to mean
// for ever.
const MaxRetry = 6

// Retries encodes a retry count of rdma.QPConfig: 0 means the default, negative
// none.
func Retries(n, most int) uint8 {
	switch {
	case n == 0:
		return uint8(most)
	case n < 0:
		return 0
	}
	return uint8(min(n, most))
}
