package packet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// OpenSender opens a socket that sends frames on any interface of the current network namespace, and
// receives none. Another process may inherit it. It needs CAP_NET_RAW.
func OpenSender() (*os.File, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("AF_PACKET socket: %w (needs CAP_NET_RAW)", err)
	}
	return os.NewFile(uintptr(fd), "af_packet"), nil
}

// errFrame is the error for what is no Ethernet frame.
var errFrame = errors.New("not an Ethernet frame")

// SendOn sends a frame on the interface with an index, by the descriptor of a socket of OpenSender.
func SendOn(fd, iface int, frame []byte) error {
	if len(frame) < 14 {
		return errFrame
	}
	return unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Protocol: htons(binary.BigEndian.Uint16(frame[12:])), Ifindex: iface})
}
