package impair

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/packet"
)

// holder is a pair of interfaces with this process behind it: frames that come out of
// one end go back in after a random time.
type holder struct {
	ifindex int // of the other end
	dev     netlink.Link
	wg      sync.WaitGroup
	frames  sync.WaitGroup // held back at the moment

	port *packet.Port
	mu   sync.Mutex // of the port's Buffer, Send and Flush
}

func newHolder() (_ *holder, err error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = "held0", 9000
	h := &holder{dev: &netlink.Veth{LinkAttrs: attrs, PeerName: "held1", PeerMTU: 9000}}
	if err := netlink.LinkAdd(h.dev); err != nil {
		return nil, fmt.Errorf("hold back: make veth: %w", err)
	}
	defer func() {
		if err != nil {
			_ = h.close()
			err = fmt.Errorf("hold back: %w", err)
		}
	}()
	ends := [2]string{"held0", "held1"}
	for i, name := range ends {
		l, err := netlink.LinkByName(name)
		if err == nil {
			err = netlink.LinkSetUp(l)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			h.ifindex = l.Attrs().Index
		}
	}
	if h.port, err = packet.OpenPort(ends[1]); err != nil {
		return nil, err
	}
	other, err := packet.OpenPort(ends[0])
	if err != nil {
		return nil, err
	}
	defer other.Close()
	if err = errors.Join(awake(other, h.port), awake(h.port, other)); err != nil {
		return nil, err
	}
	h.wg.Go(h.run)
	return h, nil
}

// probe is a frame of an EtherType for experiments.
var probe = append([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5}, make([]byte, 46)...)

// awake waits until frames get through. An interface that has just been set up drops
// what is sent until the kernel's link watch has come by, later on a busy machine.
func awake(from, to link.Port) error {
	heard := make(chan struct{})
	go func() {
		for frames := make([][]byte, 16); ; {
			n, err := to.Receive(frames)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			for _, f := range frames[:n] {
				if bytes.Equal(f, probe) {
					close(heard)
					return
				}
			}
		}
	}()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	enough := time.After(10 * time.Second)
	for {
		from.Send(append(from.Buffer(), probe...))
		if err := from.Flush(); err != nil {
			return err
		}
		select {
		case <-heard:
			return nil
		case <-enough:
			return errors.New("interfaces carry nothing after 10 s")
		case <-again.C:
		}
	}
}

func (h *holder) run() {
	for frames := make([][]byte, 64); ; {
		n, err := h.port.Receive(frames)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		for _, f := range frames[:n] {
			if bytes.Equal(f, probe) {
				continue // one too many
			}
			frame := bytes.Clone(f)
			h.frames.Add(1)
			time.AfterFunc(rand.N(HoldBack), func() {
				h.send(frame)
				h.frames.Done()
			})
		}
	}
}

func (h *holder) send(frame []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.port.Send(append(h.port.Buffer(), frame...))
	_ = h.port.Flush() // a full queue loses it, as any link may
}

func (h *holder) close() error {
	if h.port != nil {
		h.port.Close()
	}
	h.wg.Wait()
	h.frames.Wait()
	if err := netlink.LinkDel(h.dev); err != nil {
		return fmt.Errorf("hold back: %w", err)
	}
	return nil
}
