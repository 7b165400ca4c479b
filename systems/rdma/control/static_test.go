package control

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/admin"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// listener is an ordinary program that has never heard of p4ce: it says in its private data
// where its memory is (address, R_key, size of 4 bytes, little endian, after a greeting of 4),
// and posts receives.
type listener struct {
	t     *testing.T
	l     *lab
	mr    *roce.MR
	in    [8][64]byte
	conns chan *roce.Conn
	heard chan string // private data of senders
}

func (l *lab) listener(t *testing.T, port int, size int) *listener {
	dev := l.attach(port)
	out := &listener{t: t, l: l, conns: make(chan *roce.Conn, 8), heard: make(chan string, 8)}
	var err error
	out.mr, err = dev.RegisterMemory(make([]byte, size), verbs.LocalWrite|verbs.RemoteWrite)
	require.NoError(t, err)
	ln, err := dev.Listen(replicaPort)
	require.NoError(t, err)
	go func() {
		for {
			req, err := ln.Accept(l.ctx)
			if err != nil {
				return
			}
			qp, err := dev.CreateQP(roce.QPConfig{Access: verbs.RemoteWrite})
			if err != nil {
				return
			}
			for i := range out.in {
				if _, err := qp.PostRecv(verbs.RecvWR{ID: uint64(i), Local: out.in[i][:]}); err != nil {
					return
				}
			}
			b := append([]byte("hey!"), make([]byte, 16)...)
			binary.LittleEndian.PutUint64(b[4:], out.mr.Addr())
			binary.LittleEndian.PutUint32(b[12:], out.mr.Key())
			binary.LittleEndian.PutUint32(b[16:], uint32(out.mr.Len()))
			out.heard <- string(req.Private()[:5])
			conn, err := req.Accept(l.ctx, qp, b)
			if err != nil {
				return
			}
			out.conns <- conn
		}
	}()
	return out
}

// received waits for the next SEND.
func (r *listener) received(c *roce.Conn) string {
	r.t.Helper()
	var done [1]verbs.Completion
	for c.QP().RecvCQ().Poll(done[:]) == 0 {
		require.NoError(r.t, c.QP().RecvCQ().Wait(r.l.ctx))
	}
	require.Equal(r.t, verbs.StatusOK, done[0].Status)
	return string(r.in[done[0].ID][:done[0].Len])
}

// connect is an ordinary sender.
func (l *lab) connect(d *roce.Device, port uint16) (*leader, error) {
	qp, err := d.CreateQP(roce.QPConfig{AckTimeout: 200 * time.Millisecond})
	require.NoError(l.t, err)
	c, err := d.Dial(l.ctx, netip.AddrPortFrom(labSwitchIP.Netip(), port), qp, []byte("hello"))
	if err != nil {
		return nil, err
	}
	return &leader{t: l.t, ctx: l.ctx, conn: c}, nil
}

func (ld *leader) do(wr verbs.SendWR) verbs.Status {
	_, err := ld.conn.QP().PostSend(wr)
	require.NoError(ld.t, err)
	var done [1]verbs.Completion
	for ld.conn.QP().SendCQ().Poll(done[:]) == 0 {
		require.NoError(ld.t, ld.conn.QP().SendCQ().Wait(ld.ctx))
	}
	return done[0].Status
}

func at(port int) group.Receiver {
	return group.Receiver{Addr: wire.Addr{10, 0, 0, byte(port)}.Netip(), Port: replicaPort}
}

// requireCode: an order was refused for a reason that a program can tell, too.
func requireCode(t *testing.T, err error, want codes.Code, text string) {
	t.Helper()
	var e *admin.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, want, e.Code, e.Text)
	require.Contains(t, e.Text, text)
}

