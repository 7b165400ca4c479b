package stf_test

// Parts of paxos.p4 that its mutants change.
const (
	paxosKept     = "if (cell.inst == hdr.paxos.inst && cell.rnd > hdr.paxos.rnd) {"
	paxosCounted  = "if (!(cell.inst == hdr.paxos.inst && cell.rnd > hdr.paxos.rnd)) {"
	paxosAsAny    = "(1, 1, ACT_ACCEPT, _, 1, 1, 0, 0) : promise_kept();"
	paxosNotKnown = "(_, 0, _, _, _, _, _, _, _) : discard(DROP_ROUND);\n            (_, _, 0, _, _, _, _, _, _) : discard(DROP_ROUND);\n"
	paxosPrepare  = "(1, 1, ACT_PREPARE, _, 1, 1, 0, 0) : promise_kept();"
)

// paxosMutants break what the scripts of paxos test.
var paxosMutants = map[string][][2]string{
	"punt_limited": {
		{"== METER_RED", "== 1"},
		{"port ++ reason[3:0]", "9w0 ++ reason[3:0]"},
		{"port ++ reason[3:0]", "port ++ 4w1"},
		{"limited.count(port);", ""},
	},
	"leader_assign": {
		{"inst = inst + 1;", "inst = inst + 2;"},
		{"hdr.paxos.inst = next_take.execute(md.app);", "next_take.execute(md.app);"},
		{"hdr.paxos.kind = kind;\n        hdr.ethernet.src = src_mac;", "hdr.ethernet.src = src_mac;"},
		{"hdr.udp.dst_port = dst_port;", "hdr.udp.dst_port = 1;"},
		{"md.sum = ~hdr.bridge.sum;", "md.sum = hdr.bridge.sum;"},
	},
	"leader_ignores_round": {
		{"hdr.paxos.rnd = rnd;\n        hdr.paxos.vrnd = 0;", "hdr.paxos.vrnd = 0;"},
		{"hdr.paxos.rnd = rnd;\n        hdr.paxos.vrnd = 0;", "hdr.paxos.rnd = rnd;"},
		{"hdr.paxos.vrnd = 0;\n        hdr.paxos.flags = 0;", "hdr.paxos.vrnd = 0;"},
	},
	"leader_full": {
		{"if ((int<32>)(inst - md.last) <= 0) {", "if (true) {"},
		{"(1, 1, 1, 1, _, _, _) : refuse(DROP_FULL);", ""},
	},
	"leader_no_role": {{"(1, 0, _, _, _, _, _) : refuse(DROP_NO_ROLE);", ""}},
	"leader_amnesia": {
		{"if (now == md.life) {", "if (true) {"},
		{"(0, _, _, _, _, _, _) : refuse(DROP_AMNESIA);\n            (1, 0", "(1, 0"},
	},
	"accept_vote": {
		{"hdr.paxos.acceptor = index;", ""},
		{"(_, _, _, _, _, _, _, _, 0) : become(BECAME_VOTE);", ""},
		{"inst = hdr.paxos.inst;\n            }", "}"},
		{"x = hdr.piece3.w3;", ""},
		{"cell.inst = hdr.paxos.inst;\n                cell.rnd = hdr.paxos.rnd;\n                again = 0;", "cell.rnd = hdr.paxos.rnd;\n                again = 0;"},
	},
	"accept_stale": {
		{paxosKept, "if (false) {"},
		{paxosKept, "if (cell.rnd > hdr.paxos.rnd && cell.inst != hdr.paxos.inst) {"},
		{"(_, _, _, _, _, 0, _, _, _) : discard(DROP_STALE);", ""},
	},
	"accept_below_floor": {
		{paxosAsAny, "(1, 1, ACT_ACCEPT, _, 1, _, 0, 0) : promise_kept();"},
	},
	"accept_window": {
		{"(_, _, _, _, 1, _, _, _, _) : discard(DROP_WINDOW);", ""},
		{"(_, _, _, 1, _, _, _, _, _) : discard(DROP_WINDOW);", ""},
		{"md.ahead = md.last - hdr.paxos.inst;", "md.ahead = 0;"},
		{"behind = hdr.paxos.inst - inst;", "behind = 0;"},
	},
	"accept_foreign_round": {
		{paxosAsAny, "(1, 1, ACT_ACCEPT, _, _, 1, 0, 0) : promise_kept();"},
		{"hdr.ipv4.src : exact;\n            md.port_class : exact @name(\"port_class\");\n        }\n        actions = { owned;", "md.port_class : exact @name(\"port_class\");\n        }\n        actions = { owned;"},
		{"(_, _, 0, _, _, _, _, _, _) : discard(DROP_ROUND);", ""},
	},
	"accept_amnesia": {
		{"if (now == md.life) {", "if (true) {"},
		{"(0, _, _, _, _, _, _, _, _) : discard(DROP_AMNESIA);", ""},
	},
	"accept_no_role": {{"(_, 0, _, _, _, _, _, _, _) : discard(DROP_NO_ROLE);", ""}},
	"accept_ring": {
		{paxosKept, "if (cell.rnd > hdr.paxos.rnd) {"},
		{"cell.inst = hdr.paxos.inst;\n                cell.rnd = hdr.paxos.rnd;\n                again = 0;", "cell.rnd = hdr.paxos.rnd;\n                again = 0;"},
	},
	"accept_port": {{"md.port_class : exact @name(\"port_class\");\n        }\n        actions = { owned;", "}\n        actions = { owned;"}},
	"learn_port": {
		{"md.port_class : exact @name(\"port_class\");\n        }\n        actions = { voter;", "}\n        actions = { voter;"},
		{"hdr.ipv4.src : exact;\n            hdr.paxos.acceptor : exact;\n", "hdr.ipv4.src : exact;\n"},
	},
	"leader_stranger": {
		{"md.leads == 1 && md.alive == 1 && md.proposer == 1", "md.leads == 1 && md.alive == 1"},
		{"(1, 1, 0, _, _, _, _) : refuse(DROP_PROPOSER);", ""},
		{"hdr.ipv4.src : exact;\n            md.port_class : exact @name(\"port_class\");\n        }\n        actions = { may_propose;", "hdr.ipv4.src : exact;\n        }\n        actions = { may_propose;"},
		{"hdr.ipv4.src : exact;\n            md.port_class : exact @name(\"port_class\");\n        }\n        actions = { may_propose;", "md.port_class : exact @name(\"port_class\");\n        }\n        actions = { may_propose;"},
	},
	"accept_again": {
		{"again = 1;\n            } else {", "again = 0;\n            } else {"},
		{"if (cell.inst == hdr.paxos.inst && cell.rnd == hdr.paxos.rnd) {", "if (cell.inst == hdr.paxos.inst) {"},
		{"(1, ACT_ACCEPT, 1, true) : client_load();", ""},
		{"(_, _, _, _, _, _, 1, false, _) : discard(DROP_VOTED);", ""},
		{paxosKept, "if (cell.inst == hdr.paxos.inst && cell.rnd >= hdr.paxos.rnd) {"},
	},
	"prepare_empty": {
		{paxosPrepare, ""},
		{"(_, _, _, _, _, 1) : answer(MSG_PROMISE);", ""},
		{"ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;", ""},
		{"hdr.ipv4.src = hdr.ipv4.dst;", ""},
		{"hdr.udp.dst_port = md.port;", "hdr.udp.dst_port = 0;"},
	},
	"prepare_voted": {
		{"hdr.paxos.vrnd = vote_get.execute(md.cell);", ""},
		{"(1, ACT_PREPARE) : vote_look();", ""},
		{"hdr.piece3.w3 = value15_get.execute(md.cell);", ""},
		{"hdr.paxos.client = client_get.execute(md.cell);", ""},
		{"(1, 1, ACT_PREPARE, _, 1, 1, 0, 0) : promise_kept();", "(1, 1, ACT_PREPARE, _, 1, 1, 0, 0) : nothing_changes();"},
	},
	"prepare_lap": {{"if (cell.inst == hdr.paxos.inst) {\n                rnd = cell.rnd;", "if (true) {\n                rnd = cell.rnd;"}},
	"prepare_stale": {
		{paxosKept, "if (false) {"},
		{"(_, _, _, _, _, 0) : refuse(DROP_STALE);", ""},
	},
	"prepare_below_floor": {
		{paxosPrepare, "(1, 1, ACT_PREPARE, _, 1, _, 0, 0) : promise_kept();"},
	},
	"prepare_foreign_round": {
		{paxosPrepare, "(1, 1, ACT_PREPARE, _, _, 1, 0, 0) : promise_kept();"},
		{"(_, _, 0, _, _, _) : refuse(DROP_ROUND);", ""},
	},
	"prepare_window": {
		{"(_, _, _, 1, _, _) : refuse(DROP_WINDOW);", ""},
		{"(_, _, _, _, 1, _) : refuse(DROP_WINDOW);", ""},
	},
	"prepare_amnesia": {{"(0, _, _, _, _, _) : refuse(DROP_AMNESIA);\n            (_, 0", "(_, 0"}},
	"prepare_no_role": {{"(_, 0, _, _, _, _) : refuse(DROP_NO_ROLE);", ""}},
	"prepare_short":   {{"(AT_ACCEPTOR, MSG_PREPARE, true, false, false)", "(AT_ACCEPTOR, MSG_PREPARE, _, false, false)"}},
	"floor_raise": {
		{"rnd = hdr.paxos.rnd;\n                above = 1;", "above = 1;"},
		{"hdr.paxos.inst = highest_get.execute(md.app);", ""},
		{"(1, 1, ACT_ACCEPT, _, 1, 0, 0) : seen();", ""},
		{"(_, _, _, 1) : answer(MSG_FLOORED);", ""},
	},
	"floor_stale": {
		{"if (rnd <= hdr.paxos.rnd) {\n                rnd", "if (true) {\n                rnd"},
		{"(_, _, _, 0) : refuse(DROP_STALE);", ""},
	},
	"floor_foreign_round": {
		{"(1, 1, ACT_FLOOR, 1) : raise();", "(1, 1, ACT_FLOOR, _) : raise();"},
		{"(_, _, 0, _) : refuse(DROP_ROUND);", ""},
	},
	"floor_amnesia": {
		{"(0, _, _, _) : refuse(DROP_AMNESIA);", ""},
		{"if (now == md.life) {", "if (true) {"},
	},
	"floor_no_role": {{"(_, 0, _, _) : refuse(DROP_NO_ROLE);", ""}},
	"query_vote": {
		{"(1, ACT_QUERY) : vote_look();", ""},
		{"hdr.paxos.flags = FLAG_AGAIN;", ""},
		{"hdr.paxos.rnd = hdr.paxos.vrnd;", ""},
		{"hdr.paxos.rnd = hdr.paxos.vrnd;\n        hdr.paxos.vrnd = 0;", "hdr.paxos.rnd = hdr.paxos.vrnd;"},
	},
	"query_not_voted": {{"(_, _, _, _, 0) : refuse(DROP_NOT_VOTED);", ""}},
	"query_window": {
		{"(_, _, 1, _, _) : refuse(DROP_WINDOW);", ""},
		{"(_, _, _, 1, _) : refuse(DROP_WINDOW);", ""},
	},
	"query_amnesia": {{"(0, _, _, _, _) : refuse(DROP_AMNESIA);", ""}},
	"query_no_role": {{"(_, 0, _, _, _) : refuse(DROP_NO_ROLE);", ""}},
	"learn_majority": {
		{"(1, 0, 3, 0x01 &&& 0x01, 0x04) : reached();", ""},
		{"all = all | md.voter;", "all = md.voter;"},
		{"(1, 0, 3, 0x05 &&& 0x05, _) : had();", ""},
		{"before = all;\n            all = all | md.voter;", "before = 0;\n            all = all | md.voter;"},
	},
	"learn_majority_of_1": {{"(1, 0, 1, 0x00 &&& 0x00, 0x01) : reached();", ""}},
	"learn_majority_of_5": {{"(1, 0, 5, 0x03 &&& 0x03, 0x04) : reached();", ""}, {"(1, 0, 5, 0x07 &&& 0x07, _) : had();", ""}},
	"learn_higher_round": {
		{"(1, _) : begin();", "(1, _) : add();"},
		{"(1, 0x80000000 &&& 0x80000000) : too_late();", ""},
		{paxosCounted, "if (true) {"},
		{"(_, _, _, _, _, 1, _, _, _) : discard(DROP_STALE);", ""},
	},
	"learn_stranger": {
		{"(1, 1, ACT_LEARN, _, 0, 0, _, _) : nobody();", ""},
		{"(_, 0, _, _, _, _, _, _, _) : discard(DROP_ROUND);", ""},
		{"hdr.ipv4.src : exact;\n            hdr.paxos.acceptor : exact;\n", "hdr.paxos.acceptor : exact;\n"},
	},
	"learn_window": {
		{"(1, 1, ACT_LEARN, _, 0, _, 0, 0) : take();", "(1, 1, ACT_LEARN, _, 0, _, _, _) : take();"},
		{paxosNotKnown + "            (_, _, _, 1, _, _, _, _, _) : discard(DROP_WINDOW);\n", paxosNotKnown},
		{"(_, _, _, _, 1, _, _, _, _) : discard(DROP_WINDOW);\n            (_, _, _, _, _, 1", "(_, _, _, _, _, 1"},
	},
	"learn_lap": {{"if (cell.inst == hdr.paxos.inst) {\n                before = cell.rnd;", "if (true) {\n                before = cell.rnd;"}},
	"learn_again": {
		{"(_, _, _, _, _, _, _, 1, 1) : become(BECAME_DELIVER);", ""},
		{"(_, _, _, _, _, _, _, 1, 1) : become(BECAME_DELIVER);", "(_, _, _, _, _, _, _, 1, _) : become(BECAME_DELIVER);"},
	},
	"learn_again_not_chosen": {{"(_, _, _, _, _, _, _, 1, 1) : become(BECAME_DELIVER);", "(_, _, _, _, _, _, _, _, 1) : become(BECAME_DELIVER);"}},
	"learn_amnesia": {
		{"(0, _, _, _, _, _, _, _, _) : discard(DROP_AMNESIA);\n            (_, 0, _, _, _, _, _, _, _) : discard(DROP_ROUND)", "(_, 0, _, _, _, _, _, _, _) : discard(DROP_ROUND)"},
		{"if (now == md.life) {", "if (true) {"},
	},
	"one_switch": {
		{"(1, 1, ACT_REQUEST, 1, 1, _, 0, _) : take();", ""},
		{"(1, 1, ACT_REQUEST, 1, _, 1, 0, _) : promise_kept();", ""},
		{"(1, 1, 1, 0, 1, 1, 0) : become(BECAME_ACCEPT | BECAME_VOTE);", ""},
		{"md.want = md.want & hdr.bridge.became;", ""},
	},
	"one_switch_alone":   {{"(1, 1, 1, 0, 1, 1, 1) : become(BECAME_ACCEPT | BECAME_VOTE | BECAME_DELIVER);", ""}},
	"own_vote_elsewhere": {{"md.counted_here = counted;", "md.counted_here = 1;"}},
	"wrong_role": {
		{"(false, false, MSG_REQUEST) : refuse(DROP_MESSAGE);", ""},
		{"const default_action = discard(DROP_MESSAGE);", "const default_action = refuse(DROP_MESSAGE);"},
	},
	"damaged": {
		{"(true, false, _) : discard(DROP_MALFORMED);", ""},
		{"(false, true, _) : discard(DROP_UDP_CHECKSUM);", ""},
		{"} else if (md.checksum_error) {", "} else if (false) {"},
		{"(AT_LEADER, MSG_REQUEST, _, false, false)", "(AT_LEADER, MSG_REQUEST, _, false, true)"},
	},
	"plain": {
		{"if (md.at == AT_NONE) {", "if (false) {"},
		{"packet_in.ingress_port = port;", "packet_in.ingress_port = 0;"},
	},
	"copies_count": {
		{"sent.count(eg_intr_md.egress_rid[15:0]);", ""},
		{"taken.count(md.act);", ""},
		{"port_rx.count(ig_intr_md.ingress_port);", ""},
		{"port_tx.count(eg_intr_md.egress_port);", ""},
	},
}
