// Package stf runs the P4 community's STF packet tests ("simple test framework",
// the form that p4testgen writes for Tofino) against a target.
//
//	FILE.stf --Parse--> *Script --Run(script, program, switch)--> *Result
//
// One statement per line; '#' starts a comment; words are separated by blanks.
//
//	add TABLE [PRIORITY] KEY:VALUE… ACTION(NAME:VALUE, …)
//	modify TABLE [PRIORITY] KEY:VALUE… ACTION(NAME:VALUE, …)
//	delete TABLE [PRIORITY] KEY:VALUE…
//	setdefault TABLE ACTION(NAME:VALUE, …)
//	packet PORT HEX…
//	expect PORT [HEX…] [$]         '*' is a nibble that does not matter; without
//	                               '$' bytes may follow; without data, any packet
//	no_packet                      nothing leaves (a note for the reader)
//	expect_digest NAME FIELD:VALUE… a digest; omitted fields may be anything
//	no_digest                      no packet sends a digest (a note for the reader)
//	wait                           all expectations so far must have been met
//	multicast GROUP PORT:INSTANCE… a multicast group
//	mc_mgrp_create GROUP           the same in three steps, as bmv2's command
//	mc_node_create INSTANCE PORT…  line has it; nodes are numbered from 0
//	mc_node_associate GROUP NODE
//	register_write NAME INDEX VALUE…
//	meter_set_rates NAME INDEX RATE:BURST RATE:BURST  committed and peak, per second
//	check_register NAME(INDEX) [FIELD] OP VALUE
//	check_counter NAME(INDEX) packets|bytes OP VALUE
//	check_entry TABLE [PRIORITY] KEY:VALUE… packets|bytes OP VALUE   a direct counter;
//	check_entry TABLE default packets|bytes OP VALUE                 of the default action
//
// Entries, default entries and multicast groups may also be written as in the files of `p4xc run` (package p4/entries). An entry that
// is there is then replaced:
//
//	TABLE KEY=VALUE, … -> ACTION(NAME=VALUE, …) [priority N]
//	TABLE default -> ACTION(NAME=VALUE, …)
//	multicast GROUP -> PORT:INSTANCE, …
//	delete TABLE KEY=VALUE, … [priority N]
//	delete TABLE default                the program's own default action
//
// Names of tables, actions, keys, registers and counters are control-plane names. Leading
// components may be omitted: any suffix of whole components that is unique will do. A key may be
// written without its slice (hdr.x for hdr.x[15:8]), as p4testgen does.
//
// Values are decimal, 0x… or 0b… (with '*' for digits that do not matter; in front of such a value
// nothing matters either), an IPv4 or MAC address, true or false; VALUE/LEN is a prefix,
// VALUE&&&MASK a mask, LOW..HIGH a range. A larger priority wins. Of entries without a priority,
// the earlier wins; one of them is modified, deleted and checked by its keys, if no other entry of the script has the same. Omitted keys
// match anything, unless they are exact.
//
// Run compares the packets that leave a port with the expectations for that port, in order. An
// unexpected packet on any port is a failure. Run compares digests in order, too. An unexpected
// digest is a failure if the script mentions digests at all (scripts of p4testgen do not).
//
// Where p4c's own tests have a form for a command (p4c's tools/stf, and the lines of bmv2's command
// line that its .stf files contain), this is that form; `multicast`, `modify`, `delete`, `check_register`,
// `check_entry` and those of digests are ours. Time does not pass within a script (package testbed), so state that depends on
// time starts from registers.
//
// Contract: parsing is pure and never panics; Run uses the switch from one
// goroutine and leaves the entries it added in place.
package stf
