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
// The other two parts are elsewhere: queues mark (the congestion point: switches, sim/fabric), and
// receivers answer marks with at most one CNP per interval (the notification point: host/roce/rc).
//
// # Contract
//
//   - A Limiter is pure: time is a parameter, in nanoseconds since any fixed moment, which does not
//     go back. It has no clock and no timer; what was due since the last call is done in the next.
//   - Invariants: Params.MinRate <= RC <= RT <= Params.LineRate, and 0 <= α <= 1.
//   - Until the first CNP, and again from the moment when RC is the line rate, nothing is delayed.
//   - It is for one goroutine, and allocates nothing.
package dcqcn
