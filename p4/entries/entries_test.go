package entries

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// testInfo has a table of every kind of match, names that need quotes, and the rest of what a switch holds.
const testInfo = `
actions { preamble { id: 0x01000001 name: "pipe.In.fwd" alias: "fwd" } params { id: 1 name: "port" bitwidth: 9 } params { id: 2 name: "dst_mac" bitwidth: 48 } }
actions { preamble { id: 0x01000002 name: "pipe.In.deny" alias: "deny" } }
actions { preamble { id: 0x01000003 name: "pipe.In.only_default" alias: "only_default" } }
tables { preamble { id: 0x02000001 name: "pipe.In.exact" alias: "exact" } size: 4
  match_fields { id: 1 name: "hdr.ethernet.dst" bitwidth: 48 match_type: EXACT } match_fields { id: 2 name: "hdr.vlan.id[7:0]" bitwidth: 9 match_type: EXACT }
  action_refs { id: 0x01000001 } action_refs { id: 0x01000002 scope: TABLE_ONLY } action_refs { id: 0x01000003 scope: DEFAULT_ONLY }
  direct_resource_ids: 0x13000001 idle_timeout_behavior: NOTIFY_CONTROL }
tables { preamble { id: 0x02000002 name: "pipe.In.routes" alias: "In.routes" } size: 1024
  match_fields { id: 1 name: "hdr.ipv4.dst" bitwidth: 32 match_type: LPM } action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000003 name: "pipe.In.acl" alias: "acl" } size: 1024
  match_fields { id: 1 name: "hdr.ipv4.src" bitwidth: 32 match_type: TERNARY } match_fields { id: 2 name: "hdr.udp.dport" bitwidth: 16 match_type: RANGE }
  match_fields { id: 3 name: "hdr.ethernet.type" bitwidth: 16 match_type: OPTIONAL } match_fields { id: 4 name: "hdr.ethernet.src" bitwidth: 48 match_type: TERNARY }
  match_fields { id: 5 name: "a & b" bitwidth: 8 match_type: TERNARY }
  action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000004 name: "pipe.In.fixed" alias: "fixed" } size: 4 is_const_table: true const_default_action_id: 0x01000002
  match_fields { id: 1 name: "hdr.a" bitwidth: 32 match_type: TERNARY } action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000005 name: "pipe.In.counter" alias: "counter" } size: 1024
  match_fields { id: 1 name: "hdr.ipv6.dst" bitwidth: 128 match_type: LPM } match_fields { id: 2 name: "plain" bitwidth: 32 match_type: EXACT annotations: "@format(IPV4_ADDRESS)" }
  match_fields { id: 3 name: "default" bitwidth: 8 match_type: EXACT annotations: "@format(HEX_STRING)" }
  action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000006 name: "pipe.Eg.routes" alias: "Eg.routes" } size: 1 action_refs { id: 0x01000001 } }
counters { preamble { id: 0x12000001 name: "pipe.In.count" alias: "count" } spec { unit: BOTH } size: 8 }
counters { preamble { id: 0x12000002 name: "pipe.In.drops" alias: "drops" } spec { unit: PACKETS } size: 8 }
meters { preamble { id: 0x14000001 name: "pipe.In.rate" alias: "rate" } spec { unit: PACKETS } size: 8 }
direct_counters { preamble { id: 0x13000001 name: "pipe.In.hits" alias: "hits" } spec { unit: BOTH } direct_table_id: 0x02000001 }
registers { preamble { id: 0x16000001 name: "pipe.In.word" alias: "word" } type_spec { bitstring { bit { bitwidth: 32 } } } size: 8 }
registers { preamble { id: 0x16000002 name: "pipe.In.pair" alias: "pair" } type_spec { struct { name: "pair_t" } } size: 8 }
registers { preamble { id: 0x16000003 name: "pipe.In.flag" alias: "flag" } type_spec { bool { } } size: 8 }
tables { preamble { id: 0x02000007 name: "pipe.In.balanced" alias: "balanced" } size: 8 implementation_id: 0x11000001
  match_fields { id: 1 name: "hdr.a" bitwidth: 32 match_type: TERNARY }
  action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } action_refs { id: 0x01000003 scope: DEFAULT_ONLY } direct_resource_ids: 0x13000002 }
tables { preamble { id: 0x02000008 name: "pipe.In.named" alias: "named" } size: 8 implementation_id: 0x11000002
  match_fields { id: 1 name: "hdr.a" bitwidth: 32 match_type: EXACT } action_refs { id: 0x01000001 } action_refs { id: 0x01000002 } }
tables { preamble { id: 0x02000009 name: "pipe.In.equal" alias: "equal" } size: 8 implementation_id: 0x11000003
  match_fields { id: 1 name: "hdr.a" bitwidth: 32 match_type: EXACT } action_refs { id: 0x01000002 } }
direct_counters { preamble { id: 0x13000002 name: "pipe.In.chosen" alias: "chosen" } spec { unit: BOTH } direct_table_id: 0x02000007 }
action_profiles { preamble { id: 0x11000001 name: "pipe.In.next" alias: "next" } table_ids: 0x02000007 with_selector: true size: 8 max_group_size: 4 }
action_profiles { preamble { id: 0x11000002 name: "pipe.In.marks" alias: "marks" } table_ids: 0x02000008 size: 8 }
action_profiles { preamble { id: 0x11000003 name: "pipe.In.same" alias: "same" } table_ids: 0x02000009 with_selector: true weights_disallowed: true size: 8 }
action_profiles { preamble { id: 0x11000004 name: "pipe.In.unused" alias: "unused" } size: 8 }
digests { preamble { id: 0x17000001 name: "pipe.In.seen" alias: "seen" } type_spec { struct { name: "pair_t" } } }
type_info { structs { key: "pair_t" value { members { name: "hi" type_spec { bitstring { bit { bitwidth: 16 } } } } members { name: "lo" type_spec { bitstring { int { bitwidth: 32 } } } } } } }
`

func testProgram(t require.TestingT) *Program {
	info := &p4config.P4Info{}
	require.NoError(t, prototext.Unmarshal([]byte(testInfo), info))
	constant := func(typ, name string, v int64, enum bool) ir.Constant {
		return ir.Constant{Name: name, TypeName: typ, Enum: enum, Value: big.NewInt(v)}
	}
	return New(info, &ir.Program{
		Constants: []ir.Constant{
			constant("", "ETHERTYPE_IPV4", 0x800, false), constant("kind_t", "READ", 1, true), constant("mode_t", "READ", 2, true),
			constant("drop_t", "DROP_NONE", 0, false), constant("drop_t", "DROP_NO_ROUTE", 3, false), constant("drop_t", "DROP_1", 4, false),
		},
		Counters: []*ir.Counter{{Name: "pipe.In.drops", Size: 8, IndexName: "drop_t"}},
	})
}

