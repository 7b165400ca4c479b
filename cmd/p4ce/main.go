// Command p4ce is in-network consensus for RDMA: the switch, its controller, the servers, and a demonstration of all of them.
//
//	p4ce demo         replicate a file through the switch, in network namespaces
//	p4ce switch       run a switch (XDP, or the interpreter) with a P4Runtime server
//	p4ce controller   run the controller of a switch
//	p4ce node         run a server: a leader or a replica
//	p4ce kv           run a server of the replicated key-value store
//	p4ce shard        run a server of a store with transactions on several servers
//	p4ce group        list, show, create or delete the groups of a controller
//	p4ce cast         copy a file to many hosts at once, by multicast
//	p4ce status, top  what switches, controllers and servers are doing; the second one live
//	p4ce trace        follow one packet through the program of a running switch
//	p4ce bench, sim   measure on this machine; run a scenario in simulated time
//	p4ce config, doctor  check settings; say whether this machine can be a switch or a server
//	p4ce sysdump, version  what is needed to find out what is wrong, in one file; which build this is
//
// Exit status: 0 when all is well, 1 when something failed, 2 for wrong usage.
package main

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	client "github.com/p4ce/p4ce/ctrl/p4rtclient/cli"
	agentcli "github.com/p4ce/p4ce/dataplane/agent/cli"
	swcheck "github.com/p4ce/p4ce/dataplane/check"
	"github.com/p4ce/p4ce/dataplane/trace"
	"github.com/p4ce/p4ce/host/check"
	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/config"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/internal/cli/doctor"
	"github.com/p4ce/p4ce/internal/cli/sysdump"
	"github.com/p4ce/p4ce/internal/cli/top"
)

//go:generate go run ../../internal/systems cli commands demos logs options

func main() { cli.Main(command()) }

func command() *cobra.Command {
	root := &cobra.Command{Use: "p4ce", Short: "In-network consensus for RDMA"}
	root.AddCommand(agentcli.Version(), config.Command(command), cli.Man(), sysdump.Command(), demo.Command(demos...), agentcli.Command(options), ctrlcli.Controller(apps, embed), kvcli.Command(logs), ctrlcli.Status(apps), top.Command(), trace.Command(client.Read), doctor.Command(doctor.Roles{Switch: swcheck.Examine, Server: check.Examine}),
		cli.Bench.Command("bench", "Measure on this machine, in network namespaces (root)"),
		cli.Bench.Command("sim", "Run a scenario in simulated time: the real programs on a simulated network"))
	for _, c := range commands {
		root.AddCommand(c())
	}
	config.Enable(root, false)
	return root
}

// embed has p4etcd go on with this command line: it is p4ce controller with an etcd server in it.
func embed(string, *slog.Logger) (string, func(), error) {
	return "", nil, cli.Etcd.Exec(os.Args[1:]...)
}
