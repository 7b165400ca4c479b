package frames

import (
	"fmt"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Describe is a line about a frame, for traces.
func Describe(f []byte) string {
	from, to, data, err := Open(f)
	var m paxos.Message
	if err == nil {
		err = m.Parse(data)
	}
	if err != nil {
		return fmt.Sprintf("%v, %d bytes", err, len(f))
	}
	text := fmt.Sprintf("%v %v > %v", m.Kind, from, to)
	if m.Kind == paxos.Refused {
		text += fmt.Sprintf(" because %v", paxos.Reason(m.VoteRound))
	}
	for _, x := range []struct {
		name  string
		value uint32
	}{
		{"instance", m.Instance}, {"round", m.Round}, {"vote-round", m.VoteRound}, {"acceptor", uint32(m.Acceptor)}, {"flags", uint32(m.Flags)},
		{"client", m.Client}, {"sequence", m.Sequence},
	} {
		if x.value != 0 {
			text += fmt.Sprintf(" %s %d", x.name, x.value)
		}
	}
	if m.Shared != 0 {
		text += fmt.Sprintf(" %d values", m.Values())
	}
	return fmt.Sprintf("%s, %d bytes", text, len(m.Value))
}
