package paxos_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/systems/paxos"
)

func newReplica(t testing.TB, o paxos.ReplicaOptions) *paxos.Replica {
	r, err := paxos.NewReplica(o)
	require.NoError(t, err)
	return r
}

func newProposer(t testing.TB, o paxos.ProposerOptions) *paxos.Proposer {
	o.Client = max(o.Client, 7)
	p, err := paxos.NewProposer(o)
	require.NoError(t, err)
	return p
}

// alone is a value with which no other one shares a packet.
var alone = make([]byte, paxos.MaxValue)

// apart has a message for each value.
func apart(ms []paxos.Message) (out []paxos.Message) {
	for _, m := range ms {
		m.Each(func(sequence uint32, value []byte) {
			one := m
			one.Sequence, one.Shared, one.Value = sequence, 0, value
			out = append(out, one)
		})
	}
	return out
}

func deliver(instance, client, sequence uint32, value string) *paxos.Message {
	return &paxos.Message{Kind: paxos.Deliver, Instance: instance, Client: client, Sequence: sequence, Value: []byte(value)}
}

// log drains a replica.
func log(r *paxos.Replica) (values []string) {
	var e paxos.Entry
	for r.Next(&e) {
		values = append(values, string(e.Value))
	}
	return values
}

func TestReplicaOrder(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{})
	r.Deliver(0, deliver(2, 7, 2, "b"))
	r.Deliver(0, deliver(3, 0, 0, ""))
	require.Empty(t, log(r), "1 is missing")
	r.Deliver(0, deliver(1, 7, 1, "a"))
	r.Deliver(0, deliver(1, 7, 1, "a"))
	require.Equal(t, []string{"a", "b"}, log(r))
	require.EqualValues(t, 4, r.Position(), "3 is a no-op")
	r.Deliver(0, deliver(4, 7, 1, "a"))
	r.Deliver(0, deliver(5, 8, 1, "of another client"))
	require.Equal(t, []string{"of another client"}, log(r), "what a client sends again is delivered once")
	require.Equal(t, paxos.ReplicaStats{Delivered: 3, Noops: 1, Again: 1, Duplicate: 1}, r.Stats())
	require.True(t, r.Has(7, 1))
	require.False(t, r.Has(7, 3))
	require.False(t, r.Has(9, 1))
}

// TestReplicaAnyOrder: in whatever order and how often instances come, they are delivered as
// numbered, and each value of a client once.
func TestReplicaAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "instances")
		var want []string
		seen := map[uint32]bool{}
		var ms []*paxos.Message
		for i := 1; i <= n; i++ {
			seq := uint32(rapid.IntRange(1, 40).Draw(rt, "sequence"))
			ms = append(ms, deliver(uint32(i), 7, seq, fmt.Sprint(seq)))
			if !seen[seq] {
				seen[seq] = true
				want = append(want, fmt.Sprint(seq))
			}
		}
		order := rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(rt, "order")
		for i := range n {
			order = append(order, i)
		}
		r := newReplica(t, paxos.ReplicaOptions{Ring: 64})
		var got []string
		for _, i := range order {
			r.Deliver(0, ms[i])
			got = append(got, log(r)...)
			if rapid.IntRange(0, 9).Draw(rt, "restart") == 0 {
				next := newReplica(t, paxos.ReplicaOptions{Ring: 64})
				require.NoError(t, next.Restore(r.AppendState(nil)))
				for _, m := range ms { // what it had not delivered comes again
					next.Deliver(0, m)
				}
				r = next
				got = append(got, log(r)...)
			}
		}
		require.Equal(t, want, got)
	})
}

func kinds(sends []paxos.ReplicaSend) (s string) {
	for _, x := range sends {
		s += fmt.Sprintf("%v %d to %d; ", x.Message.Kind, x.Message.Instance, x.To)
	}
	return s
}

