package program

import (
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

const round = 5 // of leaderAt, with the acceptors 10, 11, 12

// leader is a switch that leads in the round.
func leader(t testing.TB, d *device) {
	d.role(t, names.AtLeader, leaderAt)
	d.live(t, 1, size)
	d.write(t, names.RegisterNext, app, 1)
	d.insert(t, names.TableLeader, []uint64{app, uint64(names.AtLeader), uint64(names.MsgRequest)}, names.ActionLead, round, 2)
	var copies []copyTo
	for i := range place(3) {
		copies = append(copies, copyTo{names.BecameAccept, names.MsgAccept, leaderAt, acceptorAt + i})
	}
	d.group(t, 2, copies...)
}

// acceptor is a switch that is acceptor i.
func acceptor(t testing.TB, d *device, i place) {
	d.role(t, names.AtAcceptor, acceptorAt+i)
	d.live(t, 1, size)
	d.insert(t, names.TableAcceptor, []uint64{app, uint64(names.AtAcceptor)}, names.ActionVoteAs, uint64(i), 1<<i, 3, 0)
	d.own(t, round, leaderAt)
	d.group(t, 3, copyTo{names.BecameVote, names.MsgVote, acceptorAt + i, learnerAt})
}

// own says whose a round is.
func (d *device) own(t testing.TB, rnd uint64, who place) {
	t.Helper()
	d.insert(t, names.TableRounds, []uint64{app, rnd, who.ip32(), uint64(who)}, names.ActionOwned)
}

// learner is a switch that counts the votes of the acceptors in the round.
func learner(t testing.TB, d *device) {
	d.role(t, names.AtLearner, learnerAt)
	d.live(t, 1, size)
	d.configure(t, round, 3)
	d.group(t, 4, copyTo{names.BecameDeliver, names.MsgDeliver, learnerAt, replica})
}

// configure says who the acceptors of a round are: the first n.
func (d *device) configure(t testing.TB, rnd uint64, n place) {
	t.Helper()
	d.insert(t, names.TableMembers, []uint64{app, rnd}, names.ActionLearnFor, uint64(n), 4)
	for i := range n {
		d.insert(t, names.TableVoters, []uint64{uint64(names.AtLearner), app, rnd, (acceptorAt + i).ip32(), uint64(i), uint64(acceptorAt + i)}, names.ActionVoter, 1<<i)
	}
}

func request(seq uint32, value string) paxos.Message {
	return paxos.Message{Kind: paxos.Request, Client: 9, Sequence: seq, Value: []byte(value)}
}

func accept(inst, rnd uint32, value string) paxos.Message {
	return paxos.Message{Kind: paxos.Accept, Instance: inst, Round: rnd, Client: 9, Sequence: 100 + inst, Value: []byte(value)}
}

func vote(inst, rnd uint32, value string) paxos.Message {
	m := accept(inst, rnd, value)
	m.Kind = paxos.Vote
	return m
}

// long is a value of all four pieces.
const long = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd"

func TestLeader(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		leader(t, d)
		for inst := uint32(1); inst <= size; inst++ {
			value := long[:inst*7]
			out := d.inject(t, proposer, leaderAt, request(inst, value))
			require.Len(t, out, 3)
			for i, s := range out {
				require.Equal(t, sent{leaderAt, acceptorAt + place(i), paxos.Message{
					Kind: paxos.Accept, Instance: inst, Round: round, Client: 9, Sequence: inst, Value: []byte(value),
				}}, s)
			}
		}
		// The ring is full until it is trimmed.
		out := d.inject(t, proposer, leaderAt, request(50, "x"))
		require.Len(t, out, 1)
		require.Equal(t, proposer, out[0].to)
		require.Equal(t, paxos.Refused, out[0].Kind)
		require.EqualValues(t, names.DropFull, out[0].VoteRound)
		require.EqualValues(t, 50, out[0].Sequence)
		require.EqualValues(t, 1, d.dropped(t, names.DropFull))
		d.write(t, names.RegisterLast, app, size+1)
		out = d.inject(t, proposer, leaderAt, request(51, "y"))
		require.Len(t, out, 3)
		require.EqualValues(t, size+1, out[0].Instance)
	})
}

