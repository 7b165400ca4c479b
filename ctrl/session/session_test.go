package session

import (
	"context"
	"slices"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	names "github.com/p4ce/p4ce/p4/l2"
)

// recorder is an application that notes what it is told.
type recorder struct {
	Base
	packets, digests int
	idle             []p4rtclient.Entry
}

func (*recorder) Name() string          { return "recorder" }
func (*recorder) Bind(s *Session) error { return nil }
func (*recorder) Sync(context.Context, *p4rtclient.Client) (func() error, error) {
	return func() error { return nil }, nil
}
func (r *recorder) PacketIn(p4rtclient.Packet)      { r.packets++ }
func (r *recorder) Digest(string, []p4rtclient.Row) { r.digests++ }
func (r *recorder) Idle(list []p4rtclient.Entry)    { r.idle = append(r.idle, list...) }

func newSession(t *testing.T) (*Session, *recorder) {
	conf, err := pipeline.Load("l2")
	require.NoError(t, err)
	app := &recorder{}
	s, err := New(Config{P4RT: p4rtclient.Options{Address: "unix:nobody.sock"}, Pipeline: conf}, app)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, app
}

// What a switch sends is not looked at before what it holds is known: an application
// would write what is there already, or give away what is taken.
func TestNothingBeforeSync(t *testing.T) {
	s, app := newSession(t)
	idle := &p4.IdleTimeoutNotification{TableEntry: []*p4.TableEntry{{
		TableId: names.TableSourceID,
		Match:   []*p4.FieldMatch{{FieldId: 1, FieldMatchType: &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: []byte{2, 0, 0, 0, 0, 1}}}}},
	}, {TableId: 0x0200ffff}}}
	send := func() {
		s.packetIn(&p4.PacketIn{Payload: []byte("frame")})
		s.digest(&p4.DigestList{DigestId: names.DigestLearnDigestID})
		s.idle(idle)
	}
	send()
	require.Zero(t, app.packets+app.digests+len(app.idle))
	require.Equal(t, Stats{PacketIns: 1, Digests: 1, Idle: 1, Ignored: 3}, s.stats)
	s.synced = true
	send()
	require.Equal(t, 1, app.packets)
	require.Equal(t, 1, app.digests)
	require.Len(t, app.idle, 1)
	require.Equal(t, names.TableSource, app.idle[0].Table)
	require.EqualValues(t, 1, s.stats.Foreign, "an entry of another program")

	// Who is not the primary any more has nothing to say about the switch.
	s.mastership(false)
	send()
	require.Equal(t, 1, app.packets)
}

// A session needs to know where the switch is, and what it shall run.
func TestConfig(t *testing.T) {
	conf, err := pipeline.Load("l2")
	require.NoError(t, err)
	_, err = New(Config{Pipeline: conf}, &recorder{})
	require.ErrorContains(t, err, "no address")
	_, err = New(Config{P4RT: p4rtclient.Options{Address: "unix:nobody.sock"}}, &recorder{})
	require.ErrorContains(t, err, "no pipeline")
}

// TestHand: what a loop hands to another one is run in order, and neither waits, however much that is.
func TestHand(t *testing.T) {
	s, _ := newSession(t)
	const n = 10 * inboxSize
	var got []int
	for i := range n { // nobody takes it yet
		s.Hand(func() { got = append(got, i) })
	}
	done := make(chan struct{})
	s.Hand(func() {
		s.Hand(func() { close(done) }) // from within the loop, too
		require.Len(t, got, n)
	})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); s.loop(ctx) }()
	<-done
	cancel()
	<-over
	require.True(t, slices.IsSorted(got))
	require.Len(t, got, n)
}

// TestAskAfterTheEnd: a session that is over says so, however much was posted to it since.
func TestAskAfterTheEnd(t *testing.T) {
	s, _ := newSession(t)
	for range inboxSize {
		s.Post(func() {})
	}
	close(s.ended)
	require.ErrorIs(t, s.Ask(context.Background(), func() {}), ErrEnded)
}
