package private

import (
	"encoding/binary"
	"fmt"

	"github.com/p4ce/p4ce/roce/wire"
)

// Lengths of a packet behind UDP: of its header, and of the whole with the longest fragment.
const (
	HeaderLen = 24
	MaxPacket = HeaderLen + 4 + 8192 + 4
)

// parseForward reads a message with a packet: what it says of Want, First and Have is 0, and the peer is where Number is otherwise.
func (m *Message) parseForward(b []byte) error {
	packet := b[messageLen:]
	if len(packet) < HeaderLen {
		return fmt.Errorf("%w: a packet of %d bytes (want %d at least)", ErrMessage, len(packet), HeaderLen)
	}
	be := binary.BigEndian
	if b[1] != 0 || be.Uint32(b[10:]) != 0 || be.Uint16(b[14:]) != 0 {
		return fmt.Errorf("%w: a packet to be forwarded, and more", ErrMessage)
	}
	*m = Message{Kind: Forward, Token: be.Uint64(b[2:]), Peer: wire.Addr(b[16:20]), Packet: packet}
	return nil
}
