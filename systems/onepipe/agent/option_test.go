package agent

import (
	"context"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane/agent"
)

func TestOption(t *testing.T) {
	parse := func(args ...string) (agent.Config, error) {
		var c agent.Config
		f := pflag.NewFlagSet("switch", pflag.ContinueOnError)
		set := Option.Add(f)
		require.NoError(t, f.Parse(args))
		return c, set(&c)
	}
	c, err := parse()
	require.NoError(t, err)
	require.Nil(t, c.Halves)
	c, err = parse("--onepipe-beacons")
	require.NoError(t, err)
	require.Equal(t, Beacons, *c.Halves)
	require.Zero(t, c.HalvesInterval)
	c, err = parse("--onepipe-beacons=50us")
	require.NoError(t, err)
	require.Equal(t, 50*time.Microsecond, c.HalvesInterval)
	for _, wrong := range []string{"2s", "-1us"} {
		_, err = parse("--onepipe-beacons=" + wrong)
		require.ErrorContains(t, err, "--onepipe-beacons: want at most 1s", wrong)
	}
}

// Half of such a switch ends with its process.
func TestNothingIsKept(t *testing.T) {
	err := agent.Run(context.Background(), agent.Config{Target: "xdp", Listen: "unix:" + t.TempDir() + "/s", Pins: "/sys/fs/bpf/x", Halves: &Beacons})
	require.ErrorContains(t, err, "half of program onepipe")
}