// TestAmnesia: a role whose registers are not the ones it was given does nothing.
func TestAmnesia(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		leader(t, d)
		acceptor(t, d, 0)
		learner(t, d)
		d.write(t, names.RegisterLife, app, 0)
		out := d.inject(t, proposer, leaderAt, request(1, "x"))
		require.Len(t, out, 1)
		require.Equal(t, paxos.Refused, out[0].Kind)
		require.EqualValues(t, names.DropAmnesia, out[0].VoteRound)
		require.Empty(t, d.inject(t, leaderAt, acceptorAt, accept(1, round, "x")))
		require.Empty(t, d.inject(t, acceptorAt, learnerAt, vote(1, round, "x")))
		out = d.inject(t, leaderAt, acceptorAt, paxos.Message{Kind: paxos.Floor, Instance: 1, Round: round})
		require.Len(t, out, 1)
		require.Equal(t, paxos.Refused, out[0].Kind)
		require.EqualValues(t, 4, d.dropped(t, names.DropAmnesia))
	})
}

func TestAcceptor(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		acceptor(t, d, 1)
		me := acceptorAt + 1
		d.own(t, 7, coordAt)
		d.own(t, 6, leaderAt)

		out := d.inject(t, leaderAt, me, accept(3, round, long))
		require.Equal(t, []sent{{me, learnerAt, paxos.Message{
			Kind: paxos.Vote, Acceptor: 1, Instance: 3, Round: round, Client: 9, Sequence: 103, Value: []byte(long)}}}, out)

		// A promise says what was voted for, and is kept.
		prepare := func(inst, rnd uint32) paxos.Message {
			return paxos.Message{Kind: paxos.Prepare, Instance: inst, Round: rnd}
		}
		out = d.inject(t, coordAt, me, prepare(3, 7))
		require.Equal(t, []sent{{me, coordAt, paxos.Message{
			Kind: paxos.Promise, Acceptor: 1, Instance: 3, Round: 7, VoteRound: round, Client: 9, Sequence: 103, Value: []byte(long)}}}, out)
		require.Empty(t, d.inject(t, leaderAt, me, accept(3, round, "another")), "a vote below the promise")
		require.Empty(t, d.inject(t, leaderAt, me, accept(3, 6, "another")), "a vote below the promise")
		require.EqualValues(t, 2, d.dropped(t, names.DropStale))
		out = d.inject(t, leaderAt, me, prepare(3, 6))
		require.Equal(t, paxos.Refused, out[0].Kind)
		require.EqualValues(t, names.DropStale, out[0].VoteRound)
		require.Equal(t, long, string(d.inject(t, coordAt, me, prepare(3, 7))[0].Value), "the vote is as it was")

		// Of an instance that it has not voted in, there is nothing, whatever was in its cell.
		out = d.inject(t, coordAt, me, prepare(4, 7))
		require.Zero(t, out[0].VoteRound)

		// A round is its owner's, from where it is.
		require.Empty(t, d.inject(t, proposer, me, accept(4, 7, "x")))
		require.Empty(t, d.inject(t, leaderAt, me, accept(4, 7, "x")))
		require.Empty(t, d.inject(t, leaderAt, me, accept(4, 0, "x")), "round 0 is nobody's")
		require.EqualValues(t, 3, d.dropped(t, names.DropRound))

		// Nor in what was trimmed or cannot be yet.
		require.Empty(t, d.inject(t, coordAt, me, accept(0, 7, "x")))
		require.Empty(t, d.inject(t, coordAt, me, accept(size+1, 7, "x")))
		require.EqualValues(t, 2, d.dropped(t, names.DropWindow))

		// Who asks for a vote again gets it to the learner.
		out = d.inject(t, replica, me, paxos.Message{Kind: paxos.Query, Instance: 3, Round: 1})
		require.Equal(t, []sent{{me, learnerAt, paxos.Message{
			Kind: paxos.Vote, Acceptor: 1, Flags: paxos.Again, Instance: 3, Round: round, Client: 9, Sequence: 103, Value: []byte(long)}}}, out)
		out = d.inject(t, replica, me, paxos.Message{Kind: paxos.Query, Instance: 4})
		require.Equal(t, paxos.Refused, out[0].Kind)
		require.EqualValues(t, names.DropNotVoted, out[0].VoteRound)
	})
}

