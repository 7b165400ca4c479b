package simulated

// What the paper has, as ratios where it can be: section 7.2. Where its text gives no number, it says what is above what.

// wanted8: "1Pipe scales linearly to 512 processes, achieving 5M messages per second per process. Reliable 1Pipe has 25%
// lower throughput than best effort", "the sequencer is a central bottleneck and introduces extra network delays", "token
// has low throughput".
var wanted8 = struct{ linear, reliable, above float64 }{linear: 0.9, reliable: 0.75, above: 1}
