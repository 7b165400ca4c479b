package control

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/region"
)

const regionPort = 4001

// offers serves requests for regions with memory of a replica, each with other contents before
// it. It reports what has come and gone.
func (l *lab) offers(r *replica, size int) (mrs chan *roce.MR, gone chan struct{}) {
	dev := roce.RDMA(r.dev, roce.QPConfig{})
	ln, err := dev.Listen(regionPort)
	require.NoError(l.t, err)
	mrs, gone = make(chan *roce.MR, 8), make(chan struct{}, 8)
	go func() {
		for {
			req, err := ln.Accept(l.ctx)
			if err != nil {
				return
			}
			if _, ok := region.Asked(req); !ok {
				_ = req.Reject(nil)
				continue
			}
			mr, err := dev.RegisterMemory(make([]byte, size), verbs.LocalWrite|verbs.RemoteWrite)
			if err != nil {
				return
			}
			c, err := region.Offer(l.ctx, dev, req, nil, mr)
			if err != nil {
				continue
			}
			mrs <- mr.(*roce.MR)
			go func() {
				<-c.Done()
				dev.DeregisterMemory(mr)
				c.Close()
				gone <- struct{}{}
			}()
		}
	}()
	return mrs, gone
}

func (ld *leader) writeAt(va uint64, data []byte) verbs.Status {
	return ld.do(verbs.SendWR{Op: verbs.OpWrite, Local: data, VA: va, RKey: ld.region.RKey})
}

// TestRegions: regions are added to a group and taken away while its leader writes.
func TestRegions(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev := l.attach(1)
	rs := []*replica{l.replica(2, ""), l.replica(3, "")}
	var mrs [2]chan *roce.MR
	var gone [2]chan struct{}
	for i, r := range rs {
		mrs[i], gone[i] = l.offers(r, 1<<20+i)
	}
	ld, err := l.dial(dev, private.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	in := func(off int64, mr *roce.MR, want string) {
		t.Helper()
		got := make([]byte, len(want))
		_, err := mr.ReadAt(got, off)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	g := region.Group{Switch: labSwitchIP.Netip(), Port: regionPort, RKey: ld.region.RKey, LeaderID: 1, Term: 1}
	any := roce.RDMA(dev, roce.QPConfig{})
	const size = 1 << 20
	first, err := region.Add(l.ctx, any, g, 2*size, size)
	require.NoError(t, err)
	require.Equal(t, private.Region{VA: 2 * size, RKey: ld.region.RKey, Size: size}, first.Region)
	second, err := region.Add(l.ctx, any, g, 0x10000, 4096)
	require.NoError(t, err)

	require.Equal(t, verbs.StatusOK, ld.writeAt(0, []byte("the group's own")))
	require.Equal(t, verbs.StatusOK, ld.writeAt(2*size+100, []byte("first")))
	require.Equal(t, verbs.StatusOK, ld.writeAt(0x10000+4090, []byte("second")), "its last bytes")
	whole := make([]byte, size)
	whole[size-1] = 9
	require.Equal(t, verbs.StatusOK, ld.writeAt(2*size, whole), "all of it")
	for i, r := range rs {
		require.Equal(t, "the group's own", r.content(15))
		mr := <-mrs[i]
		in(size-1, mr, "\x09")
		in(4090, <-mrs[i], "second")
	}

	for _, bad := range []struct {
		va, size uint64
		want     string
	}{
		{0, 4096, "overlaps the group's first, of 4096 bytes at 0"},
		{2 * size, size, "overlaps that of 1048576 bytes at 0x200000"},
		{2*size + 4096, 4096, "overlaps that of"},
		{0, 4 * size, "overlaps the group's first"},
		{0x10000, 0x10000, "overlaps that of 4096 bytes at 0x10000"},
		{3*size + 1, 64, "want a multiple of its size"},
		{3 * size, 100, "want a power of two"},
		{3 * size, 32, "want a power of two, 64 to"},
		{0, 1 << 32, "want a power of two"},
		{1 << 32, 4096, "must end at or below 4 GiB"},
		{4 * size, 2 * size, "the region of replica 0 (10.0.0.2) has 1048576 bytes, and the leader wants 2097152"},
	} {
		_, err := region.Add(l.ctx, any, g, bad.va, bad.size)
		require.ErrorContains(t, err, bad.want, "%#x, %d bytes", bad.va, bad.size)
	}
	stranger := g
	stranger.RKey++
	_, err = region.Add(l.ctx, any, stranger, 3*size, 4096)
	require.ErrorContains(t, err, "has no group with this R_key")
	_, err = region.Add(l.ctx, roce.RDMA(l.attach(4), roce.QPConfig{}), g, 3*size, 4096)
	require.ErrorContains(t, err, "leader 10.0.0.4 has no group with this R_key")

	list, err := NewAdminClient(l.admin).Groups(l.ctx)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(t, list[0].Index, *list[1].Of)
	require.EqualValues(t, 2*size, list[1].Base)

	// One goes, the other and the group stay.
	require.NoError(t, first.Close())
	for i := range rs {
		for range len(gone[i]) { // of what was refused
			<-gone[i]
		}
	}
	require.Eventually(t, func() bool {
		list, err := NewAdminClient(l.admin).Groups(l.ctx)
		return err == nil && len(list) == 2
	}, 20*time.Second, time.Millisecond)
	require.Equal(t, verbs.StatusOK, ld.writeAt(0x10000, []byte("still there")))
	again, err := region.Add(l.ctx, any, g, 2*size, size)
	require.NoError(t, err, "there is room again")
	require.Equal(t, verbs.StatusOK, ld.writeAt(2*size+100, []byte("again")))

	// What is in no region, or in two, is refused, and ends the group and its regions.
	require.Equal(t, verbs.StatusRemoteAccess, ld.writeAt(0x10000+4090, []byte("past the end")))
	require.NoError(t, ld.conn.Close())
	for _, r := range []*region.Region{second, again} {
		select {
		case <-r.Done():
		case <-time.After(20 * time.Second):
			t.Fatal("a region has outlived its group")
		}
	}
	l.empty()
}

// TestRegionsEndWithController: a new controller ends regions, and the group runs on.
func TestRegionsEndWithController(t *testing.T) {
	l := newLab(t)
	stop := l.controller(nil)
	dev := l.attach(1)
	r := l.replica(2, "")
	mrs, gone := l.offers(r, 4096)
	ld, err := l.dial(dev, private.PolicyAll, "10.0.0.2")
	require.NoError(t, err)
	any := roce.RDMA(dev, roce.QPConfig{})
	g := region.Group{Switch: labSwitchIP.Netip(), Port: regionPort, RKey: ld.region.RKey}
	first, err := region.Add(l.ctx, any, g, 0x10000, 4096)
	require.NoError(t, err)
	<-mrs
	stop()
	require.Equal(t, verbs.StatusOK, ld.writeAt(0x10000, []byte("without a controller")))
	l.controller(nil)
	<-first.Done()
	<-gone
	require.Equal(t, verbs.StatusOK, ld.writeAt(0, []byte("goes on")))
	second, err := region.Add(l.ctx, any, g, 0x10000, 4096)
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.writeAt(0x10000, []byte("added again")))
	require.NoError(t, second.Close())
	require.NoError(t, ld.conn.Close())
	l.empty()
}

// TestBigMessages: SEND and WRITE of 1 MiB, and of lengths around packets' ends, through the switch.
func TestBigMessages(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev := l.attach(1)
	rs := []*replica{l.replica(2, ""), l.replica(3, "")}
	var mrs [2]chan *roce.MR
	for i, r := range rs {
		mrs[i], _ = l.offers(r, 1<<20)
	}
	ld, err := l.dial(dev, private.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	reg, err := region.Add(l.ctx, roce.RDMA(dev, roce.QPConfig{}), region.Group{Switch: labSwitchIP.Netip(), Port: regionPort, RKey: ld.region.RKey}, 1<<20, 1<<20)
	require.NoError(t, err)
	var at [2]*roce.MR
	for i := range rs {
		at[i] = <-mrs[i]
	}
	mtu := dev.MaxPathMTU()
	for _, n := range []int{0, 1, 3, mtu - 1, mtu, mtu + 1, 2*mtu + 1, 65536 - 1, 1<<20 - 1, 1 << 20} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i*7 + n)
		}
		require.Equal(t, verbs.StatusOK, ld.writeAt(reg.VA, data), "%d bytes", n)
		for i := range rs {
			got := make([]byte, n)
			_, err := at[i].ReadAt(got, 0)
			require.NoError(t, err)
			require.Equal(t, data, got)
		}
	}
	require.NoError(t, ld.conn.Close())
	l.empty()
}

