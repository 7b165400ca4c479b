package baseline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"log/slog"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// The short sleeps of a follower's loops. The system may make them longer. A follower without a leader does not loop.
const (
	replayPause     = 20 * time.Microsecond
	permissionPause = 200 * time.Microsecond
)

// FollowerConfig configures a follower.
type FollowerConfig struct {
	Device    rdma.Device
	Port      uint16 // of the background plane; the log's is the next
	LogSize   int    // bytes, a power of two; the same on all servers
	MaxRecord int    // bytes of the longest value; the same on all servers
	Window    int    // entries under way at once, the leader's
	Cluster   uint64 // leaders of another are refused
	Token     uint64
	// AckTimeout and Retry are those of rdma.QPConfig.
	AckTimeout time.Duration
	Retry      int
	Log        *slog.Logger // nil discards
}

// Follower has a copy of the log, and applies what is decided.
type Follower struct {
	cfg        FollowerConfig
	geo        geometry
	guard      *proof.Guard
	memory     [2][]byte
	log        rdma.MR
	background rdma.MR
	listeners  [2]rdma.Listener
	ctx        context.Context
	cancel     context.CancelFunc
	wg         sync.WaitGroup
	work       chan struct{} // somebody has permission

	mu      sync.Mutex // guards what follows
	number  uint64     // of the request that was granted last
	holder  uint16     // its server
	paths   map[uint16]rdma.QP
	applied uint64
	sum     uint64
}

// OpenFollower starts a follower. The caller closes it, before the device.
func OpenFollower(cfg FollowerConfig) (_ *Follower, err error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Follower{cfg: cfg, work: make(chan struct{}, 1), paths: map[uint16]rdma.QP{}}
	f.guard = proof.NewGuard(private.Secret{Cluster: cfg.Cluster, Token: cfg.Token})
	if f.geo, err = newGeometry(cfg.LogSize, cfg.MaxRecord); err == nil {
		err = f.geo.fits(cfg.Window)
	}
	if err != nil {
		return nil, fmt.Errorf("follower: %w", err)
	}
	defer func() {
		if err != nil {
			f.release()
			err = fmt.Errorf("follower: %w", err)
		}
	}()
	for i, size := range []int{cfg.LogSize, backgroundLen} {
		if f.memory[i], err = cfg.Device.Alloc(size); err != nil {
			return nil, err
		}
	}
	if f.log, err = cfg.Device.RegisterMemory(f.memory[0], rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead); err != nil {
		return nil, err
	}
	if f.background, err = cfg.Device.RegisterMemory(f.memory[1], rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead); err != nil {
		return nil, err
	}
	var form [formLen]byte
	binary.LittleEndian.PutUint32(form[:], uint32(cfg.MaxRecord))
	binary.LittleEndian.PutUint32(form[4:], uint32(cfg.Window))
	_, _ = f.log.WriteAt(form[:], offForm) // in bounds
	for i := range f.listeners {
		if f.listeners[i], err = cfg.Device.Listen(cfg.Port + uint16(i)); err != nil {
			return nil, err
		}
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.wg.Go(f.replay)
	f.wg.Go(func() { f.serve(f.listeners[0], f.serveBackground) })
	f.wg.Go(func() { f.serve(f.listeners[1], f.serveLog) })
	return f, nil
}

// serve accepts connections of a plane.
func (f *Follower) serve(ln rdma.Listener, one func(rdma.Request, private.Request, *private.Exchange)) {
	for {
		req, err := ln.Accept(f.ctx)
		if err != nil {
			return // closed
		}
		f.wg.Go(func() {
			m, x, err := f.check(req)
			if err != nil {
				proof.Refuse(f.cfg.Log, req, m.Slot, err)
				return
			}
			one(req, m, x)
		})
	}
}

func (f *Follower) check(req rdma.Request) (private.Request, *private.Exchange, error) {
	m, err := private.ParseRequest(req.Private())
	if err != nil {
		return m, nil, err
	}
	if m.Form != private.FormMember && m.Form != private.FormAsk || m.LeaderID >= maxServers || m.Slot >= private.MaxReplicas {
		return m, nil, errors.New("this is a follower of package baseline")
	}
	x, err := f.guard.Check(&m, req.RemoteAddr(), f.cfg.Device.Addr())
	return m, x, err
}

// accept connects a peer, which reaches memory.
func (f *Follower) accept(req rdma.Request, m private.Request, x *private.Exchange, memory rdma.MR, access rdma.Access) rdma.Conn {
	qp, err := f.cfg.Device.CreateQP(rdma.QPConfig{Access: access, AckTimeout: f.cfg.AckTimeout, Retry: f.cfg.Retry})
	if err != nil {
		_ = req.Reject(private.Refuse(m.Slot, err))
		return nil
	}
	conn, err := proof.Accept(f.ctx, req, x, qp, proof.Regions(memory))
	if err != nil {
		f.cfg.Log.Warn("connection not made", "peer", req.RemoteAddr(), "err", err)
		return nil
	}
	return conn
}

// serveLog stays with a connection to the log. What its peer may do is up to the permission loop.
func (f *Follower) serveLog(req rdma.Request, m private.Request, x *private.Exchange) {
	conn := f.accept(req, m, x, f.log, rdma.RemoteRead)
	if conn == nil {
		return
	}
	f.mu.Lock()
	f.paths[m.LeaderID] = conn.QP()
	f.mu.Unlock()
	select {
	case <-conn.Done():
	case <-f.ctx.Done():
	}
	f.mu.Lock()
	if f.paths[m.LeaderID] == conn.QP() {
		delete(f.paths, m.LeaderID)
	}
	f.mu.Unlock()
	_ = conn.Close()
}

// serveBackground is the permission loop for one server.
func (f *Follower) serveBackground(req rdma.Request, m private.Request, x *private.Exchange) {
	conn := f.accept(req, m, x, f.background, rdma.RemoteRead|rdma.RemoteWrite)
	if conn == nil {
		return
	}
	defer conn.Close()
	var request [requestUsed]byte
	at := offRequests + int64(m.LeaderID)*requestLen
	answer := make([]byte, answerLen)
	completions := make([]rdma.Completion, 4)
	for last := uint64(0); ; {
		select {
		case <-conn.Done():
			return
		case <-f.ctx.Done():
			return
		case <-time.After(permissionPause):
		}
		_, _ = f.background.ReadAt(request[:], at) // in bounds
		number := binary.LittleEndian.Uint64(request[16:])
		if number == last || !f.grant(m.LeaderID, number) {
			continue
		}
		last = number
		binary.LittleEndian.PutUint64(answer, number)
		if _, err := conn.QP().PostSend(rdma.SendWR{
			Op: rdma.OpWrite, Local: answer, VA: binary.LittleEndian.Uint64(request[:]) + offAnswers + uint64(m.Slot)*answerLen, RKey: binary.LittleEndian.Uint32(request[8:]),
		}); err != nil {
			return
		}
		// The buffer is the device's until it is written.
		if conn.QP().SendCQ().Wait(f.ctx) != nil {
			return
		}
		conn.QP().SendCQ().Poll(completions)
	}
}

// grant takes the permission from whoever has it, and gives it to a server whose request has a higher number. The server's
// path to the log must be there. The loop of a connection that is ending may have granted the same request.
func (f *Follower) grant(id uint16, number uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := f.paths[id]
	if number < f.number || number == f.number && id != f.holder || path == nil {
		return false
	}
	if old := f.paths[f.holder]; old != nil && f.number > 0 && f.holder != id {
		_ = old.SetAccess(rdma.RemoteRead) // after an error the peer can do nothing at all
	}
	f.number, f.holder = number, id
	if path.SetAccess(rdma.RemoteRead|rdma.RemoteWrite) != nil {
		return false
	}
	select {
	case f.work <- struct{}{}:
	default:
	}
	return true
}

// led reports whether the holder of the permission is connected.
func (f *Follower) led() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.number > 0 && f.paths[f.holder] != nil
}

