package hosttest

import (
	"bytes"
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cmsm"
)

// Port is where services listen.
const Port = 4791

// Addr is 10.0.0.i.
func Addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }

// Context ends with the test, or before it hangs.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// Device opens a software device on a hub, until the test ends.
func Device(t testing.TB, h *hub.Hub, a netip.Addr) *roce.Device {
	p, err := h.Attach(a, 4096)
	require.NoError(t, err)
	d, err := roce.Open(p, roce.Options{
		CM:   cmsm.Config{ResponseTimeout: 50 * time.Millisecond, MaxRetries: 4},
		Loop: a.As4()[3]%2 == 1, // of two devices, one runs to completion
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Writer puts a log into the test's output.
type Writer struct{ T testing.TB }

func (w Writer) Write(b []byte) (int, error) {
	w.T.Helper()
	w.T.Logf("%s", bytes.TrimSpace(b))
	return len(b), nil
}
