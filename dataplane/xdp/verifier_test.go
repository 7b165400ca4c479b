package xdp_test

import (
	"bytes"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4"
)

// TestVerifierWork: the verifier gets through the programs with few steps. Its limit is a million, but kernels before 6.3 need
// minutes for half of them. The form of rdma for chips of several pipes is loaded into a kernel by tests, which need no more than the
// limit.
func TestVerifierWork(t *testing.T) {
	needs.Root(t, "XDP")
	most := func(program string) int {
		if program == "rdmaegress" {
			return 700_000
		}
		return 400_000
	}
	processed := regexp.MustCompile(`processed (\d+) insns`)
	for _, name := range p4.Programs() {
		t.Run(name, func(t *testing.T) {
			p, err := builtin.Pipeline(name)
			require.NoError(t, err)
			spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(p.Object))
			require.NoError(t, err)
			coll, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{Programs: ebpf.ProgramOptions{LogLevel: ebpf.LogLevelStats}})
			require.NotErrorIs(t, err, syscall.E2BIG, "the verifier gives up")
			needs.Kernel(t, err)
			defer coll.Close()
			for f, prog := range coll.Programs {
				m := processed.FindStringSubmatch(prog.VerifierLog)
				require.NotNil(t, m, f)
				steps, err := strconv.Atoi(m[1])
				require.NoError(t, err)
				t.Logf("%s: %d steps", f, steps)
				require.Less(t, steps, most(name), f)
			}
		})
	}
}
