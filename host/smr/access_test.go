package smr

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/cm/private"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/host/smr/mu"
)

// intruder is a device that speaks the servers' protocol as it likes.
type intruder struct {
	t   *testing.T
	dev rdma.Device
	cq  rdma.CQ
}

func newIntruder(t *testing.T, d *roce.Device) *intruder {
	dev := roce.RDMA(d, roce.QPConfig{})
	cq, err := dev.NewCQ(16)
	require.NoError(t, err)
	return &intruder{t, dev, cq}
}

// dial asks server i for a connection.
func (x *intruder) dial(i int, m private.Request) (rdma.Conn, error) {
	x.t.Helper()
	data, err := m.Append(nil)
	require.NoError(x.t, err)
	qp, err := x.dev.CreateQP(rdma.QPConfig{SendCQ: x.cq, AckTimeout: 50 * time.Millisecond})
	require.NoError(x.t, err)
	conn, err := x.dev.Dial(testContext(x.t), netip.AddrPortFrom(addr(11+i), servicePort), qp, data)
	return conn, refusal(err)
}

// try posts a request and returns how it ended.
func (x *intruder) try(conn rdma.Conn, wr rc.SendWR) rc.Status {
	x.t.Helper()
	_, err := conn.QP().PostSend(wr)
	require.NoError(x.t, err)
	var c [1]rc.Completion
	for x.cq.Poll(c[:]) == 0 {
		require.NoError(x.t, x.cq.Wait(testContext(x.t)))
	}
	return c[0].Status
}

func regions(t *testing.T, conn rdma.Conn) (r [2]private.Region) {
	t.Helper()
	for i := range r {
		var err error
		r[i], err = private.ParseRegion(conn.Private()[i*private.RegionLen:])
		require.NoError(t, err)
	}
	return r
}

// TestControlCannotWriteLog: a member writes the log of another by the connection that
// has permission, and by no other: not by a control connection, whichever key and
// address it names, although that may write election memory.
func TestControlCannotWriteLog(t *testing.T) {
	c := newNodes(t, 3, nil)
	c.propose("v")
	c.equal()
	// What member 2 could do is done by its device.
	require.NoError(t, c.nodes[2].Close())
	c.nodes[2] = nil
	x := newIntruder(t, c.devices[2])
	request := func(kind uint8) private.Request {
		return private.Request{Form: private.FormPeer, LeaderID: 2, Peer: 1, Port: servicePort, Kind: kind, Cluster: 42, Version: protocolVersion}
	}
	control, err := x.dial(1, request(kindControl))
	require.NoError(t, err)
	known := regions(t, control)
	require.Equal(t, rc.StatusOK, x.try(control, rc.SendWR{Op: rc.OpRead, Local: make([]byte, 8), VA: known[mu.LogRegion].VA, RKey: known[mu.LogRegion].RKey}))
	word := make([]byte, 8)
	require.Equal(t, rc.StatusOK, x.try(control, rc.SendWR{Op: rc.OpWrite, Local: word, VA: known[mu.ElectionRegion].VA + mu.ElectionSize - 8, RKey: known[mu.ElectionRegion].RKey}))
	// It may have a replication connection as well, and knows what that one is told.
	replication, err := x.dial(1, request(kindReplication))
	require.NoError(t, err)
	log, err := private.ParseRegion(replication.Private())
	require.NoError(t, err)
	before := make([]byte, 1<<16)
	copy(before, c.nodes[1].memory[mu.LogRegion].Bytes())
	for _, r := range []private.Region{known[mu.LogRegion], log, {VA: known[mu.LogRegion].VA, RKey: known[mu.ElectionRegion].RKey}} {
		for _, off := range []uint64{0, 4096} { // the commit position, and an entry
			conn, err := x.dial(1, request(kindControl))
			require.NoError(t, err)
			require.Equal(t, rc.StatusRemoteAccess, x.try(conn, rc.SendWR{Op: rc.OpWrite, Local: []byte{1, 1, 1, 1, 1, 1, 1, 1}, VA: r.VA + off, RKey: r.RKey}))
		}
	}
	// Nor by a replication connection that has no permission.
	got := x.try(replication, rc.SendWR{Op: rc.OpWrite, Local: []byte{1, 1, 1, 1, 1, 1, 1, 1}, VA: log.VA, RKey: log.RKey})
	require.Equal(t, rc.StatusRemoteInvalidRequest, got)
	require.Equal(t, before, c.nodes[1].memory[mu.LogRegion].Bytes())
}
