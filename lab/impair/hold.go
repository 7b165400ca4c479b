package impair

import (
	"bytes"
	"errors"
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
	if h.file, err = socket(index[1]); err != nil {
		return nil, err
	}
	other, err := socket(index[0])
	if err != nil {
		return nil, err
	}
	defer other.Close()
	if err = errors.Join(awake(other, h.file), awake(h.file, other)); err != nil {
		return nil, err
	}
	h.wg.Go(h.run)
	return h, nil
}

// socket opens a packet socket on an interface.
func socket(ifindex int) (*os.File, error) {
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // network byte order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "hold back")
	err = unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifindex})
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// awake waits until frames get through. An interface that has just been set up drops
// what is sent until the kernel's link watch has come by, later on a busy machine.
func awake(from, to *os.File) error {
	probe := append([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5}, make([]byte, 46)...)
	buf := make([]byte, 1<<16)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if _, err := from.Write(probe); err != nil && !errors.Is(err, unix.ENETDOWN) && !errors.Is(err, unix.ENOBUFS) {
			return err
		}
		if err := to.SetReadDeadline(time.Now().Add(5 * time.Millisecond)); err != nil {
			return err
		}
		for {
			n, err := to.Read(buf)
			if err != nil {
				break // nothing more has come
			}
			if bytes.Equal(buf[:n], probe) {
				return to.SetReadDeadline(time.Time{})
			}
		}
	}
	return errors.New("interfaces carry nothing after 10 s")
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
