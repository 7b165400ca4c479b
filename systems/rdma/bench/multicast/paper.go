package multicast

// What the paper has, as ratios: figures of MC-RDMA's section VII. Where its text gives no number,
// it says what is above what.

// wanted4: section VII-B. A fan-out sends a request twice over the sender's link, and a chain's
// latency is that of its hops.
var wanted4 = struct{ requests, latency, chain float64 }{requests: 1.9, latency: 0.55, chain: 0.75}

// wanted5: section VII-C, figure 5, Gb/s: what the first group has alone. Its rate falls "to around 1/2 and 1/3" when the second
// group and the unicast flow begin, and the three share the link's rate.
const wanted5 = 85

// wanted6: section IV-D, and the theoretical values of figure 6, Gb/s, "which conforms to the simulation results". Flows at one
// link get as many notifications when their rates have converged; the paper's group gets those of all of its n congested
// receivers, so that it has one part of the link for n parts of the unicast flow there.
func wanted6(n int) float64 { return 100 / float64(n+1) }

// wanted7: section VII-D. "The throughput loss of MC-RDMA with packet loss is similar to CR and
// fanout ... the differences are still negligible": what is left of the goodput without loss, by what is left to the others.
const wanted7 = 1

// wanted8: section VII-E. READ latency of the web-search load at the highest load is some 30 % less than the
// others'; relays in all switches take 33 % to 47 % off what ToR-only has.
var wanted8 = struct{ webSearch, alibaba, full float64 }{webSearch: 0.7, alibaba: 1, full: 0.67}

// wanted9: section VII-F, figure 9, 8 MB: 6.1 ms against 11.3 ms and 10.8 ms, fan-out and chain.
var wanted9 = struct{ fanOut, chain float64 }{fanOut: 6.1 / 11.3, chain: 6.1 / 10.8}
