package packet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/internal/mmsg"
)

// socket is an AF_PACKET socket that is bound to an interface. It does not see what
// it sends.
type socket struct {
	file *os.File
	raw  syscall.RawConn
}

// open opens a socket for frames of an EtherType, or unix.ETH_P_ALL. set makes options
// before any frame comes.
func open(ifi *net.Interface, etherType uint16, set func(fd int) error) (*socket, error) {
	// Protocol 0 receives nothing until bind.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("AF_PACKET socket: %w (needs CAP_NET_RAW; frames in datagrams, unix:... and udp:..., need no privileges)", err)
	}
	s := &socket{file: os.NewFile(uintptr(fd), "af_packet:"+ifi.Name)}
	err = setOption(fd, unix.PACKET_IGNORE_OUTGOING, "PACKET_IGNORE_OUTGOING (Linux 4.20)")
	if err == nil {
		err = set(fd)
	}
	if err == nil {
		err = mmsg.SetBuffers(fd)
	}
	if err == nil {
		if err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: htons(etherType), Ifindex: ifi.Index}); err != nil {
			err = fmt.Errorf("bind: %w", err)
		}
	}
	if err == nil {
		s.raw, err = s.file.SyscallConn()
	}
	if err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	return s, nil
}

// rebind binds the socket to an interface that was made in place of its own.
func (s *socket) rebind(ifi *net.Interface, etherType uint16) (err error) {
	if e := s.raw.Control(func(fd uintptr) {
		err = unix.Bind(int(fd), &unix.SockaddrLinklayer{Protocol: htons(etherType), Ifindex: ifi.Index})
	}); e != nil {
		return e
	}
	if err != nil {
		return fmt.Errorf("packet socket: bind to %s: %w", ifi.Name, err)
	}
	return nil
}

func setOption(fd, name int, what string) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, name, 1); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func htons(v uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], v)
	return binary.NativeEndian.Uint16(b[:])
}
