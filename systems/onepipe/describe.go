package onepipe

import "fmt"

// Describe is a line about a frame, for traces.
func Describe(frame []byte) string {
	var p packet
	if err := p.parse(frame); err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%v %v > %v BE %d C %d", p.op, p.from, p.to, p.barrier, p.commit)
	switch p.op {
	case Data, Reliable:
		text += fmt.Sprintf(" time %d PSN %d fragment %d of %d, %d bytes", p.time, p.psn, p.index+1, p.count, len(p.data))
	case Ack:
		text += fmt.Sprintf(" PSN %d next %d limit %d", p.psn, p.next, p.limit)
	case Nak:
		text += fmt.Sprintf(" of process %d time %d PSN %d: %v", p.refused, p.time, p.psn, p.reason)
	case Recall, Recalled:
		text += fmt.Sprintf(" time %d PSN %d to %d", p.time, p.psn, p.psn+uint32(p.count)-1)
	}
	return text
}