// TestReplicaGap: what is missing is asked for; then the controller is told.
func TestReplicaGap(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{Host: 4, Acceptors: 2, GapAfter: 5 * ms, Report: time.Second})
	r.Tick(0)
	require.Equal(t, "report 1 to -1; ", kinds(r.Sends()))
	r.Deliver(ms, deliver(3, 7, 3, "c"))
	r.Tick(2 * ms)
	require.Empty(t, r.Sends(), "it may be on its way")
	var told paxos.Message
	asked := 0
	for now := 3 * ms; now < 200*ms && told.Kind == 0; now += ms {
		r.Tick(now)
		for _, s := range r.Sends() {
			if s.To == paxos.ToController {
				told = s.Message
			} else {
				require.Equal(t, paxos.Query, s.Message.Kind)
				require.Contains(t, []uint32{1, 2}, s.Message.Instance)
				asked++
			}
		}
	}
	require.Equal(t, 2*2*2, asked, "twice, two instances, two acceptors")
	require.Equal(t, paxos.Message{Kind: paxos.Report, Flags: paxos.Gap, Instance: 1, VoteRound: 3, Client: 4, Sequence: 1}, told)
	r.Deliver(300*ms, deliver(1, 7, 1, "a"))
	r.Deliver(300*ms, deliver(2, 0, 0, ""))
	require.Equal(t, []string{"a", "c"}, log(r))
}

// TestReplicaLooks: when nothing comes it looks whether there is more; and further, as long as
// there is.
func TestReplicaLooks(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{Acceptors: 1, Report: 50 * ms})
	now := time.Duration(0)
	next := uint32(1)
	for ; r.Position() <= 500; now += ms {
		require.Less(t, now, 300*ms, "500 instances are not there")
		r.Tick(now)
		for _, s := range r.Sends() {
			if s.Message.Kind == paxos.Query && s.Message.Instance == next && next <= 500 {
				for range 300 {
					r.Deliver(now, deliver(next, 7, next, "x"))
					if next++; next > 500 {
						break
					}
				}
			}
		}
		log(r)
	}
	queries := r.Stats().Queries
	for end := now + 500*ms; now < end; now += ms {
		r.Tick(now)
		r.Sends()
	}
	require.Less(t, r.Stats().Queries-queries, uint64(900), "it does not go on asking for much")
}

// TestReplicaBehind: what was trimmed is to be had from another host only.
func TestReplicaBehind(t *testing.T) {
	ahead := newReplica(t, paxos.ReplicaOptions{})
	for i := uint32(1); i <= 10; i++ {
		ahead.Deliver(0, deliver(i, 7, i, "x"))
	}
	require.Len(t, log(ahead), 10)
	r := newReplica(t, paxos.ReplicaOptions{Acceptors: 1})
	r.Deliver(0, deliver(11, 7, 11, "y"))
	refused := &paxos.Message{Kind: paxos.Refused, Instance: 1, VoteRound: uint32(paxos.ReasonWindow)}
	r.Refuse(refused)
	require.False(t, r.Behind(), "one answer may be old")
	r.Refuse(refused)
	require.True(t, r.Behind())
	require.NoError(t, r.Restore(ahead.AppendState(nil)))
	require.False(t, r.Behind())
	r.Deliver(0, deliver(11, 7, 11, "y"))
	r.Deliver(0, deliver(12, 7, 3, "x"))
	require.Equal(t, []string{"y"}, log(r), "what the other one had delivered is not delivered again")
	require.Error(t, r.Restore(newReplica(t, paxos.ReplicaOptions{}).AppendState(nil)), "it does not go back")
}

// TestReplicaFull: a leader without room says what it has given.
func TestReplicaFull(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{Acceptors: 1})
	r.Refuse(&paxos.Message{Kind: paxos.Refused, Instance: 9, VoteRound: uint32(paxos.ReasonFull)})
	require.EqualValues(t, 9, r.Heard())
	r.Tick(0)
	r.Tick(time.Second)
	require.Contains(t, kinds(r.Sends()), "query 8 to 0")
}

// TestReplicaWrap: the log is longer than the numbers of instances.
func TestReplicaWrap(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{})
	state := r.AppendState(nil)
	binary.BigEndian.PutUint64(state[8:], 1<<32-2)
	require.NoError(t, r.Restore(state))
	for i := range uint32(5) {
		r.Deliver(0, deliver(1<<32-2+i, 7, 1+i, "x"))
	}
	require.Len(t, log(r), 5)
	require.EqualValues(t, 1<<32+3, r.Position())
	r.Deliver(0, deliver(1<<32-1, 7, 9, "late"))
	require.EqualValues(t, 1, r.Stats().Duplicate)
}

