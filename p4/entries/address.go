package entries

import (
	"net"
	"net/netip"
)

// address writes an address.
func address(f form, b []byte) string {
	if f == mac {
		return net.HardwareAddr(b).String()
	}
	a, ok := netip.AddrFromSlice(b)
	if !ok {
		return ""
	}
	return a.String()
}
