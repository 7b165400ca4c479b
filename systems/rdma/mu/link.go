package mu

// pending is what an operation was posted for.
type pending struct {
	kind  pendingKind
	value uint64
}

type pendingKind uint8

const (
	opNone     pendingKind = iota
	opEntries              // value: position behind them
	opCommit               // commit position alone
	opProbe                // value: number of the probe
	opStatus               // READ of status block, and incarnations; value: what this server had promised
	opRequest              // value: seq
	opVector               // recovery: READ of incarnations
	opAnnounce             // recovery: WRITE of own incarnation
	opPromise              // recovery: READ of status
	opLog                  // READ of log
	opCheck                // READ of status behind it
	opPing                 // READ of the heartbeat; value: route
)

// link is one path.
type link struct {
	up    bool
	ops   []pending
	first int
}

func (l *link) reset() { l.ops, l.first, l.up = l.ops[:0], 0, false }

func (l *link) push(p pending) {
	if l.first > 0 && len(l.ops) == cap(l.ops) {
		n := copy(l.ops, l.ops[l.first:])
		l.ops, l.first = l.ops[:n], 0
	}
	l.ops = append(l.ops, p)
}

func (l *link) pop() pending {
	if l.first == len(l.ops) {
		return pending{}
	}
	p := l.ops[l.first]
	if l.first++; l.first == len(l.ops) {
		l.ops, l.first = l.ops[:0], 0
	}
	return p
}

func (l *link) open() int { return len(l.ops) - l.first }
