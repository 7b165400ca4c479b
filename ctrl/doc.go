// Package ctrl is the controller: it drives many switches, each with the application of
// the program that it runs. It talks to them through P4Runtime only, and knows nothing of
// what they are made of, nor of any program.
//
//	             +-- Controller ------------------------------------+
//	admin API ---+--> session.Session per switch (one goroutine each) |
//	/metrics     |      App              of the switch's program      |
//	             |      worker           requests, in order           |
//	             +---------|------------------------------------------+
//	                  p4rtclient.Client ---- switch
//
// With Config.Replicated several controllers stand by for each other (package store): each unit of switches
// has an office, and whoever holds it makes its sessions, with what says of itself that it may act (Candidate.May)
// and the office's number for their election id. Those who stand by have streams that only look:
//
//	+--> stand: in the line, looking at the switches --won--> hold: sessions --+
//	|                                                                           |
//	+-------------------------------- lost -------------------------------------+
//
// Nothing is kept of a term: each has sessions and Apps of its own.
//
// Applications are in app/NAME, for the program p4/NAME. What they share that is no part
// of a session (hosts) is a package of its own.
package ctrl
