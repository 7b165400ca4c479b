// Package onepipe is total order for a data centre, without a sequencer (1Pipe: Li et al., SIGCOMM
// 2021): what hosts do. The switches' part is p4/onepipe.
//
//	process -- Send(scattering) --> Endpoint ==== wire ====> switches: p4/onepipe
//	                                   ^                        |
//	process <-- Receive, Failed -------+<=== packets, barriers -+
//
// A scattering is a set of messages to different processes. All have one timestamp, the clock of
// the sending host when the scattering leaves. Every process receives in the order of (timestamp,
// sender), which is the same everywhere.
//
//   - best effort: at most once; what is lost is reported to the sender (Failed).
//   - reliable: all receivers that live, or none; fragments are sent again.
//
// Each service is in this order by itself. ReceiveOrdered has both in one.
//
// Every packet has two barriers. Below the first, nothing comes over its link any more; below the
// second, every reliable message is held by all its receivers, or was recalled. Switches stamp each
// packet with the least barriers of their inputs. A receiver delivers what is strictly below.
//
// Contract: an Endpoint belongs to one goroutine. Timestamps are ns of clocks that are synchronised
// (PTP, or one machine): skew costs latency, never order.
package onepipe
