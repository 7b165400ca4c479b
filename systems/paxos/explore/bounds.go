package explore

import (
	"fmt"

	"github.com/p4ce/p4ce/sim/explore"
)

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	Requests  int  // values that are sent to the first leader
	Later     int  // to the second one, when it leads
	Takeovers int  // 1: a second leader takes over
	Gaps      int  // instances that the controller closes, in a round of their own
	Repeats   int  // messages that arrive and stay in flight
	Forgets   int  // acceptors that lose their registers
	Changes   int  // 1: the take-over takes up an acceptor that has forgotten, in its own place
	Trims     int  // instances that are trimmed after the replica has them
	Learner   bool // votes are under way to a switch that learns; else somebody hears of them at once
	Votes     bool // nothing but votes: of rounds 1 and 2 in one instance, and after a lap in its cell
	Lapped    bool // two instances were chosen without acceptor 2 and trimmed; what was sent to it first is still under way
	Probes    bool // messages of a stranger in every state
	Changed   bool // an instance was chosen with acceptor 2, which has forgotten and is taken up anew, and the second leader leads
	Alone     bool // of the acceptors of before nobody is asked any more as soon as the second leader leads
	OneRound  bool // the second leader leads in the first one's round: the paper's round 0
}

// ParseBounds reads "requests=2 takeovers=1".
func ParseBounds(text string) (Bounds, error) {
	var b Bounds
	if err := explore.ParseBounds(text, &b, 9); err != nil {
		return b, err
	}
	switch {
	case b.Takeovers > 1 || b.Gaps > 1:
		return b, fmt.Errorf("want takeovers and gaps of 0 or 1")
	case b.Changes > b.Takeovers:
		return b, fmt.Errorf("changes=%d: 1 is the most, in a take-over", b.Changes)
	case b.Votes && (!b.Learner || b.Requests+b.Later+b.Takeovers+b.Gaps+b.Forgets > 0):
		return b, fmt.Errorf("votes: wants learner, and nothing else")
	case b.Later > 0 && b.Takeovers == 0 && !b.OneRound && !b.Changed:
		return b, fmt.Errorf("later=%d: nobody takes over", b.Later)
	}
	return b, nil
}
