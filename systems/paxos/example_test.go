package paxos_test

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

// A counter that is the same everywhere: each value of the log adds to it. The roles are
// processes here; with switches, the addresses are those of the application.
func Example() {
	any := netip.MustParseAddrPort("127.0.0.1:0")
	roles, err := soft.StartCluster(soft.ClusterConfig{
		Leaders: []netip.AddrPort{any}, Acceptors: []netip.AddrPort{any, any, any}, Learner: any, Controller: any,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer roles.Close()

	sum := 0
	config := paxos.Config{
		Listen: any, Host: 1, Leader: roles.Leaders[0].Addr(), Learners: []netip.AddrPort{roles.Learner.Addr()}, Controller: roles.Addr(),
		Proposer: paxos.ProposerOptions{Client: 1<<16 | 1}, // a server: paxos.NextClient("client", 1)
		Apply:    func(e paxos.Entry) { sum += int(e.Value[0]) },
	}
	for _, a := range roles.Acceptors {
		config.Acceptors = append(config.Acceptors, a.Addr())
	}
	log, err := paxos.Open(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	roles.Replicas([]netip.AddrPort{log.Addr()}) // to whom the learner delivers

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, n := range []byte{1, 2, 3} {
		if _, err := log.Submit(ctx, []byte{n}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(sum)
	// Output: 6
}