// TestStaticGroup: programs that know nothing of p4ce send and write to a group that was made
// beforehand. It outlives the controller that it was made with.
func TestStaticGroup(t *testing.T) {
	l := newLab(t)
	known := func(c *Config) {
		for _, h := range []string{"10.0.0.2,02:66:00:00:00:02,2", "10.0.0.3,02:66:00:00:00:03,3"} {
			parsed, err := ParseHost(h)
			require.NoError(t, err)
			c.Hosts = append(c.Hosts, parsed)
		}
	}
	stop := l.controller(known)
	api := NewAdminClient(l.admin)
	dev := l.attach(1)
	rs := []*listener{l.listener(t, 2, 5000), l.listener(t, 3, 9000)}
	sends := group.Static{Name: "sends", Port: 7000, Policy: "all", Receivers: []group.Receiver{at(2), at(3)}}
	writes := sends
	writes.Name, writes.Port, writes.Reply = "writes", 7001, &group.Reply{VA: 4, RKey: 12, Size: 16, SizeBytes: 4, Order: "little"}
	require.NoError(t, api.CreateGroup(l.ctx, "-", sends))
	require.NoError(t, api.CreateGroup(l.ctx, "s1", writes))

	other := sends
	other.Name = "other"
	requireCode(t, api.CreateGroup(l.ctx, "-", other), codes.AlreadyExists, `port 7000 belongs to group "sends"`)
	other.Port, other.Name = 7009, "sends"
	requireCode(t, api.CreateGroup(l.ctx, "-", other), codes.AlreadyExists, "a group of this name exists")
	other.Name, other.Receivers = "other", []group.Receiver{at(2), at(77)}
	requireCode(t, api.CreateGroup(l.ctx, "-", other), codes.NotFound, "host 10.0.0.77 is not known")
	other.Receivers = make([]group.Receiver, 9)
	requireCode(t, api.CreateGroup(l.ctx, "-", other), codes.InvalidArgument, "9 replicas")
	requireCode(t, api.DeleteGroup(l.ctx, "-", "other", false), codes.NotFound, "does not exist")
	require.ErrorContains(t, api.Put(l.ctx, "/v1/switches/-/made", map[string]any{"nonsense": 1}), `unknown field "nonsense"`)

	_, err := l.connect(dev, 7002)
	var refused *verbs.RejectedError
	require.True(t, errors.As(err, &refused), "%v: nothing is at this port", err)

	ld, err := l.connect(dev, 7000)
	require.NoError(t, err)
	require.Equal(t, "hey!", string(ld.conn.Private()[:4]))
	require.Equal(t, verbs.StatusOK, ld.do(verbs.SendWR{Op: verbs.OpSend, Local: []byte("to all of you")}))
	for _, r := range rs {
		require.Equal(t, "hello", <-r.heard)
		require.Equal(t, "to all of you", r.received(<-r.conns))
	}
	requireCode(t, api.DeleteGroup(l.ctx, "-", "sends", false), codes.FailedPrecondition, "in use by sender 10.0.0.1")
	stop()

	// The next controller knows them, and who sends to which.
	l.controller(known)
	list, err := api.StaticGroups(l.ctx)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, StaticInfo{"s1", group.StaticInfo{Static: sends, Groups: []uint16{0}}}, list[0])
	require.Equal(t, StaticInfo{"s1", group.StaticInfo{Static: writes, Groups: []uint16{}}}, list[1])
	requireCode(t, api.DeleteGroup(l.ctx, "-", "sends", false), codes.FailedPrecondition, "in use by sender 10.0.0.1")
	require.NoError(t, api.DeleteGroup(l.ctx, "-", "sends", true))
	<-ld.conn.Done()

	ld, err = l.connect(dev, 7001)
	require.NoError(t, err)
	b := ld.conn.Private()
	va, key, size := binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	require.Equal(t, uint64(0), va)
	require.Equal(t, uint32(4096), size, "the smallest, a power of two")
	require.Equal(t, verbs.StatusOK, ld.do(verbs.SendWR{Op: verbs.OpWrite, Local: []byte("written"), VA: va + 100, RKey: key}))
	for _, r := range rs {
		got := make([]byte, 7)
		_, err := r.mr.ReadAt(got, 100)
		require.NoError(t, err)
		require.Equal(t, "written", string(got))
	}
	require.Equal(t, verbs.StatusRemoteAccess, ld.do(verbs.SendWR{Op: verbs.OpWrite, Local: []byte("outside"), VA: va + 4090, RKey: key}))
	require.NoError(t, ld.conn.Close())
	l.empty()
	require.NoError(t, api.DeleteGroup(l.ctx, "-", "writes", false))
	list, err = api.StaticGroups(l.ctx)
	require.NoError(t, err)
	require.Empty(t, list)
	made, err := l.store.LoadStatic("s1")
	require.NoError(t, err)
	require.Empty(t, made)
}

// TestStaticStore: what is damaged on disk, in both places, is an error, not a group less.
func TestStaticStore(t *testing.T) {
	dir := t.TempDir()
	s, err := NewFileStore(dir)
	require.NoError(t, err)
	m := group.Static{Name: "a", Port: 1, Policy: "all", Receivers: []group.Receiver{at(2)}}
	require.NoError(t, s.SaveStatic("s/1", m))
	file := filepath.Join(dir, "s%2F1", "made", "a.json")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s%2F1", "made", "b.json.new"), []byte("{"), 0o600), "left by one that died")
	got, err := s.LoadStatic("s/1")
	require.NoError(t, err)
	require.Equal(t, []group.Static{m}, got)
	records, err := s.Load("s/1")
	require.NoError(t, err)
	require.Empty(t, records)
	for _, f := range []string{file, file + ".copy"} {
		require.NoError(t, os.WriteFile(f, []byte("{"), 0o600))
	}
	_, err = s.LoadStatic("s/1")
	require.ErrorContains(t, err, "a.json")
	require.NoError(t, s.ForgetStatic("s/1", "a"))
	require.NoError(t, s.ForgetStatic("s/1", "a"))
	got, err = s.LoadStatic("s/1")
	require.NoError(t, err)
	require.Empty(t, got)
}
