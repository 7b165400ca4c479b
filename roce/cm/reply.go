package cm

import "encoding/binary"

// MRA tells the peer that a message arrived and that the answer takes longer
// (IB spec 12.6.6).
type MRA struct {
	LocalCommID, RemoteCommID uint32
	Received                  MessageKind
	ServiceTimeout            uint8  // 5 bits: 4.096 us * 2^x from now
	PrivateData               []byte // at most MRAPrivateLen bytes
}

// MessageKind names, in MRA and REJ, the message that is answered.
type MessageKind uint8

// The values of MessageKind. In a MRA the third value stands for LAP, which this
// package does not have; in a REJ for "no message".
const (
	KindREQ   MessageKind = 0
	KindREP   MessageKind = 1
	KindOther MessageKind = 2
)

// Attribute implements Message.
func (*MRA) Attribute() Attribute { return AttrMRA }

func (m *MRA) encode(b []byte) error {
	putIDs(b, m.LocalCommID, m.RemoteCommID)
	b[8] = byte(m.Received) << 6
	b[9] = m.ServiceTimeout << 3
	return putPrivate(AttrMRA, b[10:], m.PrivateData)
}

func (m *MRA) decode(b []byte) {
	m.LocalCommID, m.RemoteCommID = getIDs(b)
	m.Received = MessageKind(b[8] >> 6)
	m.ServiceTimeout = b[9] >> 3
	m.PrivateData = getPrivate(b[10:])
}

// REP accepts a REQ (IB spec 12.6.8).
type REP struct {
	LocalCommID, RemoteCommID uint32
	LocalQKey                 uint32
	LocalQPN                  uint32
	LocalEECN                 uint32
	StartingPSN               uint32
	ResponderResources        uint8
	InitiatorDepth            uint8
	TargetACKDelay            uint8 // 5 bits: 4.096 us * 2^x
	Failover                  uint8 // 2 bits
	FlowControl               bool
	RNRRetryCount             uint8 // 3 bits
	SRQ                       bool
	CAGUID                    uint64
	PrivateData               []byte // at most REPPrivateLen bytes
}

// Attribute implements Message.
func (*REP) Attribute() Attribute { return AttrREP }

func (m *REP) encode(b []byte) error {
	putIDs(b, m.LocalCommID, m.RemoteCommID)
	binary.BigEndian.PutUint32(b[8:], m.LocalQKey)
	put24(b[12:], m.LocalQPN)
	put24(b[16:], m.LocalEECN)
	put24(b[20:], m.StartingPSN)
	b[24] = m.ResponderResources
	b[25] = m.InitiatorDepth
	b[26] = m.TargetACKDelay<<3 | m.Failover&3<<1 | flag(m.FlowControl, 1)
	b[27] = m.RNRRetryCount<<5 | flag(m.SRQ, 0x10)
	binary.BigEndian.PutUint64(b[28:], m.CAGUID)
	return putPrivate(AttrREP, b[36:], m.PrivateData)
}

func (m *REP) decode(b []byte) {
	m.LocalCommID, m.RemoteCommID = getIDs(b)
	m.LocalQKey = binary.BigEndian.Uint32(b[8:])
	m.LocalQPN = get24(b[12:])
	m.LocalEECN = get24(b[16:])
	m.StartingPSN = get24(b[20:])
	m.ResponderResources = b[24]
	m.InitiatorDepth = b[25]
	m.TargetACKDelay, m.Failover, m.FlowControl = b[26]>>3, b[26]>>1&3, b[26]&1 != 0
	m.RNRRetryCount, m.SRQ = b[27]>>5, b[27]&0x10 != 0
	m.CAGUID = binary.BigEndian.Uint64(b[28:])
	m.PrivateData = getPrivate(b[36:])
}

// RTU says that the active side is ready to use the connection (IB spec 12.6.9).
type RTU struct {
	LocalCommID, RemoteCommID uint32
	PrivateData               []byte // at most RTUPrivateLen bytes
}

// Attribute implements Message.
func (*RTU) Attribute() Attribute { return AttrRTU }

func (m *RTU) encode(b []byte) error {
	putIDs(b, m.LocalCommID, m.RemoteCommID)
	return putPrivate(AttrRTU, b[8:], m.PrivateData)
}

func (m *RTU) decode(b []byte) {
	m.LocalCommID, m.RemoteCommID = getIDs(b)
	m.PrivateData = getPrivate(b[8:])
}

// DREQ asks to end a connection (IB spec 12.6.10).
type DREQ struct {
	LocalCommID, RemoteCommID uint32
	RemoteQPN                 uint32 // the QPN of the message's receiver
	PrivateData               []byte // at most DREQPrivateLen bytes
}

// Attribute implements Message.
func (*DREQ) Attribute() Attribute { return AttrDREQ }

func (m *DREQ) encode(b []byte) error {
	putIDs(b, m.LocalCommID, m.RemoteCommID)
	put24(b[8:], m.RemoteQPN)
	return putPrivate(AttrDREQ, b[12:], m.PrivateData)
}

func (m *DREQ) decode(b []byte) {
	m.LocalCommID, m.RemoteCommID = getIDs(b)
	m.RemoteQPN = get24(b[8:])
	m.PrivateData = getPrivate(b[12:])
}

// DREP answers a DREQ (IB spec 12.6.11).
type DREP struct {
	LocalCommID, RemoteCommID uint32
	PrivateData               []byte // at most DREPPrivateLen bytes
}

// Attribute implements Message.
func (*DREP) Attribute() Attribute { return AttrDREP }

func (m *DREP) encode(b []byte) error {
	putIDs(b, m.LocalCommID, m.RemoteCommID)
	return putPrivate(AttrDREP, b[8:], m.PrivateData)
}

func (m *DREP) decode(b []byte) {
	m.LocalCommID, m.RemoteCommID = getIDs(b)
	m.PrivateData = getPrivate(b[8:])
}
