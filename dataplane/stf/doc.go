// Package stf runs the P4 community's STF packet tests ("simple test framework",
// the form that p4testgen writes for Tofino) against a target.
//
//	FILE.stf --Parse--> *Script --Run(script, program, switch)--> *Result
//
// One statement per line; '#' starts a comment; words are separated by blanks.
//
//	add TABLE [PRIORITY] KEY:VALUE… ACTION(NAME:VALUE, …)
//	setdefault TABLE ACTION(NAME:VALUE, …)
//	packet PORT HEX…
//	expect PORT [HEX…] [$]         '*' is a nibble that does not matter; without
//	                               '$' bytes may follow; without data, any packet
//	no_packet                      nothing leaves: said for the reader
//	expect_digest NAME FIELD:VALUE… a digest; fields that are not given may be anything
//	no_digest                      no packet reports anything: said for the reader
//	wait                           all expectations so far must have been met
//	multicast GROUP PORT:INSTANCE… a multicast group
//	mc_mgrp_create GROUP           the same in three steps, as bmv2's command
//	mc_node_create INSTANCE PORT…  line has it; nodes are numbered from 0
//	mc_node_associate GROUP NODE
//	register_write NAME INDEX VALUE…
//	meter_set_rates NAME INDEX RATE:BURST RATE:BURST  committed and peak, per second
//	check_register NAME(INDEX) [FIELD] OP VALUE
//	check_counter NAME(INDEX) packets|bytes OP VALUE
//
// Names of tables, actions, keys, registers and counters are control-plane
// names, with or without the components in front: any suffix of whole
// components that only one object has. A key may be written without its slice
// (hdr.x for hdr.x[15:8]), as p4testgen does.
//
// Values are decimal, 0x… or 0b… (with '*' for digits that do not matter; in
// front of such a value nothing matters either), an IPv4 or MAC address, true or
// false; VALUE/LEN is a prefix, VALUE&&&MASK a mask,
// LOW..HIGH a range. A larger priority wins; of entries without one, the
// earlier. Keys that are not given match anything, unless they are exact.
//
// Packets that leave a port are compared with the expectations for the port in
// order. A packet that nobody expects is a failure, on any port. Digests are compared
// in order too; one that nobody expects is a failure in a script that speaks of
// digests at all (a script of p4testgen does not).
//
// Where p4c's own tests have a form for a command (p4c's tools/stf, and the
// lines of bmv2's command line that its .stf files contain), this is that form;
// `multicast`, `check_register` and those of digests are ours. Time does not pass within a script
// (package testbed): what depends on it starts from registers.
//
// Contract: parsing is pure and never panics; Run uses the switch from one
// goroutine and leaves the entries it added in place.
package stf
