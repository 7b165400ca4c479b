// Command p4bench is what p4ce bench and p4ce sim run: measurements, drawing and simulation, whose libraries
// p4ce does not link. It runs the servers that it measures as processes of p4ce.
//
//	p4ce bench        measure on this machine
//	p4ce sim          run a scenario in simulated time
//
// Exit status: 0 when all is well, 1 when something failed, 2 for wrong usage.
package main

import (
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench"
	simcli "github.com/p4ce/p4ce/bench/sim"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/config"
)

//go:generate go run ../../internal/systems benchmarks fabric

func main() { cli.Main(command()) }

// command has the name of the program that users call.
func command() *cobra.Command {
	root := &cobra.Command{Use: string(cli.P4ce), Short: "Measurements and simulations of p4ce"}
	root.AddCommand(bench.Command(benchmarks...), simcli.Command(simSystems))
	config.Enable(root, true)
	return root
}