// good are statements as String writes them.
const good = `member next[1] -> fwd(port=2, dst_mac=0a:00:00:00:00:0f)
member next[4294967295] -> deny()
member marks[1] -> deny()
member_group next[1] -> 1 weight 3 watch 4, 4294967295 watch 0, 7 max_size 8
member_group next[2] -> max_size 4
member_group next[3] ->
member_group same[1] -> 1, 2 watch 5
exact hdr.ethernet.dst=02:00:00:00:00:01, hdr.vlan.id[7:0]=5 -> fwd(port=2, dst_mac=0a:00:00:00:00:0f) idle 1m30s metadata 0x01ff packets 3 bytes 180
exact hdr.ethernet.dst=02:00:00:00:00:02, hdr.vlan.id[7:0]=5 -> deny()
exact default -> only_default()
In.routes hdr.ipv4.dst=10.0.0.0/8 -> deny()
In.routes -> deny()
acl hdr.ipv4.src=10.1.0.0/16, hdr.udp.dport=80..443, hdr.ethernet.type=0x800, hdr.ethernet.src=02:00:00:00:00:00 &&& ff:00:00:00:00:00, "a & b"=0x4 &&& 0x5 -> fwd(port=1, dst_mac=00:00:00:00:00:00) priority 10
acl hdr.ipv4.src=10.1.2.3 -> deny() priority 2147483647
acl hdr.udp.dport=53 -> deny() priority 1
"counter" hdr.ipv6.dst=2001:db8::/32, plain=10.0.0.1, default=0x7f -> deny()
Eg.routes default -> fwd(port=7, dst_mac=00:00:00:00:00:01)
multicast 1 -> 1, 2:5, 3|4:7|5 metadata 0x00
multicast 7 ->
register word[7] 0x10000
register pair[0] hi=65535, lo=0x10
register flag[1] 1
counter count[3] packets 10 bytes 1000
counter drops[no_route] packets 4
counter drops[4] packets 5
meter rate[0] cir 1 cburst 2 pir 3 pburst 4
meter rate[1] none
digest seen max_list 10 max_wait 10ms ack 1s
balanced hdr.a=0x1 -> member 1 priority 1
balanced hdr.a=0x2 -> member_group 1 priority 1 packets 3 bytes 180
balanced hdr.a=0x3 -> deny() weight 2, fwd(port=1, dst_mac=00:00:00:00:00:00) watch 3, deny() weight 3 watch 4 priority 1 metadata 0x01 mode hash size weights
balanced hdr.a=0x4 -> deny() priority 1
balanced hdr.a=0x5 -> () priority 1
balanced hdr.a=0x6 -> deny() weight 2 priority 1 mode random size members
balanced default -> only_default()
named hdr.a=0x1 -> member 1
equal hdr.a=0x1 -> deny(), deny() watch 2
delete acl hdr.ipv4.src=10.1.2.3 priority 5
delete In.routes default
delete multicast 1
delete digest seen
delete member_group next[9]
delete member next[9]
`

func parsed(t require.TestingT, p *Program, text string) []Change {
	list, err := Parse("f", []byte(text))
	require.NoError(t, err, text)
	changes, err := p.Changes("f", list)
	require.NoError(t, err, text)
	return changes
}

// What String writes is what was parsed, and what a switch gives back is written as it was.
func TestGood(t *testing.T) {
	p := testProgram(t)
	lines := strings.Split(strings.TrimSpace(good), "\n")
	changes := parsed(t, p, good)
	require.Len(t, changes, len(lines))
	for i, c := range changes {
		require.Equal(t, lines[i], c.Statement.String())
		require.Equal(t, i+1, c.Statement.Line)
		if c.Statement.Delete {
			continue
		}
		s, err := p.Statement(c.Update.GetEntity())
		require.NoError(t, err)
		require.Equal(t, lines[i], s.String())
	}
	of := func(line string) Change { return changes[slices.Index(lines, line)] }
	require.Equal(t, p4.Update_INSERT, changes[0].Update.GetType())
	require.Equal(t, p4.Update_MODIFY, of("exact default -> only_default()").Update.GetType())
	require.Equal(t, p4.Update_DELETE, changes[len(lines)-1].Update.GetType())
	reset := of("delete In.routes default")
	require.Equal(t, p4.Update_MODIFY, reset.Update.GetType(), "a default entry is never deleted")
	require.Nil(t, reset.Update.GetEntity().GetTableEntry().GetAction())
}

