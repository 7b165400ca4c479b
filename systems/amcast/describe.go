package amcast

import (
	"fmt"
	"net/netip"
)

var kindNames = map[Message]string{
	MsgStart: "START", MsgProp: "PROP", MsgACK: "ACK", MsgDeliver: "DELIVER", MsgMark: "MARK", MsgAsk: "ASK", MsgTold: "TOLD", MsgLook: "LOOK", MsgKnown: "KNOWN",
	MsgRefused: "REFUSED", kindDone: "DONE", kindFetch: "FETCH", kindWant: "WANT", kindHave: "HAVE", kindNobody: "NOBODY", kindGiveUp: "GIVE-UP", kindPromise: "PROMISE", kindVoid: "VOID",
}

func (k Message) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Describe is a line about a frame, for traces.
func Describe(frame []byte) string {
	var p Packet
	e, err := p.Parse(frame)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%v %v:%#x > %v:%#x %v to %v", p.Kind, netip.AddrFrom4(e.Src), e.SrcPort, netip.AddrFrom4(e.Dst), e.DstPort, p.ID, p.Groups)
	if p.Flags != 0 {
		text += fmt.Sprintf(" flags %#x", p.Flags)
	}
	for _, f := range []struct {
		name  string
		value uint32
	}{
		{"from", uint32(p.From)}, {"by", uint32(p.By)}, {"member", uint32(p.Member)}, {"epoch", p.Epoch}, {"by-epoch", p.ByEpoch}, {"lts", p.LTS},
		{"seq", p.Seq}, {"clock", p.Clock}, {"mark", p.Mark},
	} {
		if f.value != 0 {
			text += fmt.Sprintf(" %s %d", f.name, f.value)
		}
	}
	return fmt.Sprintf("%s, %d bytes", text, len(p.Payload))
}
