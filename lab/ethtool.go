package lab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// ioctlEthtool passes struct ethtool_value {cmd, data} to SIOCETHTOOL.
func ioctlEthtool(fd int, iface string, cmd, data uint32) error {
	value := [2]uint32{cmd, data}
	var ifr struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		pad  [16]byte // struct ifreq is a union; the kernel reads all of it
	}
	copy(ifr.name[:unix.IFNAMSIZ-1], iface)
	ifr.data = unsafe.Pointer(&value)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&ifr)))
	if errno != 0 {
		return errno
	}
	return nil
}
