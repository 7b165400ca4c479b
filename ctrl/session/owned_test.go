package session

import (
	"context"
	"errors"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// clockwork is an owner whose time stands still, and whose switch answers when it is told to.
type clockwork struct {
	submitted [][]*p4.Update
	done      []func(error)
	out       int
	fail      error
	posted    []func()
}

func (c *clockwork) Post(fn func()) { c.posted = append(c.posted, fn) }

func (c *clockwork) Now() time.Duration { return 42 }

func (c *clockwork) Submit(u []*p4.Update, done func(error)) {
	c.submitted, c.done = append(c.submitted, u), append(c.done, done)
}

func (*clockwork) Registers(_ []string, done func(map[string][]uint64, error)) { done(nil, nil) }

func (*clockwork) Cells(_ []p4rtclient.Cell, done func([][]uint64, error)) { done(nil, nil) }

func (c *clockwork) PacketOut(*p4.PacketOut) error {
	c.out++
	return c.fail
}

// watched counts what an owned session calls.
type watched struct {
	Base
	bound           *Session
	ticks, ins, all int
}

func (w *watched) Name() string                                                   { return "watched" }
func (w *watched) Bind(s *Session) error                                          { w.bound = s; return nil }
func (w *watched) PacketIn(p4rtclient.Packet)                                     { w.ins++ }
func (w *watched) Tick()                                                          { w.ticks++ }
func (w *watched) Drain()                                                         { w.all++ }
func (w *watched) Sync(context.Context, *p4rtclient.Client) (func() error, error) { return nil, nil }

// An owned session has its owner's time; orders are answered when the owner says, with what
// is allowed forgiven; the application is drained after each call.
func TestOwned(t *testing.T) {
	o, app := &clockwork{}, &watched{}
	s, err := NewOwned("s1", &p4config.P4Info{}, nil, o, app)
	require.NoError(t, err)
	require.Same(t, s, app.bound)
	require.Equal(t, time.Duration(42), s.Now())
	require.True(t, s.InControl())
	require.Equal(t, "s1", s.Name())
	s.HandlePacketIn(&p4.PacketIn{})
	s.HandleTick()
	require.Equal(t, []int{1, 1, 2}, []int{app.ins, app.ticks, app.all})

	var got []error
	answer := func(err error) { got = append(got, err) }
	u := []*p4.Update{p4rtclient.Insert(&p4.Entity{})}
	s.Order(u, nil, answer)
	s.Order(u, nil, answer, codes.NotFound)
	s.Order(u, nil, answer, codes.NotFound)
	s.Order(nil, errors.New("no such table"), answer)
	s.Write("nothing", nil, nil)
	require.Len(t, o.done, 4)
	require.Empty(t, got, "not before the owner says")
	missing := &p4rtclient.WriteError{Total: 1, Failed: []p4rtclient.UpdateError{{Code: codes.NotFound}}}
	full := &p4rtclient.WriteError{Total: 1, Failed: []p4rtclient.UpdateError{{Code: codes.ResourceExhausted}}}
	for i, err := range []error{missing, missing, full, nil} {
		o.done[i](err)
	}
	require.ErrorIs(t, got[0], missing)
	require.NoError(t, got[1], "it was allowed")
	require.ErrorIs(t, got[2], full)
	require.ErrorContains(t, got[3], "no such table")
	require.Equal(t, 6, app.all)
}
