package verbs

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

// TestOpenSaysWhatIsMissing: a binary without the provider says how to get one, and
// one with it says that there is no device, on a machine without.
func TestOpenSaysWhatIsMissing(t *testing.T) {
	devs, err := Devices(Sysfs())
	require.NoError(t, err)
	if Built && len(devs) > 0 {
		needs.Hardware(t, errors.New("a machine without RDMA devices"))
	}
	want := "verbs: this binary was built without the verbs provider (build with -tags verbs)"
	if Built {
		want = "rdma: this machine has no RDMA device (no driver loaded; for software RDMA: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev INTERFACE)"
	}
	_, err = Open(Options{})
	require.EqualError(t, err, want)
	_, err = Probe(context.Background(), Options{})
	require.EqualError(t, err, want)
}
