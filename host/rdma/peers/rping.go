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

// RpingPort is where rping listens.
const RpingPort = 7174

// rpingInfo is what both sides send: where a buffer is.
type rpingInfo struct {
	va   uint64
	rkey uint32
	size uint32
}

const rpingInfoLen = 16

func (i rpingInfo) bytes() []byte {
	b := binary.BigEndian.AppendUint64(nil, i.va)
	b = binary.BigEndian.AppendUint32(b, i.rkey)
	return binary.BigEndian.AppendUint32(b, i.size)
}

func parseRpingInfo(b []byte) (rpingInfo, error) {
	if len(b) != rpingInfoLen {
		return rpingInfo{}, fmt.Errorf("rping: message of %d bytes (want %d)", len(b), rpingInfoLen)
	}
	return rpingInfo{binary.BigEndian.Uint64(b), binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}, nil
}

// Rping is one end of rping.
type Rping struct {
	QP   roce.QPConfig
	Gone <-chan struct{} // closed when the other program has ended; may be nil
}

func (r Rping) plan() plan {
	return plan{qp: r.QP, recvs: 4, size: rpingInfoLen, gone: r.Gone}
}

// Serve serves one client of rping, until it leaves: it READs what the client
// says, and WRITEs it back. It returns how often.
func (r Rping) Serve(ctx context.Context, dev *roce.Device, l *roce.Listener) (pings int, err error) {
	c, err := accept(ctx, dev, l, r.plan())
	if err != nil {
		return 0, err
	}
	defer c.close()
	goAhead := rpingInfo{}.bytes()
	for {
		var buf []byte
		for _, op := range []rdma.Op{rdma.OpRead, rdma.OpWrite} {
			m, err := c.recv(ctx)
			if errors.Is(err, io.EOF) && op == rdma.OpRead {
				return pings, nil
			}
			if err != nil {
				return pings, fmt.Errorf("rping server: %w", err)
			}
			peer, err := parseRpingInfo(m)
			if err != nil {
				return pings, err
			}
			if op == rdma.OpRead {
				buf = make([]byte, peer.size)
			}
			if err := c.do(ctx, rdma.SendWR{Op: op, Local: buf, VA: peer.va, RKey: peer.rkey}); err != nil {
				return pings, fmt.Errorf("rping server: %w", err)
			}
			if err := c.send(ctx, goAhead); err != nil {
				// The client leaves as soon as it has what it wants.
				if op == rdma.OpWrite && c.left(ctx) == nil {
					return pings + 1, nil
				}
				return pings, fmt.Errorf("rping server: %w", err)
			}
		}
		pings++
	}
}

// Run is a client of rping: count times it offers size bytes, and compares what
// comes back. Then it leaves, for which rping's server waits.
func (r Rping) Run(ctx context.Context, dev *roce.Device, to netip.AddrPort, count, size int) error {
	source, err := dev.RegisterMemory(make([]byte, size), rdma.RemoteRead)
	if err != nil {
		return err
	}
	defer dev.DeregisterMemory(source)
	sink, err := dev.RegisterMemory(make([]byte, size), rdma.LocalWrite|rdma.RemoteWrite)
	if err != nil {
		return err
	}
	defer dev.DeregisterMemory(sink)
	p := r.plan()
	p.qp.Access = rdma.RemoteRead | rdma.RemoteWrite
	c, err := dial(ctx, dev, to, p)
	if err != nil {
		return err
	}
	defer c.close()
	data, back := make([]byte, size), make([]byte, size)
	for n := range count {
		// Text that ends with a zero: rping writes back no more than that.
		for i := range size - 1 {
			data[i] = 'A' + byte((i+n)%26)
		}
		if _, err := source.WriteAt(data, 0); err != nil {
			return err
		}
		for _, mr := range []*roce.MR{source, sink} {
			if _, err := c.exchange(ctx, rpingInfo{mr.Addr(), mr.Key(), uint32(size)}.bytes()); err != nil {
				return fmt.Errorf("rping client: %w", err)
			}
		}
		if _, err := sink.ReadAt(back, 0); err != nil {
			return err
		}
		if !bytes.Equal(data, back) {
			return fmt.Errorf("rping client: ping %d came back changed", n)
		}
	}
	return nil
}
