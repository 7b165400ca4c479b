package cm

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// serviceTCP is the service id prefix of the TCP port space of rdma_cm.
const serviceTCP uint64 = 0x0000000001060000

// ServiceID returns the service id of a port in rdma_cm's TCP port space.
func ServiceID(port uint16) uint64 { return serviceTCP | uint64(port) }

// ServicePort returns the port of a service id; ok is false if it lies outside
// the TCP port space.
func ServicePort(id uint64) (port uint16, ok bool) {
	return uint16(id), id&^0xffff == serviceTCP
}

const (
	// IPHeaderLen is the length of the header with which rdma_cm begins the
	// private data of a REQ.
	IPHeaderLen = 36
	// REQUserLen is the private data that rdma_cm leaves to its user in a REQ.
	REQUserLen = REQPrivateLen - IPHeaderLen
)

// ErrIPHeader is returned for a REQ whose private data do not begin with
// rdma_cm's header.
var ErrIPHeader = errors.New("cm: REQ private data without an ip addressing header")

// IPHeader is rdma_cm's header in the private data of a REQ (IB spec annex A11).
type IPHeader struct {
	SrcPort  uint16
	Src, Dst netip.Addr
}

// Append appends the header to dst.
func (h IPHeader) Append(dst []byte) []byte {
	b := make([]byte, IPHeaderLen)
	if h.Src.Is4() {
		b[1] = 4 << 4
		src, dst4 := h.Src.As4(), h.Dst.As4()
		copy(b[16:20], src[:])
		copy(b[32:36], dst4[:])
	} else {
		b[1] = 6 << 4
		src, dst6 := h.Src.As16(), h.Dst.As16()
		copy(b[4:20], src[:])
		copy(b[20:36], dst6[:])
	}
	binary.BigEndian.PutUint16(b[2:], h.SrcPort)
	return append(dst, b...)
}

// SplitPrivateData splits the private data of a REQ into rdma_cm's header and
// what belongs to the user.
func SplitPrivateData(private []byte) (h IPHeader, user []byte, err error) {
	if len(private) < IPHeaderLen || private[0] != 0 {
		return h, nil, ErrIPHeader
	}
	h.SrcPort = binary.BigEndian.Uint16(private[2:])
	switch private[1] >> 4 {
	case 4:
		h.Src = netip.AddrFrom4([4]byte(private[16:20]))
		h.Dst = netip.AddrFrom4([4]byte(private[32:36]))
	case 6:
		h.Src = netip.AddrFrom16([16]byte(private[4:20]))
		h.Dst = netip.AddrFrom16([16]byte(private[20:36]))
	default:
		return h, nil, ErrIPHeader
	}
	return h, private[IPHeaderLen:], nil
}
