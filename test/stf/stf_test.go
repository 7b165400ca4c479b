package stf_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/lab/world"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	names "github.com/p4ce/p4ce/p4/rdma"
)

const cpuPort = dataplane.Port(names.PortCPU)

// scripts are all tests of this directory, by name.
func scripts(t *testing.T) map[string]*stf.Script {
	t.Helper()
	files, err := filepath.Glob("*.stf")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string]*stf.Script{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		s, err := stf.Parse(f, text)
		require.NoError(t, err)
		out[strings.TrimSuffix(f, ".stf")] = s
	}
	return out
}

func TestPackets(t *testing.T) {
	obj, err := bpf.Object("rdma")
	require.NoError(t, err)
	pipe := &dataplane.Pipeline{Program: world.Program(t), Object: obj}
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" && os.Geteuid() != 0 {
				t.Skip("XDP needs root")
			}
			if target == "xdp" && testing.Short() {
				t.Skip("loading the programs into the kernel for every script takes seconds")
			}
			for name, o := range runAll(scripts(t), pipe, target) {
				t.Run(name, func(t *testing.T) {
					require.NoError(t, o.err)
					require.True(t, o.res.OK(), o.res.String())
				})
			}
		})
	}
}

type outcome struct {
	res *stf.Result
	err error
}

// runAll runs scripts on targets of their own, several at a time: loading
// programs into the kernel is mostly waiting.
func runAll(all map[string]*stf.Script, pipe *dataplane.Pipeline, target string) map[string]outcome {
	var mu sync.Mutex
	var wg sync.WaitGroup
	out := map[string]outcome{}
	free := make(chan struct{}, 8)
	for name, s := range all {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			res, err := testbed.Run(s, pipe, target, cpuPort)
			mu.Lock()
			defer mu.Unlock()
			out[name] = outcome{res, err}
		})
	}
	wg.Wait()
	return out
}

