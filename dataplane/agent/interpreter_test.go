package agent

import (
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/p4ce/p4ce/dataplane"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestInterpreter: a switch answers clients and forwards between its cables. When it is closed, its address is free, and
// its cables are cut.
func TestInterpreter(t *testing.T) {
	sw, err := StartInterpreter("127.0.0.1:0")
	require.NoError(t, err)
	_, err = StartInterpreter(sw.Address)
	require.ErrorContains(t, err, "switch: p4runtime: ")
	one, err := sw.Cable(1)
	require.NoError(t, err)
	two, err := sw.Cable(2)
	require.NoError(t, err)
	_, err = sw.Cable(2)
	require.ErrorContains(t, err, "port 2")

	conn, err := grpc.NewClient(sw.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	version, err := p4.NewP4RuntimeClient(conn).Capabilities(t.Context(), &p4.CapabilitiesRequest{})
	require.NoError(t, err)
	require.NotEmpty(t, version.GetP4RuntimeApiVersion())

	program, diags := lang.Compile(lang.Options{Path: p4src.Source("l2"), FS: p4src.FS})
	require.NotNil(t, program, diags.Err())
	require.NoError(t, sw.Load(&dataplane.Pipeline{Program: program}))
	require.NoError(t, sw.Insert(dataplane.NewEntry(program, "destination", []uint64{0x020000000002}, 0, "forward", 2)))
	frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)
	one.Send(frame)
	frames := make([][]byte, 2)
	n, err := two.Receive(frames)
	require.NoError(t, err)
	require.Equal(t, [][]byte{frame}, frames[:n])

	require.NoError(t, sw.Close())
	require.False(t, one.Up())
	again, err := StartInterpreter(sw.Address)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
