package wire

import "encoding/binary"

// EthernetLen is the length of an untagged Ethernet header.
const EthernetLen = 14

// EtherTypeIPv4 is the EtherType of IPv4.
const EtherTypeIPv4 = 0x0800

// MAC is an Ethernet address. Unlike net.HardwareAddr it is a value: it can be
// compared and copied without allocating.
type MAC [6]byte

// Ethernet is a view of an untagged Ethernet header.
type Ethernet []byte

// Dst returns the destination address.
func (h Ethernet) Dst() MAC { return MAC(h[0:6]) }

// SetDst sets the destination address.
func (h Ethernet) SetDst(a MAC) { copy(h[0:6], a[:]) }

// Src returns the source address.
func (h Ethernet) Src() MAC { return MAC(h[6:12]) }

// SetSrc sets the source address.
func (h Ethernet) SetSrc(a MAC) { copy(h[6:12], a[:]) }

// EtherType returns the type of what follows.
func (h Ethernet) EtherType() uint16 { return binary.BigEndian.Uint16(h[12:]) }

// SetEtherType sets the type of what follows.
func (h Ethernet) SetEtherType(t uint16) { binary.BigEndian.PutUint16(h[12:], t) }
