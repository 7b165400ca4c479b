// Package entries is a text syntax for what a switch holds: table entries, multicast groups, action profiles, registers, counters,
// meters and digests, by the names of a program and with values as people write them.
//
//	text --Parse--> []*Statement --Program.Changes--> []Change --> P4Runtime
//	text <-String-- *Statement  <-Program.Statement-- p4.Entity <-- P4Runtime
//
// One statement per line; '#' begins a comment.
//
//	TABLE KEY=VALUE, … -> ACTION(PARAMETER=VALUE, …)   an entry; attributes may follow:
//	                                                   priority N, idle DURATION, metadata 0x…, packets N, bytes N
//	TABLE default -> ACTION(PARAMETER=VALUE, …)        the default entry
//	multicast GROUP -> PORT, PORT:INSTANCE, …          a group; metadata 0x… may follow
//	member PROFILE[ID] -> ACTION(PARAMETER=VALUE, …)   a member of an action profile
//	member_group PROFILE[ID] -> MEMBER, …              members of which a packet gets one; max_size N may follow
//	register NAME[INDEX] VALUE                         an element; of a struct: FIELD=VALUE, …
//	counter NAME[INDEX] packets N bytes N
//	meter NAME[INDEX] cir N cburst N pir N pburst N    rates per second; none: no limit
//	digest NAME max_list N max_wait DURATION ack DURATION
//
//	delete TABLE KEY=VALUE, … [priority N]             removes what is named; an action may be there, and means nothing
//	delete TABLE default                               back to the action of the program
//	delete multicast GROUP
//	delete member PROFILE[ID]
//	delete member_group PROFILE[ID]
//	delete digest NAME
//
// Entries of a table with an action profile have other actions:
//
//	… -> member ID                                     a member of the profile
//	… -> member_group ID                               a group of it
//	… -> ACTION(…), ACTION(…) weight N watch PORT, …   a set of actions, of which a packet gets one, if the profile has a selector;
//	                                                   () is a set without actions; mode hash|random and size weights|members may follow
//
// MEMBER and ACTION(…) have weight 1, or that which follows; with watch PORT they get packets only while the port works. The numbers of
// members and groups are from 1.
//
// A value is a number (10, 0x1f, 0b101), an IPv4, IPv6 or MAC address, true or false, or a constant of the program, also a member of
// an enum (KIND_READ, kind_t.READ). What a key takes depends on how it is matched:
//
//	exact     VALUE
//	lpm       VALUE/LENGTH, or VALUE, which is the longest prefix
//	ternary   VALUE, VALUE &&& MASK, VALUE/LENGTH, or 0x08** and 0b1* with digits that may be anything
//	range     VALUE, or LOW..HIGH, both included
//	optional  VALUE
//
// A key that is left out, or is _, matches everything; exact keys cannot be left out. Of entries that match a packet, the one with the
// largest priority wins. A table with ternary, range or optional keys needs priorities, and no other table has them.
//
// A name may be given without its first components, as long as it is clear what is meant. A name that has white space, or is
// a word of the syntax, stands in double quotes.
//
// What String writes, Parse reads, and it means the same. Values are written in the form that the annotation @format says
// (IPV4_ADDRESS, IPV6_ADDRESS, MAC_ADDRESS, HEX_STRING, DECIMAL). Without one, 48 bits are a MAC address, 32 and 128 bits are an IP address
// if the name says so, up to 16 bits are decimal, and others hexadecimal.
//
// All functions are pure: they may be called from any goroutine.
package entries
