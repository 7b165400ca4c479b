// Package report is what all benchmarks have in common: the samples of a run, the
// machine on which it was made, and how both are written down: a table, CSV, JSON, and
// figures (SVG and PNG).
//
// A sample is one value of a metric, of one system (such as "direct"), in one case
// (such as "2 replicas"), at one point of the figure's axis, in one repetition.
// Repetitions are interleaved by who measures (A B A B), so that a change of the
// machine's state meets all systems. Systems are compared by the median of the ratios
// of the repetitions, not by the ratio of medians: what disturbs a repetition disturbs
// both sides of its ratio. A verdict is on the interval in which the median is with a
// confidence of 90 %, not on the median alone.
//
// A run beside which the machine did something else says so (Disturbed) and is not
// called clean; its ratios stand, with their intervals, and its other figures do not (Judged). Of one in simulated time (BeginSimulated) neither is said: nobody has looked.
package report
