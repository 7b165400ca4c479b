package impair

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// holder is a pair of interfaces with this process behind it: frames that come out of
// one end go back in after a random time.
type holder struct {
	ifindex int // of the other end
	dev     netlink.Link
	file    *os.File
	wg      sync.WaitGroup
	frames  sync.WaitGroup // held back at the moment
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
	var index [2]int
	for i, name := range []string{"held0", "held1"} {
		l, err := netlink.LinkByName(name)
		if err == nil {
			index[i] = l.Attrs().Index
			err = netlink.LinkSetUp(l)
		}
		if err != nil {
			return nil, err
		}
	}
	h.ifindex = index[0]
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // network byte order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	h.file = os.NewFile(uintptr(fd), "held1")
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return nil, err
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index[1]}); err != nil {
		return nil, err
	}
	h.wg.Go(h.run)
	return h, nil
}

func (h *holder) run() {
	buf := make([]byte, 1<<16)
	for {
		n, err := h.file.Read(buf)
		if err != nil {
			return // closed
		}
		frame := bytes.Clone(buf[:n])
		h.frames.Add(1)
		time.AfterFunc(rand.N(HoldBack), func() {
			_, _ = h.file.Write(frame) // a full queue loses it, as any link may
			h.frames.Done()
		})
	}
}

func (h *holder) close() error {
	if h.file != nil {
		h.file.Close()
	}
	h.wg.Wait()
	h.frames.Wait()
	if err := netlink.LinkDel(h.dev); err != nil {
		return fmt.Errorf("hold back: %w", err)
	}
	return nil
}