// TestReplicaLives: of a host's lives the latest is in the state, however many there were, and
// what an earlier one has sent is not delivered behind it.
func TestReplicaLives(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{})
	const lives = 1000
	for n := range uint32(lives) {
		r.Deliver(0, deliver(2*n+1, 7<<16|n+1, 1, fmt.Sprint("life ", n)))
		r.Deliver(0, deliver(2*n+2, 7<<16|n, 2, "too late"))
	}
	r.Deliver(0, deliver(2*lives+1, 8<<16|1, 1, "another host"))
	require.Len(t, log(r), lives+1)
	require.EqualValues(t, lives, r.Stats().Past)
	state := r.AppendState(nil)
	require.Less(t, len(state), 1000)
	again := newReplica(t, paxos.ReplicaOptions{})
	require.NoError(t, again.Restore(state))
	for _, x := range []*paxos.Replica{r, again} {
		x.Deliver(0, deliver(2*lives+2, 7<<16|lives-1, 3, "too late"))
		x.Deliver(0, deliver(2*lives+3, 7<<16|lives, 2, "in time"))
		require.Equal(t, []string{"in time"}, log(x))
	}
	two := append([]byte(nil), state...)
	two[len(two)-136+1] = 7 // both clients are of host 7 now
	require.ErrorIs(t, newReplica(t, paxos.ReplicaOptions{}).Restore(two), paxos.ErrState)
}

func TestReplicaCheckpoint(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{})
	for i := uint32(1); i <= 5; i++ {
		r.Deliver(0, deliver(i, 7, i, "x"))
	}
	log(r)
	r.Checkpointed(4)
	r.Checkpointed(2)
	r.Tick(0)
	require.EqualValues(t, 4, r.Sends()[0].Message.Sequence)
	r.Checkpointed(100)
	r.Tick(time.Second)
	s := r.Sends()
	require.EqualValues(t, 6, s[len(s)-1].Message.Sequence, "nothing that was not delivered is in one")
}

func TestProposer(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{Window: 2, Resend: 10 * ms})
	n, err := p.Submit(0, []byte("a"))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	_, err = p.Submit(ms, []byte("b"))
	require.NoError(t, err)
	_, err = p.Submit(ms, []byte("c"))
	require.ErrorIs(t, err, paxos.ErrWindow)
	_, err = p.Submit(ms, make([]byte, 65))
	require.ErrorIs(t, err, paxos.ErrValue)
	require.Len(t, apart(p.Sends()), 2)
	p.Tick(9 * ms)
	require.Empty(t, p.Sends())
	p.Tick(10 * ms)
	again := p.Sends()
	require.Equal(t, paxos.Message{Kind: paxos.Request, Client: 7, Sequence: 1, Value: []byte("a")}, again[0], "with the same number")
	require.Len(t, again, 1)
	require.True(t, p.Delivered(11*ms, 2))
	require.False(t, p.Delivered(11*ms, 2))
	_, err = p.Submit(12*ms, []byte("c"))
	require.ErrorIs(t, err, paxos.ErrWindow, "1 is under way")
	require.True(t, p.Delivered(11*ms, 1))
	require.False(t, p.Delivered(11*ms, 17))
	n, err = p.Submit(12*ms, []byte("c"))
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
}

// TestProposerPatience: what takes long is not sent again so soon; and when it is fast again, it is.
func TestProposerPatience(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{Resend: 10 * ms})
	now := time.Duration(0)
	again := func(takes time.Duration) (resent bool) {
		n, err := p.Submit(now, []byte("a"))
		require.NoError(t, err)
		p.Sends()
		for end := now + takes; now < end; now += ms {
			p.Tick(now)
			resent = resent || len(p.Sends()) > 0
		}
		require.True(t, p.Delivered(now, n))
		return resent
	}
	require.False(t, again(5*ms))
	require.True(t, again(50*ms), "nobody could know")
	require.False(t, again(50*ms), "it is so now")
	for takes := 6 * ms; takes < 50*ms; takes += ms {
		require.False(t, again(takes), takes)
	}
	for range 50 {
		again(2 * ms)
	}
	require.True(t, again(15*ms))
}

