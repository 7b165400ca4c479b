package bench

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
)

// Benchmark is what a system measures.
type Benchmark struct {
	// Command makes the command. It has a flag --out FOLDER, and writes a report.Result named like the command
	// there: NAME.json.
	Command func() *cobra.Command
	// Quick are flags for a short run, which shows that the benchmark works.
	Quick []string
}

// Command is the command bench, with the benchmarks of each system.
func Command(systems ...[]Benchmark) *cobra.Command {
	all := slices.Concat(systems...)
	c := cli.Parent(&cobra.Command{Use: "bench", Short: "Measure on this machine, in network namespaces (root)"}, allCommand(all))
	for _, b := range all {
		c.AddCommand(b.Command())
	}
	return c
}

// minCores is what a leader takes that is measured beside the switch and the replicas.
const minCores = 2

// Ready finds out whether this machine can measure real servers.
func Ready() error { return ready(os.Geteuid(), runtime.NumCPU()) }

func ready(uid, cores int) error {
	switch {
	case uid != 0:
		return errors.New("this measurement runs real servers in network namespaces, which needs root")
	case cores < minCores:
		return fmt.Errorf("this measurement needs at least %d CPUs, and may use %d: with fewer, the servers would wait for each other and not for what is measured", minCores, cores)
	}
	return nil
}
