package stf_test

// l2Mutants break what the scripts of l2 test.
var l2Mutants = map[string][][2]string{
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
		{"if (md.way == 0)", "if (false)"},
		{"if (md.way == 0)", "if (eg_intr_md.egress_port == 1)"},
		{"pruned.count(eg_intr_md.egress_port);", ""},
	},
	"same_port": {{"if (md.way == 0)", "if (md.way == 0 && eg_intr_md.egress_rid != 0)"}},
	"reserved": {
		{"0xfffffffffff0", "0xffffffffffff"},
		{"0xfffffffffff0", "0xffffffffffe0"},
		{"md.drop == DROP_NONE && md.reason == REASON_NONE", "md.drop == DROP_NONE"},
		{"hdr.packet_in.ingress_port = hdr.bridge.ingress_port;", "hdr.packet_in.ingress_port = 0;"},
		{"hdr.packet_in.reason = hdr.bridge.reason;", "hdr.packet_in.reason = 0;"},
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
