// Package ctrl is the controller: it drives many switches, each with the application of the program
// that it runs. It talks to them through P4Runtime only. It depends neither on the kind of switch
// nor on any program.
//
//	             +-- Controller ------------------------------------+
//	admin API ---+--> session.Session per switch (one goroutine each) |
//	/metrics     |      App              of the switch's program      |
//	             |      worker           requests, in order           |
//	             +---------|------------------------------------------+
//	                  p4rtclient.Client ---- switch
//
// With Config.Replicated, several controllers stand by for each other (package store). They elect
// the primary of each unit of switches (in keys and metrics, the unit's office). The primary opens
// the sessions of the unit. Candidate.May tells the sessions whether they may act, and
// Candidate.Number is their election id. The streams of standby controllers only look on:
//
//	+--> stand by: a candidate, looking on ----elected----> primary: sessions --+
//	|                                                                           |
//	+-------------------------------- lost -------------------------------------+
//
// No state outlives a term: each term has sessions and Apps of its own.
//
// The application for the program p4/NAME is in systems/NAME/control. Applications share package
// hosts.
package ctrl
