package halves

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/interp"
)

// Programs that are no halves of one are refused, and nothing is loaded. (systems/onepipe/agent runs those that are.)
func TestRefused(t *testing.T) {
	for _, c := range []struct{ whole, fast, why string }{
		{"onepipe", "onepipe", "has digests, registers or filters"},
		{"onepipe", "l2", "has digests, registers or filters"},
		{"rdma", "onepipecpu", "is another one"},
		{"onepipe", "nobody", "nobody"},
	} {
		pipe, err := builtin.Pipeline(c.whole)
		require.NoError(t, err)
		fast := interp.New(interp.Options{})
		x := New(fast, interp.New(interp.Options{}), Program{Name: c.whole, Fast: c.fast})
		defer x.Close()
		require.ErrorContains(t, x.Load(pipe), c.why)
		require.ErrorIs(t, x.Insert(&dataplane.Entry{Table: pipe.Program.Tables[0]}), dataplane.ErrNoPipeline)
		_, err = fast.Inject(1, make([]byte, 64))
		require.ErrorIs(t, err, dataplane.ErrNoPipeline)
	}
}

// A header's fields are where they are: 7, 9 and 16 bits.
func TestHeaders(t *testing.T) {
	pipe, err := builtin.Pipeline("onepipecpu")
	require.NoError(t, err)
	b, err := bind(pipe.Program, pipe.Program, 6)
	require.NoError(t, err)
	in := []byte{0xff, 0x07, 0x00, 0x06, 1, 2, 3}
	require.EqualValues(t, 0x107, b.in.get(b.port, in))
	require.True(t, b.isSlow(in))
	require.False(t, b.isSlow(in[:3]))
	require.False(t, b.isSlow([]byte{0, 0, 0, 7}))
	require.Equal(t, []byte{0x01, 0x07, 0, 0}, b.header(0x107))
}
