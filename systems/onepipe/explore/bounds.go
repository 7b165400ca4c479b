package explore

import (
	"errors"

	"github.com/p4ce/p4ce/sim/explore"
)

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	Once     int // scatterings by best effort, each to both others
	Reliable int // scatterings that are reliable
	Ticks    int // steps of the clocks
	Losses   int // frames that links lose
	Repeats  int // frames of which a copy comes at any later time
	Holds    int // things that are held up, for any time
	Jumps    int // clocks that fall back
	Kills    int // hosts that die
	Cuts     int // links that fail, in both directions
	Fails    int // times that the spine fails, and forgets everything
	Heals    int // links and switches that come back; at the end all do
	Restarts int // controllers that die, and are replaced
	Forgets  int // times that a switch and the controller forget everything at the same time
	Holes    int // times that a host does not reach another one any more, for good
	Hangs    int // agents of switches that hang, for any time
	Skew     int // by how many steps h2's clock is ahead of h1's, and h3's behind; who joins is behind both
	CPU      int // switches whose CPUs send the beacons: 1, the leaf; 2, the spine, too
	Rare     int // for random ways: something fails at one of so many moments only, which the first action chooses

	Free    bool // everything that is due happens in any order; each clock goes by itself
	Anytime bool // scatterings are sent at any time; else all at the beginning
	Long    bool // messages of two fragments
	Small   bool // windows of two fragments, and processes that receive when they like
	Control bool // the controller looks after failures
	Probes  bool // packets of strangers and liars in every state
	Returns bool // hosts that have failed, and live, are told so, and deliver what the others do
	Joins   bool // h2 is not there in the beginning, and joins
}

// ParseBounds reads "reliable=1 ticks=6 losses=1".
func ParseBounds(text string) (Bounds, error) {
	b := Bounds{}
	if err := explore.ParseBounds(text, &b, 60); err != nil {
		return b, err
	}
	switch {
	case b.Once+b.Reliable > maxScatterings:
		return b, errors.New("want four scatterings at most")
	case !b.Control && b.Kills+b.Cuts+b.Fails+b.Heals+b.Restarts+b.Forgets+b.Holes+b.Hangs > 0 || !b.Control && b.Joins:
		return b, errors.New("without control nobody looks after what fails or joins")
	case b.Returns && (!b.Control || b.Small):
		return b, errors.New("returns: the controller tells who has failed, and processes receive at once")
	case b.CPU > switches:
		return b, errors.New("there are two switches")
	case b.CPU > 0 && b.Probes:
		return b, errors.New("probes look into switches whose data planes know the barriers")
	case b.Free && (b.Control || b.Holds > 0):
		return b, errors.New("free: everything is held up anyway, and the controller is not there")
	}
	return b, nil
}
