package peers

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
)

// PerftestPort is where the programs of perftest listen.
const PerftestPort = 18515

// Perftest is one of perftest's RC programs, with -R.
type Perftest struct {
	Op      rdma.Op // OpSend, OpWrite, OpRead, OpFetchAdd or OpCompareSwap
	Latency bool    // ib_..._lat, else ib_..._bw
	Size    int     // -s; atomics: 8
	Count   int     // -n
	QP      roce.QPConfig
	Gone    <-chan struct{} // closed when the other program has ended; may be nil
}

// Args is the command line of the program, without the server's address.
func (p Perftest) Args() []string {
	kind := "bw"
	if p.Latency {
		kind = "lat"
	}
	name := map[rdma.Op]string{
		rdma.OpSend: "send", rdma.OpWrite: "write", rdma.OpRead: "read", rdma.OpFetchAdd: "atomic", rdma.OpCompareSwap: "atomic",
	}[p.Op]
	args := []string{"ib_" + name + "_" + kind, "-R", "-F", "-n", fmt.Sprint(p.Count)}
	switch p.Op {
	case rdma.OpFetchAdd:
		return append(args, "-A", "FETCH_AND_ADD")
	case rdma.OpCompareSwap:
		return append(args, "-A", "CMP_AND_SWAP")
	}
	return append(args, "-s", fmt.Sprint(p.Size))
}

// steps is how often the two sides exchange addresses between the connection of
// the test and its beginning, mostly to stay in step. They do so once before that
// connection as well, and do not mean it.
func (p Perftest) steps() int {
	if p.Latency || p.Op == rdma.OpSend {
		return 5
	}
	return 4
}

// reports tells whether the sides exchange results.
func (p Perftest) reports() bool { return !p.Latency && p.Op != rdma.OpSend }

// closes tells whether the sides stay in step at the end.
func (p Perftest) closes() bool { return !(p.Latency && p.Op == rdma.OpWrite) }

const (
	versionLen  = 16
	destLen     = 56 // struct pingpong_dest
	cycleBuffer = 4096
	controlRoom = 64 // of the control connection's receives
	reportCount = 5  // size, iterations, peak, average, message rate
	queueDepth  = 128
)

// dest is where the peer's buffer is: struct pingpong_dest in network byte
// order.
type dest struct {
	qpn  uint32
	rkey uint32
	va   uint64
}

func (d dest) bytes() []byte {
	b := make([]byte, destLen)
	binary.BigEndian.PutUint32(b[8:], d.qpn)
	binary.BigEndian.PutUint32(b[16:], d.rkey)
	binary.BigEndian.PutUint64(b[24:], d.va)
	return b
}

func parseDest(b []byte) dest {
	return dest{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint64(b[24:])}
}

// side is one end of a test.
type side struct {
	p       Perftest
	dev     *roce.Device
	control *channel
	test    *channel
	mr      *roce.MR
	written chan struct{} // something was written into mr
	peer    dest
}

func (p Perftest) newSide(dev *roce.Device) (*side, error) {
	s := &side{p: p, dev: dev, written: make(chan struct{}, 1)}
	// Small messages go round in the first cycleBuffer bytes.
	mr, err := dev.RegisterMemory(make([]byte, max(p.Size, cycleBuffer)), rdma.LocalWrite|rdma.RemoteRead|rdma.RemoteWrite|rdma.RemoteAtomic)
	if err != nil {
		return nil, err
	}
	s.mr = mr
	mr.OnRemoteWrite(func(int, int) {
		select {
		case s.written <- struct{}{}:
		default:
		}
	})
	return s, nil
}

func (s *side) close() {
	for _, c := range []*channel{s.test, s.control} {
		if c != nil && c.conn != nil {
			c.close()
		}
	}
	s.dev.DeregisterMemory(s.mr)
}

func (s *side) dest() dest {
	if s.test == nil {
		return dest{}
	}
	return dest{s.test.conn.QP().QPN(), s.mr.Key(), s.mr.Addr()}
}