// TestForms: what people may write, and what it means.
func TestForms(t *testing.T) {
	p := testProgram(t)
	for text, want := range map[string]string{
		"exact dst=0x020000000001,id=0b101->deny":                                          "exact hdr.ethernet.dst=02:00:00:00:00:01, hdr.vlan.id[7:0]=5 -> deny()",
		"\t\"exact\"  dst = 2 , \"hdr.vlan.id[7:0]\" = 5 -> In.deny ( ) metadata 0x00 # x": "exact hdr.ethernet.dst=00:00:00:00:00:02, hdr.vlan.id[7:0]=5 -> deny() metadata 0x00",
		"In.routes dst=10.0.0.1 -> deny()":                                                 "In.routes hdr.ipv4.dst=10.0.0.1/32 -> deny()",
		"In.routes dst=0.0.0.0/0 -> deny()":                                                "In.routes -> deny()",
		"pipe.In.routes dst=_ -> fwd(dst_mac=1, port=2)":                                   "In.routes -> fwd(port=2, dst_mac=00:00:00:00:00:01)",
		"acl type=ETHERTYPE_IPV4 -> deny() priority 0x10":                                  "acl hdr.ethernet.type=0x800 -> deny() priority 16",
		"acl src=10.0.0.0/8 -> deny() priority 1":                                          "",
		"acl ipv4.src=10.0.0.0 &&& 255.0.0.0 -> deny() priority 1":                         "acl hdr.ipv4.src=10.0.0.0/8 -> deny() priority 1",
		"acl ipv4.src=0x0a0000** -> deny() priority 1":                                     "acl hdr.ipv4.src=10.0.0.0/24 -> deny() priority 1",
		"acl dport=0..65535 -> deny() priority 1":                                          "acl -> deny() priority 1",
		"acl dport=kind_t.READ..mode_t.READ -> deny() priority 1":                          "acl hdr.udp.dport=1..2 -> deny() priority 1",
		"pipe.In.counter hdr.ipv6.dst=::ffff:1.2.3.4, plain=1, default=1 -> deny()":        `"counter" hdr.ipv6.dst=::ffff:1.2.3.4/128, plain=0.0.0.1, default=0x1 -> deny()`,
		"delete acl ipv4.src=1.2.3.4 -> nobody(looks=at) priority 5":                       "delete acl hdr.ipv4.src=1.2.3.4 priority 5",
		"multicast 0x10 -> 1:0":                                                            "multicast 16 -> 1",
		"register word[1] READ":                                                            "",
		"register pipe.In.word[0x1] kind_t.READ":                                           "register word[1] 0x1",
		"counter drops[DROP_NO_ROUTE] packets 1":                                           "counter drops[no_route] packets 1",
		"register flag[0] true":                                                            "register flag[0] 1",
		"member In.next[0x1]->deny":                                                        "member next[1] -> deny()",
		"member_group pipe.In.next[ 2 ] ->1 watch 0x4 weight 1,0x2":                        "member_group next[2] -> 1 watch 4, 2",
		"balanced -> deny weight 1, deny priority 1":                                       "balanced -> deny(), deny() priority 1",
		"balanced -> deny weight 1 priority 1":                                             "balanced -> deny() priority 1",
		"balanced->( ) priority 1":                                                         "balanced -> () priority 1",
		"balanced -> member 0x10 priority 1":                                               "balanced -> member 16 priority 1",
		"delete balanced -> member_group 1 priority 1":                                     "delete balanced priority 1",
		"delete balanced -> deny weight 2, x priority 1":                                   "delete balanced priority 1",
		"meter rate[0] pir 3 cir 1":                                                        "meter rate[0] cir 1 cburst 0 pir 3 pburst 0",
	} {
		list, err := Parse("f", []byte(text))
		require.NoError(t, err, text)
		require.Len(t, list, 1)
		u, err := p.Update(list[0])
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		s, err := p.Statement(u.GetEntity())
		require.NoError(t, err, text)
		s.Delete = list[0].Delete
		require.Equal(t, want, s.String(), text)
	}
}

