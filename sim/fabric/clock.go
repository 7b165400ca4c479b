package fabric

// Clock is what a node takes for the time: the run's, with an offset and a drift.
type Clock struct {
	Offset Time
	Drift  int64 // parts per billion; positive: it is fast
}

const billion = 1_000_000_000

// scaled is t * n / 10^9, rounded down, without overflow.
func scaled(t Time, n int64) Time {
	q, r := int64(t)/billion, int64(t)%billion
	return Time(q*n + (r*n)/billion)
}

// Local is the node's time at a time of the run.
func (c *Clock) Local(t Time) Time {
	if c.Drift == 0 {
		return t + c.Offset
	}
	return t + c.Offset + scaled(t, c.Drift)
}

// Global is the first time of the run at which the node's is at least local.
func (c *Clock) Global(local Time) Time {
	if local == Never {
		return Never
	}
	t := local - c.Offset
	for range 8 { // each step is as much nearer as the drift is small
		t += local - c.Local(t)
	}
	for c.Local(t) < local {
		t++
	}
	for c.Local(t-1) >= local {
		t--
	}
	return t
}
