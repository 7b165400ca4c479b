package rc

// Counters counts what a QP did, and everything it dropped, under a name each.
type Counters struct {
	PacketsIn, PacketsOut uint64
	BytesIn, BytesOut     uint64 // payload

	Retransmitted uint64 // requests sent again
	Timeouts      uint64
	AcksIn        uint64
	AcksOut       uint64
	NaksIn        uint64 // other than receiver-not-ready
	NaksOut       uint64
	RNRIn, RNROut uint64
	Duplicates    uint64 // requests behind the expected PSN
	CEIn          uint64 // packets marked "congestion experienced"
	CNPIn, CNPOut uint64
	HeldBack      uint64 // times that data waited for the congestion control

	DropICRC      uint64 // wrong ICRC
	DropAddress   uint64 // addresses do not match the connection
	DropPKey      uint64 // foreign partition
	DropState     uint64 // not connected, or failed
	DropAhead     uint64 // ahead of the expected PSN, already NAKed
	DropAckStale  uint64 // acknowledgement behind what is acknowledged
	DropAckGhost  uint64 // acknowledgement of a PSN that was never sent
	DropResponse  uint64 // READ response or atomic ACK that nothing asked for
	DropDuplicate uint64 // duplicate READ or atomic that cannot be repeated
	DropAckQueue  uint64 // response not queued: the queue was full
	DropOperation uint64 // opcode that no reliable connection has
}

// add adds what a partner counts.
func (c *Counters) add(d Counters) {
	c.PacketsIn += d.PacketsIn
	c.PacketsOut += d.PacketsOut
	c.BytesIn += d.BytesIn
	c.BytesOut += d.BytesOut
	c.AcksOut += d.AcksOut
	c.NaksOut += d.NaksOut
	c.Duplicates += d.Duplicates
	c.DropAhead += d.DropAhead
}
