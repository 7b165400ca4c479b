// Package explore is the explorer's world of 1Pipe: p4/onepipe itself, which the interpreter runs in two switches, hosts'
// endpoints (systems/onepipe), and the controller's core (systems/onepipe/control).
//
//	h1 ══╗                    ╔══ h3
//	     ╠══ leaf ════ spine ═╝
//	h2 ══╝      \       /
//	            controller
//
// The spine is above the leaf, so that both have links that wait for others. A link is first in, first
// out. Clocks go in steps of 1024 ns, and barriers come round in the middle of a run.
//
// By default, what is due happens in a fixed order: frames arrive, hosts send, the controller acts,
// and when nothing else is due, clocks go a step further. Bounds say how often something is held up instead, for as
// long as it takes. So a run of hundreds of steps can be looked at whole. With free, everything
// happens in any order. With cpu, a switch's CPU sends the beacons (systems/onepipe/agent): those that have come to it wait for
// as long as it takes.
//
// # Properties
//
//   - promise: nothing below a barrier comes over its link after it, the commit barrier is not above the other one, and what
//     leaves a link does not fall;
//   - order: every process receives by each service in the order of (timestamp, sender), strictly: so all receive common
//     messages in one order, each once, and those of a sender in the order in which it sent them;
//   - one timestamp: the messages of a scattering have the same, whoever receives them, and however often they are sent;
//   - causality: a process's clock is above every timestamp that was delivered to it;
//   - fate: of a reliable scattering all receivers that live receive their messages, or none does, and its sender is
//     told so. Nobody passes over a message that another one has received;
//   - failures: all hosts are told of the same time, and nobody receives anything reliable of that time or later before all
//     processes know. If nothing happens but that hosts do not reach each other, nobody fails;
//   - room: nothing comes beyond a window that was granted;
//   - strangers (with probes): in every state, packets of others, and packets that lie about their time, change nothing,
//     and nobody receives below a barrier what a link that is broken brings;
//   - liveness: when nothing fails any more, everything that was sent is received, or its sender is told, within a
//     bounded time. Hosts that have failed join as others, all links are part of the order again, and what all send then is
//     received by all.
package explore
