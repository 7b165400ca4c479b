// Package lab builds a network of switches with the roles of Paxos, and the same roles as programs,
// on one machine. The demo and the benchmark use it.
//
//	 l    a1   a2   a3         leader, acceptors: a switch each
//	 |    |    |    |
//	+------------------+
//	|        t         |       counts votes, and may lead
//	+------------------+
//	    |          |
//	    h1         h2          hosts, in this process: Attach
//
// Network: the switches are processes, on XDP in a network namespace, or on the interpreter with
// datagram sockets for links. A controller runs beside them. Programs: leader, acceptors and
// learner are processes with UDP sockets on the loopback (StartPrograms), or at hosts of a network,
// behind its switches (Network.StartPrograms, Tree). This process does the work of the controller.
package lab
