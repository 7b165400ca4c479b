package explore

import (
	"errors"

	"github.com/p4ce/p4ce/sim/explore"
)

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	One     int  // messages to the first group
	Both    int  // messages to both groups
	Members int  // of the first group: 1 or 3
	Ticks   int  // timers that fire
	Repeats int  // packets that arrive and stay in flight
	Changes int  // new epochs of the first group
	Forgets int  // members of the first group that lose their registers
	Dies    int  // senders that die
	Losses  int  // with fair: packets that are lost; else anything may stay in flight
	Fair    bool // packets arrive in the order in which they were sent, but for those that are lost or come again
}

// ParseBounds reads "one=1 both=1 members=3".
func ParseBounds(text string) (Bounds, error) {
	b := Bounds{}
	if err := explore.ParseBounds(text, &b, 99); err != nil {
		return b, err
	}
	if b.Members == 0 {
		b.Members = 1
	}
	switch {
	case b.Members != 1 && b.Members != 3:
		return b, errors.New("want 1 or 3 members")
	case b.Members == 1 && b.Changes+b.Forgets > 0:
		return b, errors.New("changes and forgets: want 3 members")
	case b.One+b.Both > maxMessages:
		return b, errors.New("want six messages at most")
	}
	return b, nil
}
