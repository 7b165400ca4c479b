package check

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// gro switches GRO of an interface on.
func gro(iface string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	value := struct{ cmd, data uint32 }{unix.ETHTOOL_SGRO, 1}
	var req struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte
	}
	copy(req.name[:], iface)
	req.data = unsafe.Pointer(&value)
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req))); e != 0 {
		return e
	}
	return nil
}
