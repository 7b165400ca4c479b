package cm

import (
	"encoding/binary"
	"net/netip"
)

// Transport is the service type that a REQ asks for.
type Transport uint8

// TransportRC is a reliable connection.
const TransportRC Transport = 0

// Path is one of the two paths of a REQ.
type Path struct {
	LocalLID, RemoteLID uint16 // 0xffff on RoCE
	LocalGID, RemoteGID [16]byte
	FlowLabel           uint32 // 20 bits
	PacketRate          uint8  // 6 bits
	TrafficClass        uint8
	HopLimit            uint8
	SL                  uint8 // 4 bits
	SubnetLocal         bool
	LocalACKTimeout     uint8 // 5 bits: 4.096 us * 2^x; 0 is never
}

// pathLen is the length of a path in a REQ.
const pathLen = 44

// GID returns the RoCEv2 GID of an address: IPv4 addresses are mapped to IPv6.
func GID(a netip.Addr) [16]byte { return a.As16() }

func (p *Path) encode(b []byte) {
	binary.BigEndian.PutUint16(b[0:], p.LocalLID)
	binary.BigEndian.PutUint16(b[2:], p.RemoteLID)
	copy(b[4:20], p.LocalGID[:])
	copy(b[20:36], p.RemoteGID[:])
	binary.BigEndian.PutUint32(b[36:], p.FlowLabel<<12|uint32(p.PacketRate&0x3f))
	b[40] = p.TrafficClass
	b[41] = p.HopLimit
	b[42] = p.SL<<4 | flag(p.SubnetLocal, 0x08)
	b[43] = p.LocalACKTimeout << 3
}

func (p *Path) decode(b []byte) {
	p.LocalLID = binary.BigEndian.Uint16(b[0:])
	p.RemoteLID = binary.BigEndian.Uint16(b[2:])
	copy(p.LocalGID[:], b[4:20])
	copy(p.RemoteGID[:], b[20:36])
	v := binary.BigEndian.Uint32(b[36:])
	p.FlowLabel, p.PacketRate = v>>12, uint8(v&0x3f)
	p.TrafficClass = b[40]
	p.HopLimit = b[41]
	p.SL, p.SubnetLocal = b[42]>>4, b[42]&0x08 != 0
	p.LocalACKTimeout = b[43] >> 3
}

// REQ asks for a connection (IB spec 12.6.5).
type REQ struct {
	LocalCommID        uint32
	ServiceID          uint64
	CAGUID             uint64
	LocalQKey          uint32
	LocalQPN           uint32
	ResponderResources uint8
	LocalEECN          uint32
	InitiatorDepth     uint8
	RemoteEECN         uint32
	RemoteCMTimeout    uint8 // 5 bits: 4.096 us * 2^x
	Transport          Transport
	FlowControl        bool
	StartingPSN        uint32
	LocalCMTimeout     uint8 // 5 bits
	RetryCount         uint8 // 3 bits
	PKey               uint16
	PathMTU            uint8 // 4 bits: 1 = 256 ... 5 = 4096 bytes
	RDC                bool
	RNRRetryCount      uint8 // 3 bits; 7 is for ever
	MaxCMRetries       uint8 // 4 bits
	SRQ                bool
	Primary, Alternate Path
	PrivateData        []byte // at most REQPrivateLen bytes
}

// Attribute implements Message.
func (*REQ) Attribute() Attribute { return AttrREQ }

func (m *REQ) encode(b []byte) error {
	be := binary.BigEndian
	be.PutUint32(b[0:], m.LocalCommID)
	be.PutUint64(b[8:], m.ServiceID)
	be.PutUint64(b[16:], m.CAGUID)
	be.PutUint32(b[28:], m.LocalQKey)
	put24(b[32:], m.LocalQPN)
	b[35] = m.ResponderResources
	put24(b[36:], m.LocalEECN)
	b[39] = m.InitiatorDepth
	put24(b[40:], m.RemoteEECN)
	b[43] = m.RemoteCMTimeout<<3 | byte(m.Transport&3)<<1 | flag(m.FlowControl, 1)
	put24(b[44:], m.StartingPSN)
	b[47] = m.LocalCMTimeout<<3 | m.RetryCount&7
	be.PutUint16(b[48:], m.PKey)
	b[50] = m.PathMTU<<4 | flag(m.RDC, 0x08) | m.RNRRetryCount&7
	b[51] = m.MaxCMRetries<<4 | flag(m.SRQ, 0x08)
	m.Primary.encode(b[52:])
	m.Alternate.encode(b[52+pathLen:])
	return putPrivate(AttrREQ, b[140:], m.PrivateData)
}

func (m *REQ) decode(b []byte) {
	be := binary.BigEndian
	m.LocalCommID = be.Uint32(b[0:])
	m.ServiceID = be.Uint64(b[8:])
	m.CAGUID = be.Uint64(b[16:])
	m.LocalQKey = be.Uint32(b[28:])
	m.LocalQPN = get24(b[32:])
	m.ResponderResources = b[35]
	m.LocalEECN = get24(b[36:])
	m.InitiatorDepth = b[39]
	m.RemoteEECN = get24(b[40:])
	m.RemoteCMTimeout, m.Transport, m.FlowControl = b[43]>>3, Transport(b[43]>>1&3), b[43]&1 != 0
	m.StartingPSN = get24(b[44:])
	m.LocalCMTimeout, m.RetryCount = b[47]>>3, b[47]&7
	m.PKey = be.Uint16(b[48:])
	m.PathMTU, m.RDC, m.RNRRetryCount = b[50]>>4, b[50]&0x08 != 0, b[50]&7
	m.MaxCMRetries, m.SRQ = b[51]>>4, b[51]&0x08 != 0
	m.Primary.decode(b[52:])
	m.Alternate.decode(b[52+pathLen:])
	m.PrivateData = getPrivate(b[140:])
}

// MTUBytes converts the MTU code of a REQ to bytes, or returns 0 for a code that
// does not exist.
func MTUBytes(code uint8) int {
	if code < 1 || code > 5 {
		return 0
	}
	return 128 << code
}

// MTUCode returns the code of the largest path MTU that is no more than n bytes,
// or 0 when n is below 256.
func MTUCode(n int) uint8 {
	for code := uint8(5); code > 0; code-- {
		if MTUBytes(code) <= n {
			return code
		}
	}
	return 0
}