// TestErrors: each kind of wrong line is named, with what would be right.
func TestErrors(t *testing.T) {
	p := testProgram(t)
	for text, want := range map[string]string{
		"exact dst=1, vlan.id[7:0]=5":                 "f:1: -> is missing [TABLE KEY=VALUE, … -> ACTION(PARAMETER=VALUE, …)]",
		"\n\n# x\nexact dst -> deny()":                `f:4: a key "dst" has no value [NAME=VALUE, with a comma between two]`,
		"dst=1 -> deny()":                             "a table is missing in front of dst=…",
		"exact dst=1 id=2 -> deny()":                  `"1 id=2" is no value [NAME=VALUE, with a comma between two]`,
		"exact dst=1, -> deny()":                      "a key is missing behind the last comma",
		"exact dst=, id=1 -> deny()":                  `"" is no value`,
		"exact \"dst=1 -> deny()":                     "a key: a quote is not closed",
		"delete \"dst":                                "a quote is not closed",
		"delete \"\" default":                         "the name is empty",
		"delete":                                      "a table is missing",
		"acl -> ":                                     "an action is missing",
		"acl -> fwd(port=1":                           "action fwd: ) is missing",
		"acl -> fwd(port=1 dst_mac=2)":                "is no value",
		"acl -> fwd(1, 2)":                            `parameter "1" has no value [NAME=VALUE`,
		"acl -> deny() x":                             `unexpected "x" [here may be priority, idle, metadata, packets, bytes, mode, size]`,
		"acl -> deny() priority":                      "the value of priority is missing",
		"acl -> deny() priority 0":                    `priority "0": want a number from 1 to 2147483647; the largest wins`,
		"acl -> deny() priority 1 priority 2":         "priority is given twice",
		"exact default -> deny() priority 1":          `unexpected "priority" [here may be metadata, packets, bytes]`,
		"exact dst=1, id[7:0]=5 -> deny() idle 5":     `idle "5": want a duration, such as 1m30s`,
		"exact dst=1, id[7:0]=5 -> deny() metadata 1": `metadata "1": want bytes in hexadecimal, such as 0x01ff`,
		"exact dst=1, id[7:0]=5 -> deny() packets 1 bytes 9223372036854775808": `bytes "9223372036854775808": want a number up to 9223372036854775807`,
		"multicast -> 1":                   `multicast group "->": want a number from 1 to 65535`,
		"multicast 65536 -> 1":             `multicast group "65536": want a number from 1 to 65535`,
		"multicast 1 2":                    "multicast group 1: -> is missing [multicast 1 -> PORT, PORT:INSTANCE, …]",
		"multicast 1 -> 1:x":               `"1:x" is no copy: want PORT or PORT:INSTANCE, both numbers`,
		"multicast 1 -> 1 2":               `unexpected "2" [here may be metadata]`,
		"delete multicast 1 -> 2":          `unexpected "->"`,
		"delete register word[1]":          "a register cannot be deleted, only written",
		"register word 1":                  "register word: an index is missing [register word[INDEX] …]",
		"register word[] 1":                `"" is no index`,
		"register word[1]":                 "the value of register word is missing",
		"register word[1] 2 3":             `unexpected "3"`,
		"counter count[1]":                 "counter count: a value is missing [packets, bytes]",
		"digest seen":                      "digest seen: a value is missing [max_list, max_wait, ack]",
		"\xff":                             "it is no text (UTF-8)",
		"exakt dst=1 -> deny()":            `table "exakt": the program has none of this name (did you mean pipe.In.exact?)`,
		"routes -> deny()":                 `table "routes" could be any of pipe.Eg.routes, pipe.In.routes`,
		"register zzzzz[0] 1":              `register "zzzzz": the program has none of this name (there are pipe.In.flag, pipe.In.pair, pipe.In.word)`,
		"Eg.routes -> deny()":              "table Eg.routes: it has no key, and no entry but the default one [Eg.routes default -> …]",
		"fixed a=1 -> deny() priority 1":   "table fixed: its entries are const: only the program makes them",
		"fixed default -> deny()":          "table fixed: its default action is const",
		"exact dst=1, dst=2 -> deny()":     "key hdr.ethernet.dst is given twice",
		"exact dst=1, idd=2 -> deny()":     `key "idd": the program has none of this name (there are hdr.ethernet.dst, hdr.vlan.id[7:0])`,
		"exact dst=1 -> deny()":            "key hdr.vlan.id[7:0] is missing: it is matched exactly, and must have a value",
		"exact dst=_, id[7:0]=1 -> deny()": "key hdr.ethernet.dst is missing",
		"exact dst=02:00:00:00:00:00/8, id[7:0]=1 -> deny()":       "key hdr.ethernet.dst: an exact key cannot be masked",
		"exact dst=1, id[7:0]=512 -> deny()":                       "key hdr.vlan.id[7:0]: 512 is too large: the field has 9 bits, the largest value is 511",
		"exact dst=ETHERTYPE_IPV5, id[7:0]=1 -> deny()":            `"ETHERTYPE_IPV5" is neither a number, nor an address, nor a constant of the program (did you mean ETHERTYPE_IPV4?)`,
		"exact dst=READ, id[7:0]=1 -> deny()":                      `constant "READ" has several values: name its enum, TYPE.READ, or give a number`,
		"exact dst=02:00:00:00:00, id[7:0]=1 -> deny()":            `"02:00:00:00:00" is not an address`,
		"In.routes dst=10.0.0.256 -> deny()":                       `"10.0.0.256" is not an address`,
		"In.routes dst=10.1.2.3/8 -> deny()":                       "10.1.2.3/8 has bits beyond its prefix [10.0.0.0/8]",
		"In.routes dst=10.0.0.0/33 -> deny()":                      "prefix length 33 of a key of 32 bits",
		"In.routes dst=1..2 -> deny()":                             "a range for a key that is matched lpm",
		"In.routes dst=10.0.0.0 &&& 255.0.255.0 -> deny()":         "the mask 0xff00ff00 of an lpm key is not a prefix",
		"In.routes -> deny() priority 1":                           "table In.routes: priority: no two entries match one packet",
		"In.routes -> deny() idle 1s":                              "table In.routes: idle: the table has no idle timeouts",
		"In.routes -> deny() packets 1":                            "table In.routes: packets, bytes: the table has no direct counter",
		"acl -> deny()":                                            "table acl: an entry needs a priority",
		"delete acl":                                               "table acl: its entries have priorities: which is meant? [… priority N]",
		"acl ipv4.src=10.1.2.3 &&& 255.0.0.0 -> deny() priority 1": "10.1.2.3 &&& 255.0.0.0 has bits outside its mask [10.0.0.0 &&& 255.0.0.0]",
		"acl dport=443..80 -> deny() priority 1":                   "the range is empty: 443 is more than 80",
		"acl dport=80/8 -> deny() priority 1":                      "a range key cannot be masked: LOW..HIGH",
		"acl type=0x8** -> deny() priority 1":                      "an optional key is matched whole or not at all",
		"acl -> only_default() priority 1":                         `action "only_default": the program has none of this name`,
		"exact dst=1, id[7:0]=1 -> only_default()":                 "table exact: action only_default is for the default entry only",
		"exact default -> deny()":                                  "table exact: action deny is not for the default entry",
		"acl -> fwd(port=1) priority 1":                            "action fwd: parameter dst_mac is missing [fwd(port=…, dst_mac=…)]",
		"acl -> fwd(port=1, port=2) priority 1":                    "action fwd: parameter port is given twice",
		"acl -> fwd(prt=1) priority 1":                             `parameter "prt": the program has none of this name (did you mean port?)`,
		"register wrd[0] 1":                                        `register "wrd": the program has none of this name (did you mean pipe.In.word?)`,
		"register word[8] 1":                                       "register word: index 8: there are 8, from 0",
		"register word[x] 1":                                       `index "x" is neither a number, nor an address, nor a constant of the program`,
		"register word[0] a=1":                                     `register word: field "a"`,
		"register pair[0] hi=1":                                    "register pair: field lo is missing [all are written together]",
		"register pair[0] hi=1, hi=1":                              "field hi is given twice",
		"register pair[0] hi=1, lo=0x100000000":                    "register pair: field lo: 4294967296 is too large: the field has 32 bits",
		"counter drops[none] bytes x":                              `bytes "x": want a number`,
		"meter rate[0] none cir 1":                                 "meter rate: none, or rates, not both",
		"member next -> deny()":                                    "member next: an index is missing [member next[INDEX] …]",
		"member next[0] -> deny()":                                 `member "0": want a number from 1 to 4294967295`,
		"member next[4294967296] -> deny()":                        `member "4294967296": want a number from 1 to 4294967295`,
		"member next[1] deny()":                                    "member next[1]: -> is missing [member next[1] -> ACTION(PARAMETER=VALUE, …)]",
		"member next[1] ->":                                        "an action is missing",
		"member next[1] -> deny() weight 2":                        `unexpected "weight"`,
		"member nxt[1] -> deny()":                                  `action profile "nxt": the program has none of this name (did you mean pipe.In.next?)`,
		"member next[1] -> only_default()":                         "member next[1]: action only_default is for the default entry only",
		"member next[1] -> fwd(port=1)":                            "member next[1]: action fwd: parameter dst_mac is missing",
		"member unused[1] -> deny()":                               "action profile unused: no table has it, so that a member can have no action",
		"member_group next[1]":                                     "member_group next[1]: -> is missing [member_group next[1] -> MEMBER, MEMBER weight N watch PORT, …]",
		"member_group next[1] -> x":                                `unexpected "x" [here may be max_size]`,
		"member_group next[1] -> 0":                                `member "0": want a number from 1`,
		"member_group next[1] -> 1,":                               "a member is missing",
		"member_group next[1] -> 1 weight 0":                       `member 1: weight "0": want a number from 1 to 2147483647`,
		"member_group next[1] -> 1 weight 1 weight 2":              "member 1: weight is given twice",
		"member_group next[1] -> 1 watch 4294967296":               `member 1: watch "4294967296": want a number from 0 to 4294967295`,
		"member_group next[1] -> 1 watch":                          "member 1: the value of watch is missing",
		"member_group next[1] -> 1, 2 weight 3, 0x1":               "member_group next[1]: member 1 is given twice [weight N]",
		"member_group next[1] -> 1 max_size x":                     `max_size "x": want a number from 0 to 2147483647`,
		"member_group marks[1] -> 1":                               "action profile marks has no selector, and no groups [member marks[ID] -> ACTION(…)]",
		"member_group same[1] -> 1 weight 2":                       "member_group same[1]: weight: the groups of action profile same have none",
		"delete member_group next[1] priority 5":                   `unexpected "priority"`,
		"balanced -> member priority 1":                            `member "priority": want a number from 1 to 4294967295 [an action of this name: member(…)]`,
		"balanced -> (deny()) priority 1":                          "an action is missing in front of ( [() is a set without actions]",
		"balanced -> deny(), priority 1":                           `unexpected "1"`,
		"balanced -> deny() weight 0 priority 1":                   `action deny: weight "0": want a number from 1 to 2147483647`,
		"balanced -> deny() mode first priority 1":                 `mode "first": want hash or random`,
		"balanced -> deny() size 2 priority 1":                     `size "2": want weights or members`,
		"balanced -> only_default(), deny() priority 1":            "table balanced: action only_default is for the default entry only",
		"balanced -> member 1 mode hash priority 1":                "table balanced: mode: only entries with actions, of a table with a selector, have it",
		"balanced default -> member 1":                             "table balanced: member 1: the default entry has an action itself [default -> ACTION(PARAMETER=VALUE, …)]",
		"balanced default -> deny(), deny()":                       "table balanced: the default entry has one action, without weight or watch",
		"named a=1 -> member_group 1":                              "table named: member_group 1: action profile marks has no selector, and no groups [-> member ID]",
		"named a=1 -> deny()":                                      "table named: its entries name members of action profile marks [-> member ID, and member marks[ID] -> ACTION(…)]",
		"equal a=1 -> deny() weight 2":                             "table equal: weight: the groups of action profile same have none",
		"acl -> member 1 priority 1":                               "table acl: member 1: the table has no action profile [-> ACTION(PARAMETER=VALUE, …)]",
		"acl -> deny(), deny() priority 1":                         "table acl: it has no selector, so an entry has one action, without weight or watch",
		"acl -> () priority 1":                                     "table acl: it has no selector",
		"acl -> deny() priority 1 size weights":                    "table acl: size: only entries with actions",
		"member next[1] -> deny()\ndelete member next[1]":          "f:2: the same as line 1 is about [a file has each member once]",
		"member_group next[1] ->\nmember_group next[1] -> 1":       "f:2: the same as line 1 is about [a file has each group once]",
		"In.routes -> deny()\nIn.routes dst=0.0.0.0/0 -> deny()":   "f:2: the same as line 1 is about [a file has each entry once]",
		"multicast 1 -> 1\nmulticast 1 -> 2":                       "f:2: the same as line 1 is about [a file has each group once]",
	} {
		list, err := Parse("f", []byte(text))
		if err == nil {
			_, err = p.Changes("f", list)
		}
		require.ErrorContains(t, err, want, text)
		var e *Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, "f", e.File)
		require.NotZero(t, e.Line)
	}
}

