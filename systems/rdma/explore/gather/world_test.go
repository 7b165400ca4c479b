package gather

import (
	"io/fs"
	"testing"
	"time"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/exploretest"
)

var options = explore.Options{Workers: 1, Time: 5 * time.Minute}

// world is a world of a program.
func world(programs fs.FS, bounds string) (explore.Model, error) {
	return explore.Models(ParseBounds, func(b Bounds) (*Model, error) { return newModel(b, programs) })(bounds)
}

// TestBrokenRules breaks the program, once for every property.
func TestBrokenRules(t *testing.T) {
	long.Test(t)
	exploretest.Broken(t, p4.FS, world, options, []struct{ Name, Bounds, File, Old, New, Want string }{
		{"an ACK counts whatever its PSN", "sends=12 ahead=1 f=1", "rdma/slots.p4",
			"if ((int<32>)(psn - md.p) >= 0 && (int<32>)(psn - md.edge) <= 0) {", "if ((int<32>)(md.p - md.p) >= 0) {", "slot"},
		{"a slot that is left behind is not out", "sends=20 losses=1 ahead=1 flight=1", "rdma/slots.p4", "held.lost = 1;", "", "is not out"},
		{"a NAK is passed on as it is", "sends=3 losses=1", "rdma/gather.p4", "hdr.bridge.psn = md.committed + PSN_ONE;", "hdr.bridge.psn = md.p + PSN_ONE;", "for done"},
		{"an ACK goes on without a quorum", "sends=3 losses=1", "rdma/gather.p4",
			"(CLASS_ACK, 1, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();", "(CLASS_ACK, 1, _, _, _, _, _, _, _, _, _, _) : answer_ack();", "for done"},
		{"one replica's credits are not looked at", "sends=3 losses=1", "rdma/gather.p4", "md.credit0 = min(md.credit0, md.credit1);", "", "credits"},
		{"a request is not heard of where the egress gathers", "sends=3 egress", "rdma/parser.p4", "md.class = CLASS_COPY;", "", "last one sent"},
		{"the copy for the leader's port goes out", "sends=3 egress", "rdma/answers.p4", "further */\n            drop_ctl = 1;", "further */", "a copy of packet"},
		{"what is absorbed goes out there", "sends=3 losses=1 egress", "rdma/gather.p4", "        drop_ctl = 1;", "", "for done"},
		{"the ICRC of ACKs is not checked", "sends=2 probes", "rdma/group.p4", "(ROLE_GATHER, RC_ACK, _, 0, _) : damaged();", "", "flipped bit"},
	})
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	exploretest.Kept(t, Kept, explore.Models(ParseBounds, NewModel), options)
}

func TestBounds(t *testing.T) {
	exploretest.Bounds(t, ParseBounds, Kept, "sends", "sends=x", "probes=1", "f=0", "f=4", "ahead=5", "flight=0", "groups=2", "no=1")
}
