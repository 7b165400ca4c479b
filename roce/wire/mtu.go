package wire

// MaxFrame is the largest frame that an endpoint builds: path MTU 4096 and all
// headers. A link's buffers have at least this room, or that of its link's MTU.
const MaxFrame = 4096 + MaxOverhead

// PathMTU returns the largest path MTU that fits a link MTU in bytes, or 0 when
// not even 256 does.
func PathMTU(link int) int {
	for mtu := 4096; mtu >= 256; mtu /= 2 {
		// The headers of the longest request and the ICRC; Ethernet does not
		// count.
		if mtu+MaxOverhead-EthernetLen <= link {
			return mtu
		}
	}
	return 0
}