// Entries that differ in their priority are two; an entry and its removal are, too.
func TestPriorities(t *testing.T) {
	require.Len(t, parsed(t, testProgram(t), "acl -> deny() priority 1\nacl -> deny() priority 2\ndelete acl priority 1"), 3)
}

// All lines that are wrong are named, but not without end.
func TestManyErrors(t *testing.T) {
	_, err := Parse("f", []byte(strings.Repeat("x\n", 100)))
	require.Equal(t, most, strings.Count(err.Error(), "\n")+1)
	list, err := Parse("f", []byte(strings.Repeat("x -> y()\n", 100)))
	require.NoError(t, err)
	_, err = testProgram(t).Changes("f", list)
	require.Equal(t, most, strings.Count(err.Error(), "\n")+1)
}

// anything is a random entity that a switch may hold.
func anything(t *rapid.T, p *Program) *p4.Entity {
	number := func(width int32, what string) []byte {
		b := rapid.SliceOfN(rapid.Byte(), int(width+7)/8, int(width+7)/8).Draw(t, what)
		v := new(big.Int).SetBytes(b)
		return Bytes(v.And(v, Ones(int(width))))
	}
	amount := func(what string) int64 { return rapid.Int64Range(0, largest).Draw(t, what) }
	port := func() (port []byte, ok bool) {
		return number(9, "watch"), rapid.Bool().Draw(t, "watched")
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		c := rapid.SampledFrom(p.info.GetCounters()).Draw(t, "counter")
		e := &p4.CounterEntry{CounterId: c.GetPreamble().GetId(), Index: &p4.Index{Index: rapid.Int64Range(0, 7).Draw(t, "index")}, Data: &p4.CounterData{PacketCount: amount("packets")}}
		if c.GetSpec().GetUnit() == p4config.CounterSpec_BOTH {
			e.Data.ByteCount = amount("bytes")
		}
		return &p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: e}}
	case 1:
		r := rapid.SampledFrom(p.info.GetRegisters()).Draw(t, "register")
		fields, err := p.fields(r)
		require.NoError(t, err)
		var list []*p4.P4Data
		for _, f := range fields {
			list = append(list, &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: number(f.width, "element")}})
		}
		d := list[0]
		if len(list) > 1 {
			d = &p4.P4Data{Data: &p4.P4Data_Struct{Struct: &p4.P4StructLike{Members: list}}}
		}
		return &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: &p4.RegisterEntry{RegisterId: r.GetPreamble().GetId(), Index: &p4.Index{Index: rapid.Int64Range(0, 7).Draw(t, "index")}, Data: d}}}
	case 2:
		e := &p4.MeterEntry{MeterId: 0x14000001, Index: &p4.Index{Index: rapid.Int64Range(0, 7).Draw(t, "index")}}
		if rapid.Bool().Draw(t, "configured") {
			e.Config = &p4.MeterConfig{Cir: amount("cir"), Cburst: amount("cburst"), Pir: amount("pir"), Pburst: amount("pburst")}
		}
		return &p4.Entity{Entity: &p4.Entity_MeterEntry{MeterEntry: e}}
	case 3:
		g := &p4.MulticastGroupEntry{MulticastGroupId: uint32(rapid.IntRange(1, 65535).Draw(t, "group")), Metadata: rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "metadata")}
		for range rapid.IntRange(0, 4).Draw(t, "replicas") {
			r := &p4.Replica{PortKind: &p4.Replica_Port{Port: number(9, "port")}, Instance: uint32(rapid.IntRange(0, 65535).Draw(t, "instance"))}
			if rapid.Bool().Draw(t, "backup") {
				r.BackupReplicas = append(r.BackupReplicas, &p4.BackupReplica{Port: number(9, "port"), Instance: uint32(rapid.IntRange(0, 3).Draw(t, "instance"))})
			}
			g.Replicas = append(g.Replicas, r)
		}
		return &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
			Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{MulticastGroupEntry: g},
		}}}
	case 4:
		return &p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: &p4.DigestEntry{DigestId: 0x17000001, Config: &p4.DigestEntry_Config{
			MaxListSize: int32(rapid.IntRange(0, 1<<31-1).Draw(t, "list")), MaxTimeoutNs: amount("wait"), AckTimeoutNs: amount("ack"),
		}}}}
	}
	x := rapid.SampledFrom(p.info.GetActionProfiles()).Filter(func(x *p4config.ActionProfile) bool { return called(x) != "unused" }).Draw(t, "profile")
	id := rapid.Uint32Range(1, 1<<32-1)
	call := func(tab *p4config.Table, isDefault bool) *p4.Action {
		ref := rapid.SampledFrom(tab.GetActionRefs()).Filter(func(r *p4config.ActionRef) bool {
			return r.GetScope() == p4config.ActionRef_TABLE_AND_DEFAULT || (r.GetScope() == p4config.ActionRef_DEFAULT_ONLY) == isDefault
		}).Draw(t, "action")
		a := &p4.Action{ActionId: ref.GetId()}
		for _, x := range p.actions[ref.GetId()].GetParams() {
			a.Params = append(a.Params, &p4.Action_Param{ParamId: x.GetId(), Value: number(x.GetBitwidth(), x.GetName())})
		}
		return a
	}
	weight := func(x *p4config.ActionProfile) int32 {
		if x.GetWeightsDisallowed() {
			return 0
		}
		return rapid.Int32Range(1, 1<<31-1).Draw(t, "weight")
	}
	switch rapid.IntRange(0, 4).Draw(t, "of a profile") {
	case 0:
		e := &p4.ActionProfileMember{ActionProfileId: x.GetPreamble().GetId(), MemberId: id.Draw(t, "member"), Action: call(p.tables[x.GetTableIds()[0]], false)}
		return &p4.Entity{Entity: &p4.Entity_ActionProfileMember{ActionProfileMember: e}}
	case 1:
		if !x.GetWithSelector() {
			break
		}
		e := &p4.ActionProfileGroup{ActionProfileId: x.GetPreamble().GetId(), GroupId: id.Draw(t, "group"), MaxSize: rapid.Int32Range(0, 1<<31-1).Draw(t, "size")}
		for _, n := range rapid.SliceOfNDistinct(id, 0, 4, rapid.ID[uint32]).Draw(t, "members") {
			m := &p4.ActionProfileGroup_Member{MemberId: n, Weight: weight(x)}
			if b, ok := port(); ok {
				m.WatchKind = &p4.ActionProfileGroup_Member_WatchPort{WatchPort: b}
			}
			e.Members = append(e.Members, m)
		}
		return &p4.Entity{Entity: &p4.Entity_ActionProfileGroup{ActionProfileGroup: e}}
	}
	tab := rapid.SampledFrom(p.info.GetTables()).Filter(func(t *p4config.Table) bool { return !t.GetIsConstTable() }).Draw(t, "table")
	e := &p4.TableEntry{TableId: tab.GetPreamble().GetId(), Metadata: rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "metadata")}
	e.IsDefaultAction = len(tab.GetMatchFields()) == 0 || rapid.IntRange(0, 4).Draw(t, "default") == 0
	if !e.IsDefaultAction {
		for _, f := range tab.GetMatchFields() {
			if m := anyField(t, f, number); m != nil {
				e.Match = append(e.Match, m)
			}
		}
		if prioritised(tab) {
			e.Priority = int32(rapid.IntRange(1, 1<<31-1).Draw(t, "priority"))
		}
		if tab.GetIdleTimeoutBehavior() != 0 {
			e.IdleTimeoutNs = amount("idle")
		}
	}
	if p.direct[e.TableId] != nil && rapid.Bool().Draw(t, "counted") {
		e.CounterData = &p4.CounterData{PacketCount: amount("packets"), ByteCount: amount("bytes")}
	}
	e.Action = &p4.TableAction{}
	switch x := p.profiles[tab.GetImplementationId()]; {
	case x == nil || e.IsDefaultAction:
		e.Action.Type = &p4.TableAction_Action{Action: call(tab, e.IsDefaultAction)}
	case !x.GetWithSelector() || rapid.IntRange(0, 3).Draw(t, "named") == 0:
		e.Action.Type = &p4.TableAction_ActionProfileMemberId{ActionProfileMemberId: id.Draw(t, "member")}
	case rapid.IntRange(0, 2).Draw(t, "grouped") == 0:
		e.Action.Type = &p4.TableAction_ActionProfileGroupId{ActionProfileGroupId: id.Draw(t, "group")}
	default:
		set := &p4.ActionProfileActionSet{
			ActionSelectionMode: p4.ActionProfileActionSet_ActionSelectionMode(rapid.Int32Range(0, 2).Draw(t, "mode")),
			SizeSemantics:       p4.ActionProfileActionSet_SizeSemantics(rapid.Int32Range(0, 2).Draw(t, "semantics")),
		}
		for range rapid.IntRange(0, 3).Draw(t, "actions") {
			a := &p4.ActionProfileAction{Action: call(tab, false), Weight: weight(x)}
			if b, ok := port(); ok {
				a.WatchKind = &p4.ActionProfileAction_WatchPort{WatchPort: b}
			}
			set.ActionProfileActions = append(set.ActionProfileActions, a)
		}
		e.Action.Type = &p4.TableAction_ActionProfileActionSet{ActionProfileActionSet: set}
	}
	return &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: e}}
}

