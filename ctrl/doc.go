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
// Applications are in app/NAME, for the program p4/NAME. What they share that is no part
// of a session (hosts) is a package of its own.
package ctrl
