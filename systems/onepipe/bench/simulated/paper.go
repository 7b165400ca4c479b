package simulated

// What the paper has, as ratios where it can be: section 7.2. Where its text gives no number, it says what is above what.

// wanted8: "1Pipe scales linearly to 512 processes, achieving 5M messages per second per process. Reliable 1Pipe has 25%
// lower throughput than best effort", "the sequencer is a central bottleneck and introduces extra network delays", "token
// has low throughput".
var wanted8 = struct{ linear, reliable, above float64 }{linear: 0.9, reliable: 0.75, above: 1}

// wanted9a: "The average overhead (1.7~2.3 us) is almost constant with different number of the network layers and processes,
// which is half of the beacon interval plus average clock skew." "Reliable 1Pipe adds an RTT (2~10 us) to best effort". Here
// a tenth more is as good.
//
// "End host representatives introduce extra forwarding delay from the switch to the end host, which is ~2 us and contributes
// 10 us for the 5-hop topology."
var wanted9a = struct{ overhead, trips, hop float64 }{overhead: 2.3, trips: 1.1, hop: 2}

// wanted9b: "When loss rate is higher than 10^-5, latency of 1Pipe starts to grow", "R-1Pipe is more sensitive to packet
// loss", "Packet loss has little impact on throughput".
var wanted9b = struct{ knee, sensitive, rate float64 }{knee: 1.1, sensitive: 1, rate: 0.9}

// wanted10: figure 10 has 50 to 500 us, by what fails and by the number of hosts.
const wanted10 = 500

// wanted11: figure 11 has 5 M messages/s of each process whatever the delay, and up to 3.5 MB on a host of 16 processes.
var wanted11 = struct{ rate, memory float64 }{rate: 0.9, memory: 3500. / 16}

// wanted12: "with 10 background TCP flows per host, the latency inflation of BE-1Pipe and R-1Pipe are 30 and 50 us". "A higher
// oversubscription ratio would also increase latency."
var wanted12 = struct{ bestEffort, reliable float64 }{bestEffort: 30, reliable: 50}

// wantedTransactions: section 7.3 has transactions on keys with 1Pipe above two-phase commit with locks, which collapses
// when some keys are much more popular; 1Pipe does not. Its text is not at hand: what counts as no collapse is ours.
var wantedTransactions = struct{ skew, above float64 }{skew: 0.5, above: 1}