// controlPlan is the connection on which the sides stay in step.
func (p Perftest) controlPlan() plan {
	return plan{qp: p.QP, recvs: 4, size: controlRoom, gone: p.Gone}
}

// testPlan is the connection of the test.
func (p Perftest) testPlan() plan {
	t := plan{qp: p.QP, size: p.Size, gone: p.Gone}
	t.qp.Access = rdma.RemoteRead | rdma.RemoteWrite | rdma.RemoteAtomic
	t.qp.SendQueue = queueDepth
	if p.Op == rdma.OpSend {
		t.recvs = 2 * queueDepth
		t.qp.RecvQueue = t.recvs
	}
	return t
}

// Serve is the server of one test. It returns when the client has left.
func (p Perftest) Serve(ctx context.Context, dev *roce.Device, l *roce.Listener) error {
	err := p.serve(ctx, dev, l)
	if err != nil {
		return fmt.Errorf("%s server: %w", p.Args()[0], err)
	}
	return nil
}

func (p Perftest) serve(ctx context.Context, dev *roce.Device, l *roce.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := p.newSide(dev)
	if err != nil {
		return err
	}
	defer s.close()
	if s.control, err = accept(ctx, dev, l, p.controlPlan()); err != nil {
		return err
	}
	// What the client says about itself goes for the server as well, but for the
	// buffer.
	steps := -1
	tested := make(chan error, 1)
	for {
		m, err := s.control.recv(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(m) == destLen {
			s.peer = parseDest(m)
			m = s.dest().bytes()
			steps++
		}
		if err := s.control.send(ctx, m); err != nil {
			if s.control.left(ctx) == nil {
				break // it has its answer, and is gone
			}
			return err
		}
		if steps == 0 && s.test == nil {
			if s.test, err = accept(ctx, dev, l, p.testPlan()); err != nil {
				return err
			}
		}
		if steps == p.steps() {
			steps++ // once
			go func() { tested <- s.respond(ctx) }()
		}
	}
	if s.test == nil || steps < p.steps() {
		return errors.New("the client has left before the test")
	}
	if err := <-tested; err != nil {
		return err
	}
	return s.test.left(ctx)
}

// respond does the server's part of the test.
func (s *side) respond(ctx context.Context) error {
	switch {
	case s.p.Op == rdma.OpSend:
		for n := range s.p.Count {
			m, err := s.test.recv(ctx)
			if err != nil {
				return err
			}
			if len(m) != s.p.Size {
				return fmt.Errorf("message of %d bytes (want %d)", len(m), s.p.Size)
			}
			if s.p.Latency {
				if err := s.test.send(ctx, m); err != nil && !s.leftWith(ctx, n) {
					return err
				}
			}
		}
	case s.p.Op == rdma.OpWrite && s.p.Latency:
		for n := range s.p.Count {
			if err := s.write(ctx, n+1); err != nil && !s.leftWith(ctx, n) {
				return err
			}
			if err := s.await(ctx, n+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftWith tells whether message n, which was not acknowledged, was the last, and
// the peer has left: it does not wait until its acknowledgement has arrived.
func (s *side) leftWith(ctx context.Context, n int) bool {
	return n+1 == s.p.Count && s.test.left(ctx) == nil
}

// write puts a message into the peer's buffer whose last byte is a counter.
func (s *side) write(ctx context.Context, counter int) error {
	b := bytes.Repeat([]byte{0x5a}, s.p.Size)
	b[len(b)-1] = byte(counter)
	return s.test.do(ctx, rdma.SendWR{Op: rdma.OpWrite, Local: b, VA: s.peer.va, RKey: s.peer.rkey})
}

// await waits for the peer's message with this counter.
func (s *side) await(ctx context.Context, counter int) error {
	var last [1]byte
	for gone := false; ; {
		if _, err := s.mr.ReadAt(last[:], int64(s.p.Size-1)); err != nil {
			return err
		}
		if last[0] == byte(counter) {
			return nil
		}
		if gone {
			return fmt.Errorf("message %d has not come: the peer has left", counter)
		}
		select {
		case <-s.written:
		case <-s.p.Gone:
			gone = true // look once more
		case <-s.test.conn.Done():
			return fmt.Errorf("message %d has not come: %w", counter, s.test.conn.Err())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// exchange sends a message on the control connection and returns the answer, of
// the same length.
func (s *side) exchange(ctx context.Context, m []byte) ([]byte, error) {
	got, err := s.control.exchange(ctx, m)
	if err == nil && len(got) != len(m) {
		return nil, fmt.Errorf("control message of %d bytes (want %d)", len(got), len(m))
	}
	return got, err
}

// step exchanges addresses.
func (s *side) step(ctx context.Context) error {
	got, err := s.exchange(ctx, s.dest().bytes())
	if err == nil {
		s.peer = parseDest(got)
	}
	return err
}

// Run is the client of one test.
func (p Perftest) Run(ctx context.Context, dev *roce.Device, to netip.AddrPort) error {
	err := p.run(ctx, dev, to)
	if err != nil {
		return fmt.Errorf("%s client: %w", p.Args()[0], err)
	}
	return nil
}

func (p Perftest) run(ctx context.Context, dev *roce.Device, to netip.AddrPort) error {
	s, err := p.newSide(dev)
	if err != nil {
		return err
	}
	defer s.close()
	if s.control, err = dialAgain(ctx, dev, to, p.controlPlan()); err != nil {
		return err
	}
	version := make([]byte, versionLen)
	copy(version, "6.00")
	for _, m := range [][]byte{
		version, binary.BigEndian.AppendUint32(nil, cycleBuffer), binary.BigEndian.AppendUint32(nil, 64), {'3', 0},
	} {
		if _, err := s.exchange(ctx, m); err != nil {
			return err
		}
	}
	if err := s.step(ctx); err != nil {
		return err
	}
	if s.test, err = dialAgain(ctx, dev, to, p.testPlan()); err != nil {
		return err
	}
	for range p.steps() {
		if err := s.step(ctx); err != nil {
			return err
		}
	}
	if err := s.request(ctx); err != nil {
		return err
	}
	if p.reports() {
		if err := s.step(ctx); err != nil {
			return err
		}
		for range reportCount {
			if _, err := s.exchange(ctx, make([]byte, 8)); err != nil {
				return err
			}
		}
	}
	if p.closes() {
		if err := s.step(ctx); err != nil {
			return err
		}
	}
	if p.Gone == nil {
		return nil
	}
	if err := s.control.left(ctx); err != nil {
		return err
	}
	return s.test.left(ctx)
}

// request does the client's part of the test.
func (s *side) request(ctx context.Context) error {
	p := s.p
	if p.Op == rdma.OpWrite && p.Latency {
		for n := range p.Count {
			if err := s.await(ctx, n+1); err != nil {
				return err
			}
			if err := s.write(ctx, n+1); err != nil && !s.leftWith(ctx, n) {
				return err
			}
		}
		return nil
	}
	wr := rdma.SendWR{Op: p.Op, Local: make([]byte, p.Size), VA: s.peer.va, RKey: s.peer.rkey, SwapAdd: 1}
	depth := queueDepth
	if p.Latency {
		depth = 1
	}
	busy := 0
	for range p.Count {
		if busy == depth {
			if err := s.test.completed(ctx); err != nil {
				return err
			}
			busy--
		}
		if _, err := s.test.conn.QP().PostSend(wr); err != nil {
			return err
		}
		busy++
		if p.Latency && p.Op == rdma.OpSend {
			if _, err := s.test.recv(ctx); err != nil {
				return err
			}
		}
	}
	for range busy {
		if err := s.test.completed(ctx); err != nil {
			return err
		}
	}
	return nil
}
