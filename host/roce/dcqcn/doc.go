// Package dcqcn is the reaction point of DCQCN: how fast a sender may send, from the
// congestion notifications that come back (Zhu et al., "Congestion Control for Large-Scale
// RDMA Deployments", SIGCOMM 2015, sections 3 and 5).
//
//	CNP ──────────▶ RT = RC, RC = RC (1 - α/2), α = (1-g) α + g        (eq. 1)
//	K without one ─▶ α = (1-g) α                                        (eq. 2)
//	B bytes, or T ─▶ up to F of either:    RC = (RT + RC)/2             fast recovery (eq. 3)
//	                 one beyond F:         RT += R_AI, then the same    additive increase (eq. 4)
//	                 both beyond F:        RT += i R_HAI, then the same hyper increase
//
// The other two parts of DCQCN are elsewhere. Queues mark (the congestion point: switches,
// sim/fabric). Receivers answer marks with at most one CNP per interval (the notification point:
// host/roce/rc).
//
// # Contract
//
//   - A Limiter is pure. Time is a parameter, in nanoseconds since any fixed moment, and does not
//     go back. A Limiter has no clock and no timer: a call does everything that was due since the
//     last call.
//   - Invariants: Params.MinRate <= RC <= RT <= Params.LineRate, and 0 <= α <= 1.
//   - Until the first CNP, and again once RC is the line rate, a Limiter delays nothing.
//   - A Limiter is for one goroutine, and allocates nothing.
package dcqcn
