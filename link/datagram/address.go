package datagram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// addresses are the two ends of a link.
type addresses struct {
	network, local string
	peer           []byte // as struct sockaddr has it; empty if it is to be learned
}

// What is wanted of a wire, and of a port, which may learn who its peer is.
const (
	wantWire = "want unix:LOCAL,PEER with two paths, or udp:LOCAL,PEER with two ADDRESS:PORT"
	wantPort = "want unix:LOCAL or unix:LOCAL,PEER with paths, or udp:LOCAL or udp:LOCAL,PEER with ADDRESS:PORT"
)

// parse reads unix:LOCAL,PEER or udp:LOCAL,PEER. The peer may be left out if learn.
func parse(spec string, learn bool) (a addresses, err error) {
	network, rest, _ := strings.Cut(spec, ":")
	local, peer, named := strings.Cut(rest, ",")
	switch {
	case network != "unix" && network != "udp", local == "", peer == "" && (named || !learn):
		if learn {
			return a, errors.New(wantPort)
		}
		return a, errors.New(wantWire)
	case local == peer:
		return a, errors.New("both ends are the same")
	}
	a = addresses{network: network, local: local}
	if network == "unix" {
		if err = checkPath(local); err == nil && named {
			a.peer, err = unixName(peer)
		}
		return a, err
	}
	la, err := addrPort("own address", local)
	if err != nil {
		return a, err
	}
	// Not "udp", which would make a wildcard of both families.
	a.network, a.local = "udp6", la.String()
	if la.Addr().Is4() {
		a.network = "udp4"
	}
	if !named {
		return a, nil
	}
	pa, err := addrPort("peer's address", peer)
	if err != nil {
		return a, err
	}
	if la.Addr().Is4() != pa.Addr().Is4() {
		return a, errors.New("one end is IPv4 and the other is not")
	}
	if pa.Port() == 0 || pa.Addr().IsUnspecified() {
		return a, fmt.Errorf("peer's address %v: want a unicast address and a port", pa)
	}
	a.peer = udpName(pa)
	return a, nil
}

func addrPort(whose, s string) (netip.AddrPort, error) {
	a, err := netip.ParseAddrPort(s)
	if err != nil {
		return a, fmt.Errorf("%s: %w (want udp:ADDRESS:PORT or udp:ADDRESS:PORT,ADDRESS:PORT)", whose, err)
	}
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()), nil
}

// checkPath finds the mistake that the kernel calls "invalid argument".
func checkPath(path string) error {
	if most := len(unix.RawSockaddrUnix{}.Path) - 1; len(path) > most {
		return fmt.Errorf("path %s: %d bytes are too long for a socket (at most %d; choose a shorter folder)", path, len(path), most)
	}
	return nil
}

// unixName is the socket address of a path; one that begins with @ is in the
// abstract name space.
func unixName(path string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	b := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	b = append(b, path...)
	if path[0] == '@' {
		b[2] = 0
		return b, nil
	}
	return append(b, 0), nil
}

func udpName(a netip.AddrPort) []byte {
	if a.Addr().Is4() {
		b := binary.NativeEndian.AppendUint16(nil, unix.AF_INET)
		b = binary.BigEndian.AppendUint16(b, a.Port())
		b = append(b, a.Addr().AsSlice()...)
		return append(b, make([]byte, 8)...)
	}
	b := binary.NativeEndian.AppendUint16(nil, unix.AF_INET6)
	b = binary.BigEndian.AppendUint16(b, a.Port())
	b = append(b, 0, 0, 0, 0) // flow
	b = append(b, a.Addr().AsSlice()...)
	var zone uint32
	if ifi, err := net.InterfaceByName(a.Addr().Zone()); err == nil {
		zone = uint32(ifi.Index)
	}
	return binary.NativeEndian.AppendUint32(b, zone)
}

// listen opens the socket, and returns its path if Close is to remove it.
func (a *addresses) listen() (conn, string, error) {
	if a.network != "unix" {
		la, err := net.ResolveUDPAddr(a.network, a.local)
		if err != nil {
			return nil, "", err
		}
		c, err := net.ListenUDP(a.network, la)
		if err != nil {
			return nil, "", busy(err)
		}
		return c, "", nil
	}
	path := a.local
	if path[0] == '@' {
		path = ""
	} else if err := removeStale(path); err != nil {
		return nil, "", err
	}
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: a.local, Net: "unixgram"})
	if err != nil {
		return nil, "", busy(err)
	}
	return c, path, nil
}

func busy(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w (is another server running?)", err)
	}
	return err
}

// removeStale deletes a socket that nobody reads any more, the rest of a process
// that was killed. One that is in use is left alone.
func removeStale(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err == nil {
		c.Close()
		return busy(fmt.Errorf("%s: %w", path, syscall.EADDRINUSE))
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}
