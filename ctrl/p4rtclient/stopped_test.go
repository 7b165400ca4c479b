package p4rtclient

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
)

// stopped is a switch that reads nothing of a stream until goOn is closed.
type stopped struct {
	p4.UnimplementedP4RuntimeServer
	goOn chan struct{}
}

func (s *stopped) StreamChannel(st p4.P4Runtime_StreamChannelServer) error {
	if _, err := st.Recv(); err != nil {
		return err
	}
	if err := st.Send(&p4.StreamMessageResponse{Update: &p4.StreamMessageResponse_Arbitration{Arbitration: &p4.MasterArbitrationUpdate{}}}); err != nil {
		return err
	}
	select {
	case <-s.goOn:
	case <-st.Context().Done():
	}
	for {
		if _, err := st.Recv(); err != nil {
			return err
		}
	}
}

// TestSwitchStopped: whoever sends packets does not wait for a switch that takes none. Packets are lost, and when the switch
// goes on they are taken again.
func TestSwitchStopped(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	sw, server := &stopped{goOn: make(chan struct{})}, grpc.NewServer()
	p4.RegisterP4RuntimeServer(server, sw)
	go server.Serve(l) //nolint:errcheck // ends with Stop
	defer server.Stop()
	c, err := New(Options{Address: l.Addr().String()})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	primary, done := make(chan struct{}, 1), make(chan error, 1)
	go func() { done <- c.Run(ctx, Handler{Mastership: func(context.Context, bool) { primary <- struct{}{} }}) }()
	defer func() {
		if cancel(); t.Failed() {
			return // what waits for the switch may hold what Run and Close need
		}
		<-done
		require.NoError(t, c.Close())
	}()
	<-primary
	packet, busy := &p4.PacketOut{Payload: make([]byte, 1024)}, make(chan bool, 1)
	go func() {
		for range 1 << 14 { // much more than sockets hold
			if err := c.PacketOut(packet); errors.Is(err, ErrBusy) {
				busy <- true
				return
			}
		}
		busy <- false
	}()
	select {
	case b := <-busy:
		require.True(t, b)
	case <-time.After(20 * time.Second):
		close(sw.goOn)
		server.Stop() // which ends what waits
		t.Fatal("a packet waits for the switch")
	}
	close(sw.goOn)
	require.Eventually(t, func() bool { return c.PacketOut(packet) == nil }, time.Minute, time.Millisecond)
}
