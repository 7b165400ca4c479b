package txn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// life is a Node from one opening of its host to the next: a shard, and a client, each with a process of its own. So an answer
// does not wait for the commit barrier, for which a part waits.
type life struct {
	n *Node

	serving sync.Mutex // guards what the shard's process does
	shard   *Shard
	parts   *onepipe.Proc  // where they come in
	answers []onepipe.Part // that are to be sent
	later   bool           // they are sent in a moment

	asking  sync.Mutex // guards what the client's process does
	client  *Client
	results *onepipe.Proc // where they come in
	waiting map[uint64]chan<- Outcome
	pausing bool                     // transactions are sent in a moment
	failed  map[onepipe.Process]bool // who has
	over    bool
}

// begin gives the life its processes. Counters go on.
func (l *life) begin(procs []*onepipe.Proc, past counters) {
	l.serving.Lock()
	l.shard, l.parts = NewShard(l.n.number, len(l.n.names)), procs[0]
	l.shard.Counters = past.Shard
	l.serving.Unlock()
	l.asking.Lock()
	defer l.asking.Unlock()
	l.client, l.results = NewClient(make([]onepipe.Process, len(l.n.names))), procs[1]
	l.client.Counters = past.Client
	l.client.Place(l.n.number, procs[0].Process())
}

// end tells those who wait what is known of their transactions.
func (l *life) end() {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.over = true
	for number, to := range l.waiting {
		to <- Outcome{Number: number, Err: fmt.Errorf("%w: %w", l.client.Abandon(number), errLeft)}
	}
	clear(l.waiting)
}

var errLeft = errors.New("this server has left the network")

// execute has the shard execute what is delivered, until the life ends.
func (l *life) execute(ctx context.Context) error {
	for {
		m, reliable, err := l.parts.ReceiveOrdered(ctx)
		if err != nil {
			return err
		}
		l.serving.Lock()
		if a, ok := l.shard.Execute(&m, reliable); ok {
			l.answers = append(l.answers, a)
			l.answer()
		}
		l.serving.Unlock()
	}
}

// answer sends answers. What has no room waits in memory, and not in the network: a shard that waited here would have others
// wait for it, and for one another. There is an answer at most for each transaction under way. serving is held.
func (l *life) answer() {
	for len(l.answers) > 0 && !l.later {
		err := l.parts.TrySend(false, l.answers[0])
		if pause, again := retry(err); again {
			l.later = true
			time.AfterFunc(pause, func() {
				l.serving.Lock()
				defer l.serving.Unlock()
				l.later = false
				l.answer()
			})
			return
		}
		l.answers = l.answers[1:] // who has failed needs no answer, and a host that has ended sends none
	}
}

// retry says after which pause a scattering is to be sent again.
func retry(err error) (pause time.Duration, again bool) {
	switch {
	case errors.Is(err, onepipe.ErrFull):
		return sendAgain, true
	case errors.Is(err, onepipe.ErrClock):
		return clockAgain, true
	}
	return 0, false
}

// receive takes answers, until the life ends.
func (l *life) receive(ctx context.Context) error {
	for {
		m, err := l.results.Receive(ctx)
		if err != nil {
			return err
		}
		l.asking.Lock()
		l.client.Receive(&m)
		l.ask()
		l.asking.Unlock()
	}
}

// ask sends transactions, and tells what has ended. asking is held.
func (l *life) ask() {
	for !l.pausing {
		parts, reliable, ok := l.client.Next()
		if !ok {
			break
		}
		err := l.results.TrySend(reliable, parts...)
		if pause, again := retry(err); again {
			l.pausing = true
			time.AfterFunc(pause, func() {
				l.asking.Lock()
				defer l.asking.Unlock()
				l.pausing = false
				l.ask()
			})
			break
		}
		l.client.Sent(err)
	}
	for o, ok := l.client.Done(); ok; o, ok = l.client.Done() {
		if to := l.waiting[o.Number]; to != nil {
			delete(l.waiting, o.Number)
			to <- o
		}
	}
}

