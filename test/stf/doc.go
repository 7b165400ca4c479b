// Package stf runs the packet tests of the programs in p4/, on the interpreter and on XDP. They
// are meant to be read: p4/NAME/stf has one scenario per .stf file, which says in words what
// happens and why, then sets up the tables that it needs, sends packets, and says what must
// leave. p4/lib/stf has those that hold for every program with the guards of p4/lib. A new
// program's tests are found by their folder.
//
// Beside the scripts, mutants.txt has changes of the program that each script must notice:
//
//	== SCRIPT
//	-text of the program, as many lines as it takes
//	+what is there instead; one empty line: nothing
//
//	-another change that the same script notices
//	+...
//
// A program that is another one with a macro has that one's scripts: p4/NAME/stf/like.txt says whose.
// Its mutants.txt has only changes of what is its own.
//
// A program that is written differently for another target, by a macro, has all its scripts run in
// that form, too. p4/NAME/stf/forms.txt lists the forms as "== MACRO", each with changes that some
// script notices, if it has code of its own.
//
// Packets are written field by field under the names of the fields; a line
// "differs" marks what the switch has changed. All of them have a right ICRC
// where nothing else is said. The same addresses everywhere in p4/rdma/stf:
//
//	switch     10.66.0.1   02:50:34:63:65:01
//	leader     10.66.0.11  02:00:00:00:00:0b  port 1
//	replica 0  10.66.0.12  02:00:00:00:00:0c  port 2
//	replica 1  10.66.0.13  02:00:00:00:00:0d  port 3
//	replica 2  10.66.0.14  02:00:00:00:00:0e  port 4
//	group 5: queue pair 0x100000 for the leader, 0x200000 + i for replica i;
//	virtual R_key 0x0000abcd; a region of 4096 bytes
//
// By hand: p4xc stf p4/rdma/rdma.p4 p4/rdma/stf/*.stf. The language is that of package
// dataplane/stf. The random half of the packet tests is test/conformance.
package stf