// anyField is a random match; nil: anything matches.
func anyField(t *rapid.T, f *p4config.MatchField, number func(int32, string) []byte) *p4.FieldMatch {
	w := int(f.GetBitwidth())
	v := number(f.GetBitwidth(), "value")
	and := func(a, b []byte) []byte {
		return Bytes(new(big.Int).And(new(big.Int).SetBytes(a), new(big.Int).SetBytes(b)))
	}
	out := &p4.FieldMatch{FieldId: f.GetId()}
	k := kinds[f.GetMatchType()]
	if k != Exact && rapid.IntRange(0, 3).Draw(t, "any") == 0 {
		return nil
	}
	switch k {
	case Exact:
		out.FieldMatchType = &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: v}}
	case Optional:
		out.FieldMatchType = &p4.FieldMatch_Optional_{Optional: &p4.FieldMatch_Optional{Value: v}}
	case LPM:
		n := rapid.IntRange(1, w).Draw(t, "prefix")
		v = and(v, new(big.Int).Lsh(Ones(n), uint(w-n)).Bytes())
		out.FieldMatchType = &p4.FieldMatch_Lpm{Lpm: &p4.FieldMatch_LPM{Value: v, PrefixLen: int32(n)}}
	case Ternary:
		m := number(f.GetBitwidth(), "mask")
		if rapid.Bool().Draw(t, "prefix") {
			n := rapid.IntRange(1, w).Draw(t, "length")
			m = new(big.Int).Lsh(Ones(n), uint(w-n)).Bytes()
		}
		if new(big.Int).SetBytes(m).Sign() == 0 {
			return nil
		}
		out.FieldMatchType = &p4.FieldMatch_Ternary_{Ternary: &p4.FieldMatch_Ternary{Value: and(v, m), Mask: m}}
	case Range:
		hi := number(f.GetBitwidth(), "high")
		if new(big.Int).SetBytes(v).Cmp(new(big.Int).SetBytes(hi)) > 0 {
			v, hi = hi, v
		}
		if new(big.Int).SetBytes(v).Sign() == 0 && new(big.Int).SetBytes(hi).Cmp(Ones(w)) == 0 {
			return nil
		}
		out.FieldMatchType = &p4.FieldMatch_Range_{Range: &p4.FieldMatch_Range{Low: v, High: hi}}
	}
	return out
}