// TestProposerWindow: behind a service that takes only so many at a time, and loses the rest, a
// proposer finds out how many; and a slow one is not given everything again and again.
func TestProposerWindow(t *testing.T) {
	const room, takes = 20, 50 * ms // 400 values/s: a hundred times Resend for a window of 256
	p := newProposer(t, paxos.ProposerOptions{Resend: 5 * ms})
	type request struct {
		done time.Duration
		n    uint32
	}
	var queue []request
	sent, done, now := 0, 0, time.Duration(0)
	for ; done < 4000 && now < time.Minute; now += ms {
		for {
			if _, err := p.Submit(now, alone); err != nil {
				break
			}
		}
		p.Tick(now)
		for _, m := range p.Sends() {
			if m.Kind == paxos.Request {
				sent++
				if len(queue) < room {
					queue = append(queue, request{now + takes, m.Sequence})
				}
			}
		}
		for len(queue) > 0 && queue[0].done <= now {
			if p.Delivered(now, queue[0].n) {
				done++
			}
			queue = queue[1:]
		}
	}
	require.GreaterOrEqual(t, done, 4000)
	require.Less(t, sent, 2*done, "of a value there is little more than one request")
	require.Less(t, now, 3*4000*takes/room, "and the service does hardly anything twice")
}

// TestProposerRefused: what a slow service has refused is not on its way, and is sent again at
// once; how long it took then says nothing about the service, nor is less sent to it.
func TestProposerRefused(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{Resend: 10 * ms})
	submit := func(now time.Duration) uint32 {
		n, err := p.Submit(now, []byte("a"))
		require.NoError(t, err)
		p.Sends()
		return n
	}
	first := submit(0)
	require.True(t, p.Delivered(200*ms, first), "it is slow")
	lost, refused := submit(200*ms), submit(200*ms)
	p.Refuse(&paxos.Message{Kind: paxos.Refused, Client: 7, Sequence: refused, VoteRound: uint32(paxos.ReasonFull)})
	require.Equal(t, 210*ms, p.Due())
	p.Tick(210 * ms)
	again := p.Sends()
	require.Len(t, again, 1)
	require.Equal(t, refused, again[0].Sequence)
	require.True(t, p.Delivered(8000*ms, refused))
	require.True(t, p.Delivered(400*ms, lost))
	submit(1000 * ms)
	require.Less(t, p.Due(), 1640*ms, "less than the longest time that there is")
	for i := range 254 {
		_, err := p.Submit(1000*ms, []byte("a"))
		require.NoError(t, err, i)
	}
}

// TestProposerSilence: a leader that does not answer is reported; one that is full is not.
func TestProposerSilence(t *testing.T) {
	for _, full := range []bool{false, true} {
		p := newProposer(t, paxos.ProposerOptions{Resend: 10 * ms})
		_, err := p.Submit(0, []byte("a"))
		require.NoError(t, err)
		reports := 0
		for now := ms; now < time.Second; now += ms {
			p.Tick(now)
			for _, m := range p.Sends() {
				if m.Kind == paxos.Report {
					require.Equal(t, paxos.Silent, m.Flags)
					require.GreaterOrEqual(t, now, 30*ms, "twice without an answer: after 10 and 20 ms")
					reports++
				} else if full {
					p.Refuse(&paxos.Message{Kind: paxos.Refused, Client: 7, Sequence: m.Sequence, VoteRound: uint32(paxos.ReasonFull)})
				}
			}
		}
		if full {
			require.Zero(t, reports)
			require.Equal(t, paxos.ReasonFull, p.Refusal())
		} else {
			require.Greater(t, reports, 1)
			require.Less(t, reports, 12, "less and less often")
		}
	}
}

// TestHistory: a value of which all requests are lost for long is not taken for an old one: the
// proposer's numbers do not run away from it.
func TestHistory(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{Window: paxos.History})
	r := newReplica(t, paxos.ReplicaOptions{})
	instance := uint32(0)
	delivered := map[uint32]bool{}
	reach := func(lost uint32) {
		for _, m := range slices.Clone(p.Sends()) {
			if m.Kind != paxos.Request || m.Sequence == lost {
				continue
			}
			instance++
			r.Deliver(0, deliver(instance, 7, m.Sequence, "x"))
		}
		var e paxos.Entry
		for r.Next(&e) {
			delivered[e.Sequence] = p.Delivered(0, e.Sequence)
		}
	}
	for range 2 * paxos.History {
		_, _ = p.Submit(0, []byte("x"))
		reach(1)
	}
	p.Tick(time.Second)
	reach(0)
	require.True(t, delivered[1])
	require.LessOrEqual(t, len(delivered), paxos.History)
}