// together is how many entries are applied before the log is looked at again.
const together = 64

// replay is the replay loop.
func (f *Follower) replay() {
	var head, sum uint64
	var about [headLen]byte
	n := 0
	behind := max(uint64(f.cfg.Window), 1)
	look := func(b []byte) {
		for n = 0; n < together; n++ {
			kind, value, ok := f.geo.get(b, head)
			if !ok {
				return
			}
			if _, _, ok = f.geo.get(b, head+behind); !ok {
				return
			}
			if kind == kindValue {
				sum = crc64.Update(sum, table, value)
			}
			head++
		}
	}
	clean := func(b []byte) {
		for i := head - uint64(n); i < head; i++ {
			clear(b[f.geo.at(i):][:f.geo.size])
		}
	}
	pause := time.NewTimer(0)
	for {
		f.log.Read(look)
		if n > 0 {
			f.log.Write(clean) // before the leader may know
			binary.LittleEndian.PutUint64(about[:], head)
			binary.LittleEndian.PutUint64(about[8:], sum)
			_, _ = f.log.WriteAt(about[:], offHead) // in bounds
			f.mu.Lock()
			f.applied, f.sum = head, sum
			f.mu.Unlock()
			continue
		}
		if !f.led() {
			select {
			case <-f.work:
			case <-f.ctx.Done():
				return
			}
			continue
		}
		pause.Reset(replayPause)
		select {
		case <-pause.C:
		case <-f.ctx.Done():
			return
		}
	}
}

// Applied returns how many entries were applied, those without a value included, and the sum over the values.
func (f *Follower) Applied() (n, sum uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.applied, f.sum
}

// Close ends the follower.
func (f *Follower) Close() error {
	f.cancel()
	err := errors.Join(f.listeners[0].Close(), f.listeners[1].Close())
	f.wg.Wait()
	f.listeners = [2]rdma.Listener{}
	f.release()
	return err
}

func (f *Follower) release() {
	for _, ln := range f.listeners {
		if ln != nil {
			_ = ln.Close()
		}
	}
	for _, mr := range []rdma.MR{f.log, f.background} {
		if mr != nil {
			f.cfg.Device.DeregisterMemory(mr)
		}
	}
	for _, b := range f.memory {
		if b != nil {
			f.cfg.Device.Free(b)
		}
	}
}
