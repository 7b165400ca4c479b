// Package ctrl is the controller: it makes switches that run p4/rdma/rdma.p4 into
// switches that form groups. It talks to them through P4Runtime only, and knows
// nothing of what they are made of.
//
//	             +-- Controller --------------------------------+
//	admin API ---+--> one Switch per switch (one goroutine each) |
//	/metrics     |      hosts.Table   ARP, ping, attached hosts   |
//	             |      group.Core    CM, groups                  |
//	             |      rdma          names of the P4 program     |
//	             |      worker        requests, in order          |
//	             +---------|--------------------------------------+
//	                  p4rtclient.Client ---- switch
//
// Everything that decides is in the pure packages hosts and group; this package
// moves frames, orders and answers between them, the switch and the store. The
// names of the P4 program's tables, actions and registers are in rdma.go alone.
//
// # Restart and reconnection
//
// Whenever the controller becomes primary of a switch it pushes the program if
// another one runs (a running one is left alone), reads the switch back, takes
// over the groups and hosts that it finds, completes what is missing and removes
// what belongs to nothing. What cannot be read back, the names of connections,
// is in the Store. No running group is touched.
//
// While a switch is not connected its groups run on; new ones are not formed,
// and orders fail and are repeated when it is back.
package ctrl
