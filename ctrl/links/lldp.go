package links

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
)

var lldpDst = []byte{0x01, 0x80, 0xc2, 0, 0, 0x0e}

const etherTypeLLDP = 0x88cc

// LLDP is the probe that leaves a port; mac is its switch's.
func LLDP(mac wire.MAC, at topology.Place) []byte {
	f := append(append(append([]byte{}, lldpDst...), mac[:]...), etherTypeLLDP>>8, etherTypeLLDP&0xff)
	tlv := func(kind int, value ...byte) {
		f = append(binary.BigEndian.AppendUint16(f, uint16(kind<<9|len(value))), value...)
	}
	const local = 7 // subtype: assigned locally
	tlv(1, append([]byte{local}, at.Switch...)...)
	tlv(2, append([]byte{local}, fmt.Sprint(at.Port)...)...)
	tlv(3, 0, 2)
	tlv(0)
	return append(f, make([]byte, max(0, 60-len(f)))...)
}

// ParseLLDP reads which port a probe left.
func ParseLLDP(f []byte) (at topology.Place, ok bool) {
	if len(f) < 14 || !bytes.Equal(f[:6], lldpDst) || binary.BigEndian.Uint16(f[12:]) != etherTypeLLDP {
		return at, false
	}
	var parts [2]string
	f = f[14:]
	for i := range parts {
		if len(f) < 2 {
			return at, false
		}
		head := int(binary.BigEndian.Uint16(f))
		n := head & 0x1ff
		if head>>9 != i+1 || n < 2 || n > 256 || len(f) < 2+n || f[2] != 7 {
			return at, false
		}
		parts[i] = string(f[3 : 2+n])
		f = f[2+n:]
	}
	at, err := topology.ParsePlace(parts[0] + ":" + parts[1])
	return at, err == nil
}
