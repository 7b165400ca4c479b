// Command replicate has three servers count together. Their state machine is a counter, each
// record of the log is one more, and the leader hands a record to both others by one RDMA
// WRITE, which the switch copies. The switch (p4/rdma/rdma.p4 in the interpreter), its controller
// and the servers are in this process, joined by cables in memory.
package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr"
)

func main() {
	ctx, sw := context.Background(), examples.Must(agent.StartInterpreter("127.0.0.1:0"))
	groups := control.Config{MAC: wire.MAC{2, 0, 0, 0, 0, 9}, IPs: []wire.Addr{{10, 0, 0, 9}}}
	members, devices := []smr.Member{}, []rdma.Device{}
	for i := range uint8(3) {
		h := hosts.Host{IP: wire.Addr{10, 0, 0, i + 1}, MAC: wire.MAC{2, 0, 0, 0, 0, i + 1}, Port: uint16(i + 1)}
		groups.Hosts = append(groups.Hosts, h)
		server := examples.Must(sw.Cable(dataplane.Port(h.Port))).Wire(h.IP, h.MAC, groups.MAC)
		devices = append(devices, roce.RDMA(examples.Must(roce.Open(server, roce.Options{})), roce.QPConfig{}))
		members = append(members, smr.Member{ID: mu.ID(i), Addrs: []netip.AddrPort{netip.AddrPortFrom(h.IP.Netip(), 4000)}})
	}
	controlled := ctrl.SwitchConfig{P4RT: p4rtclient.Options{Address: sw.Address}, App: examples.Must(control.New(groups))}
	go ctrl.Run(ctx, ctrl.Config{Switches: []ctrl.SwitchConfig{controlled}})
	var nodes []*smr.Node
	for i, m := range members {
		nodes = append(nodes, examples.Must(smr.Open(smr.Config{
			ID: m.ID, Cluster: 1, Members: members, Devices: devices[i : i+1], Port: 4000, Switch: groups.IPs[0].Netip(),
			Machine:    replicated.NewMemory(func(count *int, record []byte) any { *count++; return *count }),
			AckTimeout: time.Second, Protocol: mu.Config{HeartbeatEvery: 50 * time.Millisecond, StallAfter: 10 * time.Second}, // there is no hurry
		})))
	}
	leader := nodes[0] // the lowest number leads
	for leader.Status().Mode != mu.Accelerated {
		time.Sleep(time.Millisecond)
	}
	for range 5 {
		fmt.Println("the count is", examples.Must(leader.Propose(ctx, []byte("one more"))))
	}
	fmt.Println("through the switch:", leader.Stats().GroupWrites > 0)
	for i, n := range nodes {
		for n.Status().Index < 5 { // the others execute records a moment later
			time.Sleep(time.Millisecond)
		}
		fmt.Printf("server %d has executed %d records\n", i, n.Status().Index)
	}
}