// mutants are changes of rdma.p4 that break what a script tests: old text, new
// text.
var mutants = map[string][][2]string{
	"ack_below_quorum": {{"(CLASS_ACK, 1, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();", "(CLASS_ACK, _, _, _, _, _, _, _, _, _, _, _) : answer_ack();"}},
	"ack_coalesced":    {{"(int<32>)(held.psn - md.p) < 0", "held.psn != md.p"}},
	"ack_late":         {{"(CLASS_ACK, 1, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();", "(CLASS_ACK, 1, 1, _, _, _, _, _, _, _, _, _) : answer_ack();"}},
	"ack_psn_wrap": {
		{"if ((int<32>)(psn - md.p) < 0) {", "if (psn < md.p) {"},
		{"(int<32>)(held.psn - md.p) < 0", "held.psn < md.p"},
	},
	"ack_quorum": {
		{"md.p = md.p + delta;", ""},
		{"hdr.ipv4.src = hdr.ipv4.dst;\n        hdr.ipv4.dst = dst_ip;\n        hdr.udp.checksum = 0;\n        hdr.bth.dst_qp = dst_qp;\n        md.psn = hdr.bridge.psn;",
			"hdr.ipv4.dst = dst_ip;\n        hdr.udp.checksum = 0;\n        hdr.bth.dst_qp = dst_qp;\n        md.psn = hdr.bridge.psn;"},
		{"md.fix0 = hdr.bridge.icrc;", ""},
	},
	"ack_repeated": {
		{"(CLASS_ACK, 1, 1, _, 1, _, _, _, _, _, _, _) : answer_ack();", ""},
		{"(CLASS_ACK, 1, 1, _, 1, _, _, _, _, _, _, _) : answer_ack();", "(CLASS_ACK, 1, _, _, 1, _, _, _, _, _, _, _) : answer_ack();"},
	},
	"ack_damaged": {
		{"(ROLE_GATHER, RC_ACK, _, 0) : damaged();", ""},
		{"if (md.crc == 0x2144df1c)", "if (true)"},
		{"8w0xff, hdr.bth.dst_qp, hdr.bth.psn_word, hdr.aeth.syndrome", "hdr.bth.ecn, hdr.bth.dst_qp, hdr.bth.psn_word, hdr.aeth.syndrome"},
		{"8w0xff, hdr.bth.dst_qp, hdr.bth.psn_word, hdr.aeth.syndrome", "8w0xff, hdr.bth.dst_qp, 32w0x00000064, hdr.aeth.syndrome"},
	},
	"ack_not_sent": {
		{"(int<32>)(psn - md.p) >= 0 && (int<32>)(psn - md.edge) <= 0", "(int<32>)(psn - md.edge) <= 0"},
		{"(int<32>)(psn - md.p) >= 0 && (int<32>)(psn - md.edge) <= 0", "(int<32>)(psn - md.p) >= 0"},
		{"(int<32>)(psn - md.p) >= 0 && (int<32>)(psn - md.edge) <= 0", "(int<32>)(psn - md.p) > 0 && (int<32>)(psn - md.edge) <= 0"},
		{"md.edge = md.p + (PSN_WINDOW - PSN_ONE);", "md.edge = md.p + PSN_WINDOW;"},
		{"md.drop = DROP_WINDOW;", ""},
	},
	"arp":             {{"md.reason = REASON_ARP;", ""}},
	"bad_ip_checksum": {{"md.checksum_error = ipv4_checksum.verify();", ""}},
	"bad_opcode":      {{"const default_action = bad_opcode();", "const default_action = copy();"}},
	"bad_syndrome":    {{"(ROLE_GATHER, RC_ACK, _, _) : bad_syndrome();", "(ROLE_GATHER, RC_ACK, _, _) : ack();"}},
	"cnp_damaged":     {{"(ROLE_GATHER, CNP, _, 0) : damaged();", ""}},
	"cm_to_switch":    {{"md.reason = REASON_CM;", "md.drop = DROP_UNKNOWN_QP;"}},
	"cnp_limited": {
		{"if (md.cnp_pass == 1)", "if (true)"},
		{"(int<32>)(md.before - last) >= 0", "(int<32>)(md.before - last) > 0"},
	},
	"credits_minimum": {
		{"md.credit0 = min(md.credit0, md.credit2);", ""},
		{"md.credit0 = min(md.credit0, md.credit1);", ""},
	},
	"damaged_payload": {{"if (md.neutral == 1)", "if (false)"}},
	"ecn_carried": {
		{"hdr.udp.checksum = 0;", "hdr.udp.checksum = 0; hdr.ipv4.tos = 0;"},
		{"hdr.udp.checksum = 0;", "hdr.udp.checksum = 0; hdr.bth.ecn = 0;"},
	},
	"foreign_source": {{"qp.apply();", "hdr.ipv4.src = 0x0a42000b; md.port_class = 1; qp.apply();"}},
	"foreign_port": {
		{"md.port_class = (bit<16>)ig_intr_md.ingress_port;", "md.port_class = 2;"},
		{"md.port_class = (bit<16>)ig_intr_md.ingress_port;", "md.port_class = 1;"},
	},
	"icrc_off":    {{"md.neutral = neutral;", "md.neutral = 1;"}},
	"l2_forward":  {{"ig_tm_md.ucast_egress_port = port;", "ig_tm_md.ucast_egress_port = 3;"}},
	"l2_unknown":  {{"md.reason = REASON_UNKNOWN_DESTINATION;", ""}, {"hdr.packet_in.ingress_port = hdr.bridge.ingress_port;", ""}},
	"l3_no_route": {{"md.reason = REASON_NO_ROUTE;", ""}, {"if (!hdr.ipv4.isValid())", "if (false)"}},
	"l3_route": {
		{"hdr.ipv4.ttl = hdr.ipv4.ttl - 1;", ""},
		{"if (md.routed) {\n            hdr.ipv4.checksum", "if (false) {\n            hdr.ipv4.checksum"},
		{"hdr.ipv4.ttl < 2", "hdr.ipv4.ttl < 3"},
	},
	"nak_access":    {{"(ROLE_GATHER, RC_ACK, 3, _) : nak();", ""}, {"md.leader_port;\n        hdr.bridge.kind = KIND_LEADER;", "md.leader_port;\n        hdr.bridge.kind = KIND_ACK;"}},
	"nak_committed": {{"hdr.bridge.psn = md.committed + PSN_ONE", "hdr.bridge.psn = md.p + PSN_ONE"}, {"md.p = md.p - PSN_ONE;", ""}},
	"nak_quorum":    {{"(CLASS_NAK, 1, 1) : commit_look();", "(CLASS_NAK, 1, 1) : look();"}},
	"not_plain_ip":  {{"0x45: parse_ipv4;", "0x45 &&& 0xf0: parse_ipv4;"}, {"0x0000 &&& 0x3fff", "0x0000 &&& 0x1fff"}, {"0x0000 &&& 0x3fff", "0x0000 &&& 0x2000"}},
	"out_of_bounds": {
		{"(0, 0, 0, 0, _, 0 &&& 0x80000000) : allowed();", "(0, 0, 0, _, _, 0 &&& 0x80000000) : allowed();"},
		{"(0, 0, 0, 0, _, 0 &&& 0x80000000) : allowed();", "(0, _, 0, 0, _, 0 &&& 0x80000000) : allowed();"},
		{"(0, 0, 0, 0, _, 0 &&& 0x80000000) : allowed();", "(0, 0, 0, 0, _, _) : allowed();"},
		{"(0, 0, 0, 0, _, 0 &&& 0x80000000) : allowed();", "(0, 0, _, 0, _, 0 &&& 0x80000000) : allowed();"},
		{"(0, 0, 0, _, 0, _) : allowed();", ""},
		{"(0, 0, 0, _, 0, _) : allowed();", "(0, 0, 0, _, _, _) : allowed();"},
	},
	"own_address": {
		{"own_mac.apply();", ""},
		{"own_ip.apply();", ""},
		{"md.sender = hdr.ipv4.src;", ""},
		{"md.sender = pkt.lookahead<arp_sender_t>().ip;", ""},
		{"md.drop = DROP_OWN_ADDRESS;", ""},
	},
	"packet_out":      {{"ig_tm_md.ucast_egress_port = hdr.packet_out.egress_port;", ""}},
	"policy_all":      {{"md.f = f;", "md.f = 2;"}},
	"port_class":      {{"md.port_class = class;", "md.port_class = (bit<16>)ig_intr_md.ingress_port;"}, {"port_class.apply();", ""}},
	"read_refused":    {{"(ROLE_SCATTER, RC_READ_REQUEST, _, _) : invalid_request();", "(ROLE_SCATTER, RC_READ_REQUEST, _, _) : copy();"}, {"(ROLE_SCATTER, RC_FETCH_ADD, _, _) : invalid_request();", ""}},
	"replica_unknown": {{"action unknown_replica() {\n        eg_dprsr_md.drop_ctl = 1;", "action unknown_replica() {"}},
	"request_window": {
		{"(int<32>)(psn - md.p) < 0 && (int<32>)(psn - md.edge) >= 0", "(int<32>)(psn - md.p) < 0"},
		{"(int<32>)(psn - md.p) < 0 && (int<32>)(psn - md.edge) >= 0", "(int<32>)(psn - md.edge) >= 0"},
		{"(int<32>)(psn - md.p) < 0 && (int<32>)(psn - md.edge) >= 0", "(int<32>)(psn - md.p) < 0 && (int<32>)(psn - md.edge) > 0"},
		{"md.edge = md.p - (PSN_WINDOW - PSN_ONE);", "md.edge = md.p - PSN_WINDOW;"},
		{"psn = md.p;\n                moved = 1;", "moved = 1;"},
	},
	"rkey_wrong":              {{"md.key_diff = hdr.reth.rkey ^ rkey;", "md.key_diff = 0;"}},
	"rnr_nak":                 {{"(ROLE_GATHER, RC_ACK, 1, _) : nak();", ""}},
	"scatter_psn_wrap":        {{"hdr.bth.psn_word[24-1:0]       = md.psn[31:(32 - 24)];", "hdr.bth.psn_word = hdr.bth.psn_word + (md.delta >> 8);"}},
	"scatter_send":            {{"(ROLE_SCATTER, 0x00 &&& 0xfc, _, _) : copy();", ""}, {"(ROLE_SCATTER, RC_SEND_ONLY_IMM, _, _) : copy();", ""}},
	"scatter_va_carry":        {{"hdr.reth.va = hdr.reth.va + base;", "hdr.reth.va = base[63:32] ++ (hdr.reth.va[31:0] + base[31:0]);"}},
	"scatter_write_immediate": {{"RC_WRITE_ONLY_IMM: parse_reth;", ""}, {"(ROLE_SCATTER, RC_WRITE_LAST_IMM, _, _) : copy();", ""}},
	"scatter_write_long":      {{"md.fix1 = 0;", ""}, {"hdr.bth.psn_word[24-1:0]       = md.psn[31:(32 - 24)];", "hdr.bth.psn_word = md.psn >> 8;"}},
	"scatter_write_only": {
		{"hdr.bth.dst_qp = dst_qp;", ""},
		{"hdr.reth.rkey = rkey;", ""},
		{"md.fix1 = icrc_rkey;", ""},
		{"md.va_diff = md.va_old ^ hdr.reth.va;", ""},
		{"md.psn = md.psn + md.delta;", ""},
	},
	"slot_out": {
		{"(int<32>)(held.psn - md.edge) < 0", "false"},
		{"(int<32>)(held.psn - md.edge) < 0", "(int<32>)(held.psn - md.edge) < 0 && md.p == 0"},
		{"if (held.lost == 0 && (int<32>)(held.psn - md.p) < 0)", "if ((int<32>)(held.psn - md.p) < 0)"},
		{"if (held.lost == 0) { heard = 1; } else { heard = 0; }", "heard = 1;"},
		{"(CLASS_ACK, 0, 1) : credit0_update();", "(CLASS_ACK, 0, _) : credit0_update();"},
		{"md.drop = DROP_SLOT_OUT;", ""},
		{"(CLASS_NAK, 1, _, _, _, _, _, _, _, _, _, _) : answer_nak();", "(CLASS_NAK, _, _, _, _, _, _, _, _, _, _, _) : answer_nak();"},
	},
	"stale_slot": {
		{"if (md.members[2:2] == 1) { held2.apply(); }", "held2.apply();"},
		{"if (md.members[2:2] == 1) { credits2.apply(); }", "credits2.apply();"},
	},
	"switch_local": {{"md.local = 1;", ""}},
	"truncated":    {{"if (ig_prsr_md.parser_err != 0)", "if (false)"}},
	"ttl_expired":  {{"hdr.ipv4.ttl < 2", "hdr.ipv4.ttl < 1"}, {"hdr.ipv4.ttl < 2", "hdr.ipv4.ttl == 1"}},
	"udp_checksum": {{"hdr.udp.checksum = 0;", ""}},
	"unknown_qp":   {{"md.drop = DROP_UNKNOWN_QP;", "md.reason = REASON_LOCAL;"}},
}

// TestScriptsNoticeWhatTheyTest breaks the program, once for every mutant: the
// script must fail.
func TestScriptsNoticeWhatTheyTest(t *testing.T) {
	source := world.Program(t).Source
	for name, s := range scripts(t) {
		require.Contains(t, mutants, name, "no change of the program is known that %s.stf notices", name)
		for _, m := range mutants[name] {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if !strings.Contains(source, m[0]) {
					t.Fatalf("the program no longer has %q, which this test breaks", m[0])
				}
				changed := strings.Replace(source, m[0], m[1], 1)
				prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", Source: []byte(changed), FS: p4.FS})
				require.NotNil(t, prog, "%v", diags)
				res, err := testbed.Run(s, &dataplane.Pipeline{Program: prog}, "interp", cpuPort)
				require.NoError(t, err)
				require.False(t, res.OK(), "the script passes although the program has %q for %q", m[1], m[0])
			})
		}
	}
}
