package gather

import "github.com/p4ce/p4ce/sim/explore"

// Kept are the worlds that are explored again and again.
var Kept = []explore.Kept{
	{Name: "quorum", Shows: "two of three: copies and ACKs lost, repeated, out of order", Bounds: "sends=3 losses=1 drops=1 flight=1 resends=1"},
	{Name: "one", Shows: "one of three", Bounds: "f=1 sends=4 losses=1 repeats=1 flight=1"},
	{Name: "everybody", Shows: "all of three: go-back-N", Bounds: "f=3 sends=4 losses=1 resends=2 flight=1"},
	{Name: "round", Shows: "a replica is left behind, and all PSNs come round", Bounds: "sends=20 losses=1 ahead=1 flight=1"},
	{Name: "late", Shows: "an ACK is under way while all PSNs come round", Bounds: "sends=17 ahead=1 straight repeats=1 flight=1"},
	{Name: "next-group", Shows: "a group ends, the next begins in its slots, and ACKs come late", Bounds: "sends=3 losses=1 groups=1 repeats=1 flight=1"},
	{Name: "strangers", Shows: "hostile packets in every state", Bounds: "sends=3 losses=1 probes"},

	{Name: "egress-quorum", Shows: "two of three where the egress gathers", Bounds: "sends=3 losses=1 drops=1 flight=1 resends=1 egress"},
	{Name: "egress-one", Shows: "one of three there", Bounds: "f=1 sends=4 losses=1 repeats=1 flight=1 egress"},
	{Name: "egress-everybody", Shows: "all of three there", Bounds: "f=3 sends=4 losses=1 resends=2 flight=1 egress"},
	{Name: "egress-round", Shows: "a replica is left behind there", Bounds: "sends=20 losses=1 ahead=1 flight=1 egress"},
	{Name: "egress-late", Shows: "an ACK is under way there while all PSNs come round", Bounds: "sends=17 ahead=1 straight repeats=1 flight=1 egress"},
	{Name: "egress-next-group", Shows: "the next group in the same slots there", Bounds: "sends=3 losses=1 groups=1 repeats=1 flight=1 egress"},
	{Name: "egress-strangers", Shows: "hostile packets there", Bounds: "sends=3 losses=1 probes egress"},

	{Name: "round-one", Shows: "the same when one replica makes a quorum", Bounds: "f=1 sends=20 losses=1 ahead=1 flight=1 straight", Large: true},
	{Name: "quorum-more", Shows: "two of three, more of it", Bounds: "sends=5 losses=2 drops=1 repeats=1", Large: true},
}