func TestBadOptions(t *testing.T) {
	_, err := paxos.NewProposer(paxos.ProposerOptions{})
	require.ErrorIs(t, err, paxos.ErrClient)
	_, err = paxos.NewProposer(paxos.ProposerOptions{Client: 1, Window: paxos.History + 1})
	require.ErrorContains(t, err, "window 1025")
	_, err = paxos.NewReplica(paxos.ReplicaOptions{Ring: 1000})
	require.ErrorContains(t, err, "ring 1000")
}

func TestNextClient(t *testing.T) {
	path := filepath.Join(t.TempDir(), "client")
	for i := uint32(1); i < 4; i++ {
		id, err := paxos.NextClient(path, 5)
		require.NoError(t, err)
		require.Equal(t, 5<<16|i, id)
	}
	_, err := paxos.NextClient(path, 6)
	require.ErrorContains(t, err, "does not belong to host 6")
	_, err = paxos.NextClient(path, 0)
	require.Error(t, err)
}

// FuzzReplica: nothing that comes makes it panic, or deliver an instance twice.
func FuzzReplica(f *testing.F) {
	f.Add([]byte{9, 1, 1, 9, 2, 2, 10, 1, 9, 11, 7, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReplica(t, paxos.ReplicaOptions{Ring: 8})
		last := uint64(0)
		for now := time.Duration(0); len(b) >= 3; b, now = b[3:], now+ms {
			m := paxos.Message{Kind: paxos.Kind(b[0] % 14), Instance: uint32(int8(b[1])), Client: uint32(b[2] % 4), Sequence: uint32(b[2]), VoteRound: uint32(b[2] % 16)}
			r.Deliver(now, &m)
			r.Refuse(&m)
			r.Tick(now)
			r.Sends()
			var e paxos.Entry
			for r.Next(&e) {
				require.Greater(t, e.Instance, last)
				last = e.Instance
			}
		}
		require.GreaterOrEqual(t, r.Heard(), r.Position())
	})
}

// FuzzRestore: no bytes make it panic; what is taken is given again.
func FuzzRestore(f *testing.F) {
	r, err := paxos.NewReplica(paxos.ReplicaOptions{})
	require.NoError(f, err)
	f.Add(r.AppendState(nil))
	r.Deliver(0, deliver(1, 7, 1, "a"))
	r.Deliver(0, deliver(2, 8, 1, "a"))
	log(r)
	f.Add(r.AppendState(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReplica(t, paxos.ReplicaOptions{Ring: 8})
		if r.Restore(b) == nil {
			require.Equal(t, b, r.AppendState(nil))
		}
	})
}

// FuzzProposer: nothing that comes makes it panic, or have more under way than it may.
func FuzzProposer(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 2, 3, 1, 1, 1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		p := newProposer(t, paxos.ProposerOptions{Window: 4})
		for now := time.Duration(0); len(b) >= 2; b, now = b[2:], now+ms {
			switch b[0] % 4 {
			case 0:
				_, _ = p.Submit(now, b[2:min(len(b), 2+int(b[1]))])
			case 1:
				p.Delivered(now, uint32(int8(b[1])))
			case 2:
				p.Refuse(&paxos.Message{Kind: paxos.Refused, Client: 7, Sequence: uint32(b[1]), VoteRound: uint32(b[1] % 16)})
			case 3:
				p.Tick(now)
			}
			require.LessOrEqual(t, p.Pending(), 4)
			p.Sends()
		}
	})
}

// TestAllocations: the paths of values need no memory.
func TestAllocations(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{})
	r := newReplica(t, paxos.ReplicaOptions{Ring: 1024})
	value := []byte("0123456789abcdef")
	instance := uint32(0)
	step := func() {
		n, _ := p.Submit(0, value)
		for _, m := range p.Sends() {
			instance++
			m.Kind, m.Instance = paxos.Deliver, instance
			r.Deliver(0, &m)
		}
		var e paxos.Entry
		for r.Next(&e) {
			p.Delivered(0, n)
		}
	}
	step()
	require.Zero(t, testing.AllocsPerRun(1000, step))
}

func BenchmarkHost(b *testing.B) {
	p := newProposer(b, paxos.ProposerOptions{})
	r := newReplica(b, paxos.ReplicaOptions{})
	value := []byte("0123456789abcdef0123456789abcdef")
	instance := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		n, _ := p.Submit(0, value)
		for _, m := range p.Sends() {
			instance++
			m.Kind, m.Instance = paxos.Deliver, instance
			r.Deliver(0, &m)
		}
		var e paxos.Entry
		for r.Next(&e) {
			p.Delivered(0, n)
		}
	}
}
