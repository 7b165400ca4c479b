package consensus

import (
	"fmt"

	"github.com/p4ce/p4ce/sim/explore"
)

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	Servers  int    // ids from 0
	Entries  int    // proposals
	Large    int    `most:"65536"` // bytes of a record; default 1
	Barriers int    // read barriers
	Cuts     int    // servers that are cut off, one by one
	Loses    int    // connections that end for no reason
	Torn     int    // WRITEs that end half-way, with their connection
	Crashes  int    // processes that end; their memory is lost
	Victims  string // ids of servers that may be cut off or crash; default all
	Beats    int    // times that all see who lives
	Times    int    // times that 25 ms pass for one server
	Misses   int    // copies of WRITEs to a group that are lost
	Groups   int    // groups that can be formed, beside that of the beginning
	Switch   bool   // there is one, and the first leader begins accelerated
	Join     bool   // server number Servers has caught up, and may be made a member
	Remove   string // ids of servers that may be removed
	Batch    bool   // several completions may be reported at once, beside one
	Late     bool   // what was posted on a connection may be executed when it has ended
	Split    bool   // READs, and WRITEs to election regions, are executed and reported in two steps
	Lag      bool   // entries are applied in a step of its own
	Order    bool   // what is due happens in one order, except for what is held up
	Holds    int    // with Order: connections and servers that are held up, until they are let go on
	Durable  bool   // promises and entries are on disk before they count
	Bare     bool   // cores run no warm-up: everything happens in the search
}

// ParseBounds reads "servers=3 entries=2 batch".
func ParseBounds(text string) (Bounds, error) {
	var b Bounds
	if err := explore.ParseBounds(text, &b, 200); err != nil {
		return b, err
	}
	if b.Servers == 0 {
		b.Servers = 3
	}
	if b.Servers > 7 {
		return b, fmt.Errorf("servers=%d: want 1 to 7", b.Servers)
	}
	for _, r := range b.Remove + b.Victims {
		if r < '0' || int(r-'0') > b.Servers {
			return b, fmt.Errorf("remove=%s victims=%s: want ids of servers", b.Remove, b.Victims)
		}
	}
	return b, nil
}
