// Package paxos is the servers' side of consensus as a network service (P4xos): the messages
// of the roles that p4/paxos has in switches.
//
//	proposer -> leader -> acceptors -> learner -> replica
//	   Request   Accept     Vote       Deliver
//
// Messages are UDP datagrams; numbers are in network byte order.
package paxos
