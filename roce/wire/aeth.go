package wire

import (
	"fmt"
	"time"
)

// AETHLen is the length of the ACK extended transport header.
const AETHLen = 4

// AETH is a view of the ACK extended transport header.
//
//	0 syndrome(8) | 1 MSN(24)
type AETH []byte

// Syndrome returns the kind of acknowledgement.
func (h AETH) Syndrome() Syndrome { return Syndrome(h[0]) }

// SetSyndrome sets the kind of acknowledgement.
func (h AETH) SetSyndrome(s Syndrome) { h[0] = byte(s) }

// MSN returns the number of messages that the responder has completed, modulo
// 2^24.
func (h AETH) MSN() uint32 { return uint24(h[1:]) }

// SetMSN sets the message sequence number.
func (h AETH) SetMSN(n uint32) { putUint24(h[1:], n) }

// Syndrome is the first byte of an AETH:
//
//	000ccccc ACK with credit code   001ttttt RNR NAK with timer code
//	011nnnnn NAK with code
type Syndrome uint8

// The negative acknowledgements.
const (
	NakSequence          Syndrome = 0x60 // PSN sequence error
	NakInvalidRequest    Syndrome = 0x61
	NakRemoteAccess      Syndrome = 0x62
	NakRemoteOperational Syndrome = 0x63
)

// CreditsUnlimited is the credit code of a responder that needs no receive
// credits.
const CreditsUnlimited uint8 = 0x1f

// AckSyndrome makes the syndrome of an ACK that carries a credit code.
func AckSyndrome(code uint8) Syndrome { return Syndrome(code & 0x1f) }

// RNRSyndrome makes the syndrome of an RNR NAK that carries a timer code.
func RNRSyndrome(timer uint8) Syndrome { return Syndrome(0x20 | timer&0x1f) }

// IsAck reports whether s is a positive acknowledgement.
func (s Syndrome) IsAck() bool { return s>>5 == 0 }

// IsRNR reports whether s is a receiver-not-ready NAK.
func (s Syndrome) IsRNR() bool { return s>>5 == 1 }

// IsNak reports whether s is a NAK other than receiver-not-ready.
func (s Syndrome) IsNak() bool { return s>>5 == 3 }

// Code returns the low five bits: credit code, timer code or NAK code.
func (s Syndrome) Code() uint8 { return uint8(s & 0x1f) }

func (s Syndrome) String() string {
	switch {
	case s.IsAck():
		if s.Code() == CreditsUnlimited {
			return "ack"
		}
		return fmt.Sprintf("ack, %d credits", CreditsOf(s.Code()))
	case s.IsRNR():
		return fmt.Sprintf("rnr nak, %v", RNRDelay(s.Code()))
	}
	switch s {
	case NakSequence:
		return "nak: psn sequence error"
	case NakInvalidRequest:
		return "nak: invalid request"
	case NakRemoteAccess:
		return "nak: remote access error"
	case NakRemoteOperational:
		return "nak: remote operational error"
	}
	return fmt.Sprintf("syndrome %#02x", uint8(s))
}

// credits is IB table 46: what a credit code stands for.
var credits = [31]int{
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
}

// CreditsOf returns the number of receive credits that a code stands for, or -1
// for CreditsUnlimited.
func CreditsOf(code uint8) int {
	if code &= 0x1f; code != CreditsUnlimited {
		return credits[code]
	}
	return -1
}

// CreditCode returns the largest code that promises no more than n credits. A
// negative n means unlimited.
func CreditCode(n int) uint8 {
	if n < 0 {
		return CreditsUnlimited
	}
	lo, hi := 0, len(credits) // credits[lo] <= n < credits[hi]
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; credits[mid] <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	return uint8(lo)
}

// rnrDelays is IB table 45, in units of 10 microseconds.
var rnrDelays = [32]uint32{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRDelay returns the time that an RNR NAK's timer code asks to wait: 0.01 ms
// (code 1) to 491.52 ms (code 31), and 655.36 ms for code 0.
func RNRDelay(code uint8) time.Duration {
	return time.Duration(rnrDelays[code&0x1f]) * 10 * time.Microsecond
}

// RNRTimer returns the code of the shortest delay that is at least d, or 0, the
// longest, when none is.
func RNRTimer(d time.Duration) uint8 {
	for code := uint8(1); code < 32; code++ {
		if RNRDelay(code) >= d {
			return code
		}
	}
	return 0
}