// TestFloor: a floor is a promise for all instances, also those that nobody has heard of.
func TestFloor(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		acceptor(t, d, 0)
		d.own(t, 7, coordAt)
		require.Len(t, d.inject(t, leaderAt, acceptorAt, accept(2, round, "a")), 1)
		require.Len(t, d.inject(t, leaderAt, acceptorAt, accept(5, round, "b")), 1)
		require.Len(t, d.inject(t, leaderAt, acceptorAt, accept(4, round, "c")), 1)
		floor := func(rnd uint32) paxos.Message { return paxos.Message{Kind: paxos.Floor, Instance: 1, Round: rnd} }
		out := d.inject(t, coordAt, acceptorAt, floor(7))
		require.Equal(t, []sent{{acceptorAt, coordAt, paxos.Message{Kind: paxos.Floored, Instance: 5, Round: 7}}}, parseValueless(out))
		require.Empty(t, d.inject(t, leaderAt, acceptorAt, accept(6, round, "d")))
		require.Empty(t, d.inject(t, leaderAt, acceptorAt, accept(2, round, "a")))
		require.EqualValues(t, 2, d.dropped(t, names.DropStale))
		require.Len(t, d.inject(t, coordAt, acceptorAt, accept(6, 7, "e")), 1)
		out = d.inject(t, leaderAt, acceptorAt, floor(round))
		require.Equal(t, paxos.Refused, out[0].Kind, "the floor does not fall")
		require.Empty(t, d.inject(t, leaderAt, acceptorAt, accept(7, round, "f")))
	})
}

// parseValueless makes empty values comparable.
func parseValueless(in []sent) []sent {
	for i := range in {
		if len(in[i].Value) == 0 {
			in[i].Value = nil
		}
	}
	return in
}

// TestLaps: a cell serves one instance after another, and never two.
func TestLaps(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		acceptor(t, d, 0)
		learner(t, d)
		d.own(t, 7, coordAt)
		require.Len(t, d.inject(t, coordAt, acceptorAt, accept(2, 7, "a")), 1)
		d.live(t, 3, ring+2)
		require.Empty(t, d.inject(t, coordAt, acceptorAt, accept(2, 7, "late")), "trimmed")
		require.EqualValues(t, 1, d.dropped(t, names.DropWindow))
		// A lower round than in the cell's last life is no lower round: the instance is another.
		require.Len(t, d.inject(t, leaderAt, acceptorAt, accept(ring+2, round, "b")), 1)
		out := d.inject(t, leaderAt, acceptorAt, paxos.Message{Kind: paxos.Prepare, Instance: ring + 2, Round: round})
		require.Equal(t, "b", string(out[0].Value))
		// Nor is a vote of the last life one of this.
		d.live(t, ring, 2*ring+2)
		out = d.inject(t, coordAt, acceptorAt, paxos.Message{Kind: paxos.Prepare, Instance: 2*ring + 2, Round: 7})
		require.Zero(t, out[0].VoteRound)
	})
}

func TestLearner(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		learner(t, d)
		d.configure(t, 7, 3)
		from := func(i place, m paxos.Message) []sent { return d.inject(t, acceptorAt+i, learnerAt, m) }

		require.Empty(t, from(0, vote(3, round, long)))
		require.Empty(t, from(0, vote(3, round, long)), "the same vote twice")
		require.Empty(t, d.inject(t, proposer, learnerAt, vote(3, round, long)), "no acceptor")
		require.Empty(t, from(1, vote(3, 6, long)), "nobody's round")
		require.EqualValues(t, 2, d.dropped(t, names.DropRound))
		require.Empty(t, from(1, vote(4, round, long)), "another instance")
		out := from(2, vote(3, round, long))
		require.Equal(t, []sent{{learnerAt, replica, paxos.Message{
			Kind: paxos.Deliver, Acceptor: 2, Instance: 3, Round: round, Client: 9, Sequence: 103, Value: []byte(long)}}}, out)
		require.Empty(t, from(1, vote(3, round, long)), "once")
		again := vote(3, round, long)
		again.Flags = paxos.Again
		require.Len(t, from(1, again), 1, "and when asked")

		// Votes of different rounds are not added up; a higher round begins anew.
		require.Empty(t, from(0, vote(5, round, "a")))
		require.Empty(t, from(1, vote(5, 7, "b")))
		require.Empty(t, from(2, vote(5, round, "a")), "of a round that is over")
		require.EqualValues(t, 1, d.dropped(t, names.DropStale))
		require.Empty(t, from(1, vote(5, 7, "b")))
		require.Len(t, from(0, vote(5, 7, "b")), 1)

		// The next instance of a cell has no votes yet.
		d.live(t, 4, ring+3)
		require.Empty(t, from(0, vote(ring+3, round, "c")))
		require.Len(t, from(1, vote(ring+3, round, "c")), 1)
	})
}