// do executes a transaction.
func (l *life) do(ctx context.Context, ops []Op) Outcome {
	l.asking.Lock()
	if l.over {
		l.asking.Unlock()
		return Outcome{Err: fmt.Errorf("%w: %w", ErrNotDone, errLeft)}
	}
	number, err := l.client.Begin(ops...)
	if err != nil {
		l.asking.Unlock()
		return Outcome{Err: err}
	}
	result := make(chan Outcome, 1)
	l.waiting[number] = result
	l.ask()
	l.asking.Unlock()
	select {
	case o := <-result:
		return o
	case <-ctx.Done():
	}
	l.asking.Lock()
	defer l.asking.Unlock()
	if l.waiting[number] == nil {
		return <-result // it has ended meanwhile
	}
	delete(l.waiting, number)
	return Outcome{Number: number, Err: fmt.Errorf("%w: %w", l.client.Abandon(number), context.Cause(ctx))}
}

// lost takes a message that will not be delivered.
func (l *life) lost(from onepipe.Process, f onepipe.Failure) {
	l.serving.Lock()
	mine := l.parts != nil && from == l.parts.Process()
	if mine {
		if a, ok := l.shard.Lost(&f); ok {
			l.answers = append(l.answers, a)
			l.answer()
		}
	}
	l.serving.Unlock()
	if mine {
		return
	}
	l.asking.Lock()
	defer l.asking.Unlock()
	if l.client != nil {
		l.client.Lost(&f)
		l.ask()
	}
}

// processFailed takes a process that has failed. The host tells first what was lost because of it.
func (l *life) processFailed(f onepipe.ProcessFailure) {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.failed[f.Process] = true
	if l.client == nil {
		return
	}
	for i, at := range l.client.shards {
		if at == f.Process {
			l.client.Place(i, onepipe.Process{})
			l.n.c.Logger.Warn("a shard has failed: its keys are gone", "server", l.n.names[i])
		}
	}
	l.client.Failed(f.Process)
	l.ask()
}

// find asks another server where its shard is, whenever it is not known.
func (l *life) find(ctx context.Context, shard int) {
	t := time.NewTicker(lookAgain)
	defer t.Stop()
	name, said := l.n.names[shard], ""
	for {
		if l.absent(shard) {
			p, err := l.n.where(ctx, name)
			var strange *strangeError
			switch {
			case err == nil:
				l.place(shard, p)
				said = ""
			case errors.As(err, &strange) && said != err.Error():
				said = err.Error()
				l.n.c.Logger.Warn("a server is not one of these", "server", name, "why", err)
			}
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

func (l *life) absent(shard int) bool {
	l.asking.Lock()
	defer l.asking.Unlock()
	return l.client.shards[shard] == onepipe.Process{}
}

// place takes a server's word where its shard is. One that has failed may not know it yet.
func (l *life) place(shard int, p onepipe.Process) {
	l.asking.Lock()
	defer l.asking.Unlock()
	if !l.failed[p] {
		l.client.Place(shard, p)
		l.n.c.Logger.Info("a shard is there", "server", l.n.names[shard], "process", p.String())
	}
}

func (l *life) counters() counters {
	l.serving.Lock()
	defer l.serving.Unlock()
	l.asking.Lock()
	defer l.asking.Unlock()
	return counters{l.shard.Counters, l.client.Counters}
}

// describe adds to a Status what a life knows.
func (l *life) describe(s *Status) {
	c := l.counters()
	s.Shard, s.Client = c.Shard, c.Client
	l.serving.Lock()
	p := l.parts.Process()
	s.Address, s.Process = net.IP(p.Addr[:]).String(), p.Number
	s.Keys, s.Bytes = l.shard.Keys(), l.shard.Bytes()
	l.serving.Unlock()
	for i, name := range l.n.names {
		if l.absent(i) {
			s.Absent = append(s.Absent, name)
		}
	}
}