// TestRoundTrip: whatever a switch holds can be written as text, and comes back as it was.
func TestRoundTrip(t *testing.T) {
	p := testProgram(t)
	rapid.Check(t, func(t *rapid.T) {
		e := anything(t, p)
		s, err := p.Statement(e)
		require.NoError(t, err)
		changes := parsed(t, p, s.String())
		require.Len(t, changes, 1)
		got := changes[0].Update.GetEntity()
		require.True(t, proto.Equal(e, got), "%s\n%s\n%s", s, e, got)
	})
}

// A switch that holds things, for reading.
type held []*p4.Entity

func (h held) read(_ context.Context, requests ...*p4.Entity) (out []*p4.Entity, _ error) {
	for _, r := range requests {
		for _, e := range h {
			switch x := e.GetEntity().(type) {
			case *p4.Entity_TableEntry:
				t := r.GetTableEntry()
				if t != nil && t.GetTableId() == x.TableEntry.GetTableId() && t.GetIsDefaultAction() == x.TableEntry.GetIsDefaultAction() {
					out = append(out, e)
				}
			case *p4.Entity_PacketReplicationEngineEntry:
				if g := r.GetPacketReplicationEngineEntry().GetMulticastGroupEntry(); g != nil && (g.MulticastGroupId == 0 || g.MulticastGroupId == x.PacketReplicationEngineEntry.GetMulticastGroupEntry().MulticastGroupId) {
					out = append(out, e)
				}
			case *p4.Entity_ActionProfileMember:
				if r.GetActionProfileMember().GetActionProfileId() == x.ActionProfileMember.GetActionProfileId() {
					out = append(out, e)
				}
			case *p4.Entity_ActionProfileGroup:
				if r.GetActionProfileGroup().GetActionProfileId() == x.ActionProfileGroup.GetActionProfileId() {
					out = append(out, e)
				}
			case *p4.Entity_RegisterEntry:
				if r.GetRegisterEntry().GetRegisterId() == x.RegisterEntry.GetRegisterId() {
					out = append(out, e)
				}
			case *p4.Entity_CounterEntry:
				if r.GetCounterEntry().GetCounterId() == x.CounterEntry.GetCounterId() {
					out = append(out, e)
				}
			case *p4.Entity_MeterEntry:
				if r.GetMeterEntry().GetMeterId() == x.MeterEntry.GetMeterId() {
					out = append(out, e)
				}
			case *p4.Entity_DigestEntry:
				if r.GetDigestEntry().GetDigestId() == x.DigestEntry.GetDigestId() {
					out = append(out, e)
				}
			}
		}
	}
	return out, nil
}

func TestRead(t *testing.T) {
	p := testProgram(t)
	for _, s := range Subjects() {
		_, err := ParseWhat([]string{s})
		require.NoError(t, err)
		require.Equal(t, s != "group", len(p.Names(s)) > 0, s)
	}
	require.Equal(t, []string{"count", "drops"}, p.Names("counter"))
	var h held
	for _, c := range parsed(t, p, `
		multicast 2 -> 1
		multicast 1 -> 2:3
		exact dst=1, id[7:0]=5 -> deny() packets 100 bytes 6400
		exact default -> only_default()
		counter count[0] packets 0 bytes 0
		counter drops[no_route] packets 4
		register word[1] 0
		register pair[1] hi=0, lo=1
		meter rate[0] none
		meter rate[1] cir 1 cburst 2 pir 3 pburst 4
		digest seen max_list 1 max_wait 1s ack 2s`) {
		h = append(h, c.Update.GetEntity())
	}
	fixed := &p4.TableEntry{TableId: 0x02000004, IsDefaultAction: true, Action: &p4.TableAction{Type: &p4.TableAction_Action{Action: &p4.Action{ActionId: 0x01000002}}}}
	h = append(h, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: fixed}})
	text := func(all bool, args ...string) string {
		w, err := ParseWhat(args)
		require.NoError(t, err)
		w.All = all
		list, err := p.Read(t.Context(), h.read, w)
		require.NoError(t, err)
		return string(Text(list))
	}
	require.Equal(t, `exact hdr.ethernet.dst=00:00:00:00:00:01, hdr.vlan.id[7:0]=5 -> deny() packets 100 bytes 6400
exact default -> only_default()

# const: fixed default -> deny()

multicast 2 -> 1
multicast 1 -> 2:3

register pair[1] hi=0, lo=0x1

counter drops[no_route] packets 4

meter rate[1] cir 1 cburst 2 pir 3 pburst 4

digest seen max_list 1 max_wait 1s ack 2s
`, text(false))
	require.Equal(t, "multicast 1 -> 2:3\n", text(false, "group", "1"))
	require.Equal(t, "meter rate[0] none\nmeter rate[1] cir 1 cburst 2 pir 3 pburst 4\n", text(true, "meter"))
	require.Equal(t, "register word[1] 0x0\n", text(true, "register", "In.word"))
	require.Equal(t, "# nothing, or nothing but 0\n", text(false, "register", "word"))
	require.Equal(t, "# nothing, or nothing but 0\n", text(false, "table", "acl"))
	require.Equal(t, "counter count[0] packets 0 bytes 0\n", text(true, "counter", "count"))
	for want, args := range map[string][]string{
		`unexpected argument "c"`: {"table", "b", "c"},
		`"tables": want table, profile, counter, register, meter, group or digest, and perhaps a name`: {"tables"},
	} {
		_, err := ParseWhat(args)
		require.EqualError(t, err, want)
	}
	for want, args := range map[string][]string{
		`meter "rat": the program has none of this name (did you mean pipe.In.rate?)`: {"meter", "rat"},
		`multicast group "x": want a number`:                                          {"group", "x"},
	} {
		w, err := ParseWhat(args)
		require.NoError(t, err)
		_, err = p.Read(t.Context(), h.read, w)
		require.ErrorContains(t, err, want)
	}

	variable, err := p.Read(t.Context(), h.read, What{Of: []Subject{Entry, Default}, Variable: true})
	require.NoError(t, err)
	require.Len(t, variable, 2, "without const entries")

	// A dump is a file that can be written: const entries are comments in it.
	require.Len(t, parsed(t, p, text(false)), 8)

	list, err := p.Read(t.Context(), h.read, What{})
	require.NoError(t, err)
	b, err := json.Marshal(NewDocument(list))
	require.NoError(t, err)
	require.JSONEq(t, `{
		"entries": [
			{"table": "exact", "match": {"hdr.ethernet.dst": "00:00:00:00:00:01", "hdr.vlan.id[7:0]": "5"}, "action": "deny", "args": {}, "packets": 100, "bytes": 6400},
			{"table": "exact", "default": true, "match": {}, "action": "only_default", "args": {}},
			{"table": "fixed", "default": true, "const": true, "match": {}, "action": "deny", "args": {}}],
		"members": [], "member_groups": [],
		"groups": [{"group": 2, "replicas": [{"port": 1, "instance": 0}]}, {"group": 1, "replicas": [{"port": 2, "instance": 3}]}],
		"registers": [{"name": "pair", "index": 1, "fields": {"hi": "0", "lo": "0x1"}}],
		"counters": [{"name": "drops", "cell": "no_route", "packets": 4}],
		"meters": [{"name": "rate", "index": 1, "cir": 1, "cburst": 2, "pir": 3, "pburst": 4}],
		"digests": [{"name": "seen", "max_list": 1, "max_wait": "1s", "ack": "2s"}]}`, string(b))
}