// TestOneSwitch: what meets several roles passes all of them at once.
func TestOneSwitch(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		d.role(t, names.AtLeader, leaderAt)
		d.role(t, names.AtAcceptor, acceptorAt)
		d.role(t, names.AtLearner, learnerAt)
		d.live(t, 1, size)
		d.write(t, names.RegisterNext, app, 1)
		d.insert(t, names.TableLeader, []uint64{app, uint64(names.AtLeader), uint64(names.MsgRequest)}, names.ActionLead, round, 2)
		d.insert(t, names.TableAcceptor, []uint64{app, uint64(names.AtLeader)}, names.ActionVoteAs, 0, 1, 3, 1)
		d.configure(t, round, 3)
		d.group(t, 2, copyTo{names.BecameAccept, names.MsgAccept, leaderAt, acceptorAt + 1}, copyTo{names.BecameAccept, names.MsgAccept, leaderAt, acceptorAt + 2},
			copyTo{names.BecameDeliver, names.MsgDeliver, learnerAt, replica})
		d.group(t, 4, copyTo{names.BecameDeliver, names.MsgDeliver, learnerAt, replica})
		out := d.inject(t, proposer, leaderAt, request(1, "x"))
		require.Len(t, out, 2, "it has voted, and that is no majority")
		require.Equal(t, acceptorAt+1, out[0].to)
		require.Equal(t, acceptorAt+2, out[1].to)
		out = d.inject(t, acceptorAt+2, learnerAt, vote(1, round, "x"))
		require.Len(t, out, 1, "the other vote is its own")
		require.Equal(t, paxos.Deliver, out[0].Kind)
		require.Empty(t, d.inject(t, acceptorAt+1, learnerAt, vote(1, round, "x")))
	})
}

// TestBadMessages: what is not a message of a role is dropped, and counted.
func TestBadMessages(t *testing.T) {
	targets(t, func(t *testing.T, open func() *device) {
		d := open()
		leader(t, d)
		acceptor(t, d, 0)
		good := frame(t, proposer, leaderAt, request(1, "value"))
		change := func(at int, v byte) []byte {
			b := append([]byte{}, good...)
			b[at] = v
			return b
		}
		fix := func(b []byte) []byte { // the checksum of IPv4
			b[24], b[25] = 0, 0
			s := ^wire.Sum(0, b[14:34])
			b[24], b[25] = byte(s>>8), byte(s)
			return b
		}
		const udp = 34
		require.Empty(t, d.injectFrame(t, proposer, change(udp+8+28, 'V')))
		require.EqualValues(t, 1, d.dropped(t, names.DropUDPChecksum), "a damaged value")
		b := change(udp+6, 0)
		b[udp+7] = 0
		require.Empty(t, d.injectFrame(t, proposer, b))
		require.EqualValues(t, 2, d.dropped(t, names.DropUDPChecksum), "no checksum")
		require.Empty(t, d.injectFrame(t, proposer, fix(change(29, 9))))
		require.EqualValues(t, 3, d.dropped(t, names.DropUDPChecksum), "another source")
		require.Empty(t, d.injectFrame(t, proposer, change(29, 9)))
		require.EqualValues(t, 1, d.dropped(t, names.DropIPChecksum))
		require.Empty(t, d.injectFrame(t, proposer, change(udp+8+27, good[udp+8+27]+1)))
		require.Empty(t, d.injectFrame(t, proposer, change(udp+5, good[udp+5]+1)))
		require.EqualValues(t, 2, d.dropped(t, names.DropMalformed), "lengths")
		require.Empty(t, d.injectFrame(t, proposer, good[:udp+20]))
		require.EqualValues(t, 3, d.dropped(t, names.DropMalformed), "too short")

		out := d.inject(t, proposer, leaderAt, vote(1, round, "x"))
		require.Empty(t, out, "a leader is no learner")
		require.Empty(t, d.inject(t, proposer, acceptorAt, vote(1, round, "x")))
		out = d.inject(t, proposer, acceptorAt, request(1, "x"))
		require.Equal(t, paxos.Refused, out[0].Kind)
		require.EqualValues(t, names.DropMessage, out[0].VoteRound)
		require.EqualValues(t, 3, d.dropped(t, names.DropMessage))
	})
}