// TestBigSends: SENDs of up to 1 MiB go to all receivers of a group, and arrive whole.
func TestBigSends(t *testing.T) {
	l := newLab(t)
	l.controller(func(c *Config) {
		for _, h := range []string{"10.0.0.2,02:66:00:00:00:02,2", "10.0.0.3,02:66:00:00:00:03,3"} {
			parsed, err := ParseHost(h)
			require.NoError(t, err)
			c.Hosts = append(c.Hosts, parsed)
		}
	})
	dev := l.attach(1)
	mtu := dev.MaxPathMTU()
	sizes := []int{0, 1, 3, mtu - 1, mtu, mtu + 1, 2*mtu + 1, 65536 - 1, 1<<20 - 1, 1 << 20}
	qps := make(chan *roce.QP, 2)
	bufs := map[*roce.QP][][]byte{}
	var mu sync.Mutex
	for port := 2; port <= 3; port++ {
		to := l.attach(port)
		ln, err := to.Listen(replicaPort)
		require.NoError(t, err)
		go func() {
			req, err := ln.Accept(l.ctx)
			if err != nil {
				return
			}
			qp, err := to.CreateQP(roce.QPConfig{})
			if err != nil {
				return
			}
			mu.Lock()
			for i := range sizes {
				bufs[qp] = append(bufs[qp], make([]byte, 1<<20))
				_, _ = qp.PostRecv(verbs.RecvWR{ID: uint64(i), Local: bufs[qp][i]})
			}
			mu.Unlock()
			if _, err := req.Accept(l.ctx, qp, nil); err == nil {
				qps <- qp
			}
		}()
	}
	require.NoError(t, NewAdminClient(l.admin).CreateGroup(l.ctx, "-", group.Static{Name: "big", Port: 7000, Policy: "all", Receivers: []group.Receiver{at(2), at(3)}}))
	ld, err := l.connect(dev, 7000)
	require.NoError(t, err)
	to := []*roce.QP{<-qps, <-qps}
	for i, n := range sizes {
		data := make([]byte, n)
		for k := range data {
			data[k] = byte(k*11 + n)
		}
		require.Equal(t, verbs.StatusOK, ld.do(verbs.SendWR{Op: verbs.OpSend, Local: data}), "%d bytes", n)
		for _, qp := range to {
			var done [1]verbs.Completion
			for qp.RecvCQ().Poll(done[:]) == 0 {
				require.NoError(t, qp.RecvCQ().Wait(l.ctx))
			}
			require.Equal(t, verbs.StatusOK, done[0].Status)
			require.EqualValues(t, i, done[0].ID)
			mu.Lock()
			require.Equal(t, data, bufs[qp][i][:done[0].Len])
			mu.Unlock()
		}
	}
	require.NoError(t, ld.conn.Close())
	l.empty()
}
