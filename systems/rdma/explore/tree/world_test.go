package tree

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	p4rt "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/exploretest"
	"github.com/p4ce/p4ce/systems/rdma/control"
)

var options = explore.Options{Workers: 1, Time: 5 * time.Minute, Converge: 7}

// world is a world of a program; edit changes what its controller says.
func world(programs fs.FS, bounds string, edit func([]control.Step) []control.Step) (explore.Model, error) {
	return explore.Models(ParseBounds, func(b Bounds) (*Model, error) { return newModel(b, programs, edit) })(bounds)
}

// finds demands that a world whose controller is edited finds something.
func finds(t *testing.T, bounds, want string, edit func([]control.Step) []control.Step) {
	t.Helper()
	m, err := world(p4.FS, bounds, edit)
	if err != nil {
		t.Fatal(err)
	}
	if r := exploretest.Search(t, m, options); r.Violation == nil || !strings.Contains(r.Violation.Err.Error(), want) {
		t.Errorf("got %v, want %q", r.Violation, want)
	}
}

// TestBrokenProgram breaks the program, once for every property.
func TestBrokenProgram(t *testing.T) {
	model := func(programs fs.FS, bounds string) (explore.Model, error) { return world(programs, bounds, nil) }
	exploretest.Broken(t, p4.FS, model, options, []struct{ Name, Bounds, File, Old, New, Want string }{
		{"a relay does not look at the R_key", "sends=1 probes", "rdma/scatter.p4", "|| md.class == CLASS_RELAY_WRITE", "", "own packet"},
		{"a relay does not look how far a packet has come", "sends=1 probes", "rdma/group.p4", "(ROLE_RELAY, _, _, _, 0 &&& 0xfe) : relay_ttl();", "", "too far"},
		{"a relay does not look at the region", "sends=1 probes", "rdma/group.p4", `        md.class = CLASS_RELAY_WRITE;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        md.end_left = md.end + md.region_mask;`, `        md.class = CLASS_RELAY_WRITE;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;`, "beyond"},
		{"copies of a relay are not the home's", "sends=1", "rdma/group.p4", "hdr.ipv4.dst = hdr.ipv4.src;", "", "gets"},
		{"the leader hears of what some have", "sends=2 losses=1 resends=1", "rdma/gather.p4",
			"(CLASS_ACK, 1, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();", "(CLASS_ACK, 1, _, _, _, _, _, _, _, _, _, _) : answer_ack();", "for done"},
		{"the leader hears a NAK as it is", "sends=3 ahead=3 losses=2", "rdma/gather.p4", "hdr.bridge.psn = md.committed + PSN_ONE;", "hdr.bridge.psn = md.p + PSN_ONE;", "for done"},
	})
}

// TestBrokenOrder has the controller say what it says in another order, or not all of it.
func TestBrokenOrder(t *testing.T) {
	of := func(steps []control.Step, want func(control.Step) bool) (yes, no []control.Step) {
		for _, s := range steps {
			if want(s) {
				yes = append(yes, s)
			} else {
				no = append(no, s)
			}
		}
		return yes, no
	}
	atHome := func(s control.Step) bool { return s.Switch == home }
	over := func(s control.Step) bool { return s.Update.Type == p4rt.Update_DELETE }
	fresh := func(s control.Step) bool { return s.Update.Type == p4rt.Update_INSERT }
	for _, c := range []struct {
		name, want string
		edit       func([]control.Step) []control.Step
	}{
		{"the home before the relays", "gets what is for", func(s []control.Step) []control.Step { a, b := of(s, atHome); return append(a, b...) }},
		{"what is over goes first", "gets what is for", func(s []control.Step) []control.Step { a, b := of(s, over); return append(a, b...) }},
		{"the new relay is not told", "gets what is for", func(s []control.Step) []control.Step { _, b := of(s, fresh); return b }},
		{"the home is not told", "gets what is for", func(s []control.Step) []control.Step { _, b := of(s, atHome); return b }},
		{"the new relay lacks the rewriting of one copy", "has heard of", func(s []control.Step) []control.Step { return s[1:] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			finds(t, "sends=1 resends=1 change", c.want, c.edit)
		})
	}
}

// TestHasty: relays must be left until what is under way has passed.
func TestHasty(t *testing.T) { finds(t, "sends=1 change hasty", "gets what is for", nil) }

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	exploretest.Kept(t, Kept, explore.Models(ParseBounds, NewModel), options)
}

func TestBounds(t *testing.T) {
	exploretest.Bounds(t, ParseBounds, Kept, "sends", "sends=x", "probes=1", "sends=31", "ahead=0", "no=1")
}
