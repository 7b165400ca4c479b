package stf_test

// l2Mutants break what the scripts of l2 test.
var l2Mutants = map[string][][2]string{
	"punt_limited": {
		{"== METER_RED", "== 1"},
		{"port ++ reason[3:0]", "9w0 ++ reason[3:0]"},
		{"limited.count(port);", ""},
	},
	"learn": {
		{"md.learn = 1;", ""},
		{"if (md.learn == 1 || md.moved != 0)", "if (true)"},
		{"{ hdr.ethernet.src, hdr.bridge.ingress_port }", "{ hdr.ethernet.dst, hdr.bridge.ingress_port }"},
		{"ig_tm_md.mcast_grp_a = FLOOD_GROUP;", ""},
	},
	"move": {
		{"md.learn == 1 || md.moved != 0", "md.learn == 1"},
		{"md.moved = ig_intr_md.ingress_port ^ port;", "md.moved = port;"},
		{"{ hdr.ethernet.src, hdr.bridge.ingress_port }", "{ hdr.ethernet.src, 9w1 }"},
	},
	"flood": {
		{"const entries = { 0 : prune(); }", ""},
		{"{ 0 : prune(); }", "{ 1 : prune(); }"},
		{"pruned.count(eg_intr_md.egress_port);", ""},
	},
	"same_port": {{"md.way = hdr.bridge.ingress_port ^ eg_intr_md.egress_port;", "md.way = hdr.bridge.ingress_port ^ eg_intr_md.egress_port; if (eg_intr_md.egress_rid == 0) { md.way = 1; }"}},
	"reserved": {
		{"0xfffffffffff0", "0xffffffffffff"},
		{"0xfffffffffff0", "0xffffffffffe0"},
		{"md.drop == DROP_NONE && md.reason == REASON_NONE", "md.drop == DROP_NONE"},
		{"packet_in.ingress_port = port;", "packet_in.ingress_port = 0;"},
		{"packet_in.reason = reason;", "packet_in.reason = 0;"},
	},
	"group_source": {
		{"(0x010000000000 &&& 0x010000000000, _) : bad_source();", ""},
		{"md.drop == DROP_NONE && md.reason == REASON_NONE", "md.reason == REASON_NONE"},
		{"drops.count(md.drop);", ""},
	},
	"packet_out": {
		{"ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;", ""},
		{"pkt.emit(hdr.ethernet);", "pkt.emit(hdr.packet_out);"},
	},
	"counters": {
		{"port_rx.count(ig_intr_md.ingress_port);", ""},
		{"port_tx.count(eg_intr_md.egress_port);", ""},
		{"port_tx.count(eg_intr_md.egress_port);", "port_tx.count(hdr.bridge.ingress_port);"},
	},
}
