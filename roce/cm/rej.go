package cm

import (
	"encoding/binary"
	"fmt"
)

// Reason says why a REJ was sent (IB spec table 113).
type Reason uint16

// The reasons.
const (
	ReasonNoQP              Reason = 1
	ReasonNoEEC             Reason = 2
	ReasonNoResources       Reason = 3
	ReasonTimeout           Reason = 4
	ReasonUnsupported       Reason = 5
	ReasonInvalidCommID     Reason = 6
	ReasonInvalidCommInst   Reason = 7
	ReasonInvalidServiceID  Reason = 8
	ReasonInvalidTransport  Reason = 9
	ReasonStaleConnection   Reason = 10
	ReasonRDCNotExist       Reason = 11
	ReasonPrimaryGID        Reason = 12
	ReasonPrimaryLID        Reason = 13
	ReasonInvalidSL         Reason = 14
	ReasonInvalidTraffic    Reason = 15
	ReasonInvalidHopLimit   Reason = 16
	ReasonInvalidRate       Reason = 17
	ReasonAlternateGID      Reason = 18
	ReasonAlternateLID      Reason = 19
	ReasonAlternateSL       Reason = 20
	ReasonAlternateTraffic  Reason = 21
	ReasonAlternateHopLimit Reason = 22
	ReasonAlternateRate     Reason = 23
	ReasonPortCMRedirect    Reason = 24
	ReasonPortRedirect      Reason = 25
	ReasonInvalidMTU        Reason = 26
	ReasonInsufficientRDRes Reason = 27
	ReasonConsumer          Reason = 28
	ReasonInvalidRNRRetry   Reason = 29
	ReasonDuplicateCommID   Reason = 30
	ReasonInvalidClass      Reason = 31
	ReasonInvalidFlowLabel  Reason = 32
	ReasonInvalidAltFlow    Reason = 33
	ReasonVendor            Reason = 35
)

var reasonText = map[Reason]string{
	ReasonNoQP: "no queue pair available", ReasonNoEEC: "no end-to-end context available",
	ReasonNoResources: "no resources available", ReasonTimeout: "timeout",
	ReasonUnsupported: "unsupported request", ReasonInvalidCommID: "invalid communication id",
	ReasonInvalidCommInst: "invalid communication instance", ReasonInvalidServiceID: "no program listens on the port (invalid service id)",
	ReasonInvalidTransport: "invalid transport service type", ReasonStaleConnection: "stale connection",
	ReasonRDCNotExist: "rdc does not exist", ReasonPrimaryGID: "primary remote gid rejected",
	ReasonPrimaryLID: "primary remote lid rejected", ReasonInvalidSL: "invalid service level",
	ReasonInvalidTraffic: "invalid traffic class", ReasonInvalidHopLimit: "invalid hop limit",
	ReasonInvalidRate: "invalid packet rate", ReasonAlternateGID: "alternate remote gid rejected",
	ReasonAlternateLID: "alternate remote lid rejected", ReasonAlternateSL: "invalid alternate service level",
	ReasonAlternateTraffic: "invalid alternate traffic class", ReasonAlternateHopLimit: "invalid alternate hop limit",
	ReasonAlternateRate: "invalid alternate packet rate", ReasonPortCMRedirect: "port and cm redirection",
	ReasonPortRedirect: "port redirection", ReasonInvalidMTU: "invalid path mtu",
	ReasonInsufficientRDRes: "insufficient responder resources", ReasonConsumer: "rejected by the consumer",
	ReasonInvalidRNRRetry: "invalid rnr retry count", ReasonDuplicateCommID: "duplicate local communication id",
	ReasonInvalidClass: "invalid class version", ReasonInvalidFlowLabel: "invalid flow label",
	ReasonInvalidAltFlow: "invalid alternate flow label", ReasonVendor: "vendor option not supported",
}

func (r Reason) String() string {
	if s, ok := reasonText[r]; ok {
		return s
	}
	return fmt.Sprintf("reject reason %d", uint16(r))
}

// REJ refuses a connection, or ends its setup (IB spec 12.6.7).
type REJ struct {
	LocalCommID, RemoteCommID uint32 // LocalCommID is 0 when the rejecter made none
	Rejected                  MessageKind
	Reason                    Reason
	ARI                       []byte // additional reject information, at most ARILen bytes
	PrivateData               []byte // at most REJPrivateLen bytes
}

// Attribute implements Message.
func (*REJ) Attribute() Attribute { return AttrREJ }

func (m *REJ) encode(b []byte) error {
	if len(m.ARI) > ARILen {
		return fmt.Errorf("cm: REJ additional information of %d bytes (at most %d fit)", len(m.ARI), ARILen)
	}
	putIDs(b, m.LocalCommID, m.RemoteCommID)
	b[8] = byte(m.Rejected) << 6
	b[9] = byte(len(m.ARI)) << 1
	binary.BigEndian.PutUint16(b[10:], uint16(m.Reason))
	copy(b[12:84], m.ARI)
	return putPrivate(AttrREJ, b[84:], m.PrivateData)
}

func (m *REJ) decode(b []byte) {
	m.LocalCommID, m.RemoteCommID = getIDs(b)
	m.Rejected = MessageKind(b[8] >> 6)
	n := min(int(b[9]>>1), ARILen)
	m.Reason = Reason(binary.BigEndian.Uint16(b[10:]))
	m.ARI = getPrivate(b[12 : 12+n])
	m.PrivateData = getPrivate(b[84:])
}