// What has been counted since a moment is shown per second; what began anew is not.
func TestTextSince(t *testing.T) {
	p := testProgram(t)
	at := time.Unix(1, 0)
	moment := func(after time.Duration, text string) Moment {
		m := Moment{At: at.Add(after)}
		for _, c := range parsed(t, p, text) {
			m.List = append(m.List, c.Statement)
		}
		return m
	}
	before := moment(0, "counter count[0] packets 10 bytes 100\ncounter drops[1] packets 9\nexact default -> only_default() packets 1")
	now := moment(2*time.Second, "counter count[0] packets 30 bytes 100\ncounter count[1] packets 4\ncounter drops[1] packets 8\nexact default -> only_default() packets 1\nmulticast 1 -> 1")
	require.Equal(t, `counter count[0] packets 30 bytes 100   # 10 packets/s
counter count[1] packets 4   # 2 packets/s

counter drops[1] packets 8

exact default -> only_default() packets 1

multicast 1 -> 1
`, string(now.TextSince(before)))
	require.NotContains(t, string(now.TextSince(Moment{})), "#", "nothing is known of before")
}

// Entities that a program, or this syntax, does not know are errors.
func TestUnknown(t *testing.T) {
	p := testProgram(t)
	for want, text := range map[string]string{
		"table id 0x1":                                `table_entry { table_id: 1 }`,
		"match field id 0x9":                          `table_entry { table_id: 0x02000002 match { field_id: 9 } }`,
		"match of kind":                               `table_entry { table_id: 0x02000002 match { field_id: 1 } }`,
		"whose action is not one":                     `table_entry { table_id: 0x02000002 action { action_profile_member_id: 5 } }`,
		"In.routes: an entry whose action is not one": `table_entry { table_id: 0x02000002 action { action_profile_action_set { } } }`,
		"table balanced: action id 0x9":               `table_entry { table_id: 0x02000007 action { action_profile_action_set { action_profile_actions { action { action_id: 9 } } } } }`,
		"an action of kind <nil>":                     `table_entry { table_id: 0x02000007 action { } }`,
		"member next[5]: action id 0x9":               `action_profile_member { action_profile_id: 0x11000001 member_id: 5 action { action_id: 9 } }`,
		"action profile id 0x1":                       `action_profile_member { action_profile_id: 1 }`,
		"action profile id 0x2":                       `action_profile_group { action_profile_id: 2 }`,
		"register id 0x1":                             `register_entry { register_id: 1 }`,
		"0 fields, the program's has 2":               `register_entry { register_id: 0x16000002 }`,
		"counter id 0x1":                              `counter_entry { counter_id: 1 }`,
		"meter id 0x1":                                `meter_entry { meter_id: 1 }`,
		"digest id 0x1":                               `digest_entry { digest_id: 1 }`,
		"entity <nil>":                                ``,
		"Entity_PacketReplicationEngine":              `packet_replication_engine_entry { clone_session_entry { session_id: 1 } }`,
	} {
		e := &p4.Entity{}
		require.NoError(t, prototext.Unmarshal([]byte(text), e), text)
		_, err := p.Statement(e)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzParse: no text makes the parser panic; what it takes means the same when it is written and read again; and what a program takes
// comes back from a switch as it was.
func FuzzParse(f *testing.F) {
	f.Add(good)
	for _, l := range strings.Split(good, "\n") {
		f.Add(l)
	}
	f.Add("\"member\" \"member\"=1 -> \"member_group\"() weight 2, member() watch 1")
	f.Add("\"a b\" default -> \"c\"(\"d e\"=f) metadata 0x")
	p := testProgram(f)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse("f", []byte(text))
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "f:"), err.Error())
		}
		for _, s := range list {
			again, err := Parse("f", []byte(s.String()))
			require.NoError(t, err, s.String())
			require.Len(t, again, 1, s.String())
			again[0].Line = s.Line
			require.Equal(t, s, again[0], s.String())
			u, err := p.Update(s)
			if err != nil || s.Delete {
				continue
			}
			back, err := p.Statement(u.GetEntity())
			require.NoError(t, err, s.String())
			list, err := Parse("f", []byte(back.String()))
			require.NoError(t, err, back.String())
			v, err := p.Update(list[0])
			require.NoError(t, err, back.String())
			require.True(t, proto.Equal(u, v), "%s\n%s", s, back)
		}
	})
}
