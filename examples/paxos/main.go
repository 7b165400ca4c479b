// Command paxos adds numbers up in a Paxos log, on two replicas. One of the three acceptors
// ends, and the log goes on: two are a majority. Here a leader, acceptors and a learner are in
// this process; with switches, the addresses are those of the application (docs/paxos.md).
package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

var free = netip.MustParseAddrPort("127.0.0.1:0") // any port

func main() {
	roles := examples.Must(soft.StartCluster(soft.ClusterConfig{
		Leaders: []netip.AddrPort{free}, Acceptors: []netip.AddrPort{free, free, free}, Learner: free, Controller: free,
	}))
	defer roles.Close()
	sums := [2]chan int{make(chan int, 16), make(chan int, 16)}
	first, second := open(roles, 1, sums[0]), open(roles, 2, sums[1])
	defer first.Close()
	defer second.Close()
	roles.Replicas([]netip.AddrPort{first.Addr(), second.Addr()}) // to whom the learner tells what is chosen

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for n := byte(1); n <= 4; n++ {
		if n == 3 {
			roles.Acceptors[2].Close()
			fmt.Println("an acceptor has ended")
		}
		examples.Must(first.Submit(ctx, []byte{n})) // returns when it is chosen, and applied at the first replica
		fmt.Printf("add %d: %d at one replica, %d at the other\n", n, <-sums[0], <-sums[1])
	}
}

func open(roles *soft.Cluster, host uint32, sums chan<- int) *paxos.Log {
	sum := 0
	config := paxos.Config{
		Listen: free, Host: host, Leader: roles.Leaders[0].Addr(), Learners: []netip.AddrPort{roles.Learner.Addr()}, Controller: roles.Addr(),
		Proposer: paxos.ProposerOptions{Client: host<<16 | 1}, // of this host and this life of it: paxos.NextClient
		Apply:    func(e paxos.Entry) { sum += int(e.Value[0]); sums <- sum },
	}
	for _, a := range roles.Acceptors {
		config.Acceptors = append(config.Acceptors, a.Addr())
	}
	return examples.Must(paxos.Open(config))
}
