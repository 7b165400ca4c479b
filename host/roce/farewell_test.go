package roce_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
)

// voice is a Farewell that remembers.
type voice struct {
	sync.Mutex
	full bool
	next int
	kept map[int][]byte
}

func (v *voice) Keep(frame []byte) (int, bool) {
	v.Lock()
	defer v.Unlock()
	if v.full {
		return 0, false
	}
	v.next++
	v.kept[v.next] = append([]byte(nil), frame...)
	return v.next, true
}

func (v *voice) Drop(id int) {
	v.Lock()
	defer v.Unlock()
	if v.kept[id] == nil {
		panic("dropped what is not kept")
	}
	delete(v.kept, id)
}

func (v *voice) frames() (out [][]byte) {
	v.Lock()
	defer v.Unlock()
	for _, f := range v.kept {
		out = append(out, f)
	}
	return out
}

// say has somebody else send what the device would have sent when it had died.
func (v *voice) say(t *testing.T, h *hub.Hub) {
	p, err := h.Attach(addr(9), 0)
	require.NoError(t, err)
	defer p.Close()
	for _, f := range v.frames() {
		p.Send(append(p.Buffer(), f...))
	}
	require.NoError(t, p.Flush())
}

// TestFarewell: while a connection lasts, either side has a frame kept that ends it at the other; and none
// before and after.
func TestFarewell(t *testing.T) {
	for _, active := range []bool{true, false} {
		h := hub.New()
		opts := [2]roce.Options{fastCM(), fastCM()}
		v := &voice{kept: map[int][]byte{}}
		dead := 1
		if active {
			dead = 0
		}
		opts[dead].Farewell = v
		a, b := open(t, h, 1, opts[0]), open(t, h, 2, opts[1])
		qp := queuePair(t, pick(dead, a, b), roce.QPConfig{})
		require.Empty(t, v.frames(), "no connection yet")
		qp.Destroy()

		ca, cb := connect(t, a, b, roce.QPConfig{}, roce.QPConfig{})
		conns := [2]*roce.Conn{ca, cb}
		require.Len(t, v.frames(), 1)
		v.say(t, h)
		<-conns[1-dead].Done()
		require.ErrorIs(t, conns[1-dead].Err(), roce.ErrDisconnected)
		require.NoError(t, conns[dead].Err(), "it lives, and has said nothing")
		require.NoError(t, conns[dead].Close())
		require.NoError(t, conns[1-dead].Close())
		require.Empty(t, v.frames())

		// Ended by the peer, or with the device.
		ca, cb = connect(t, a, b, roce.QPConfig{}, roce.QPConfig{})
		conns = [2]*roce.Conn{ca, cb}
		require.NoError(t, conns[1-dead].Close())
		<-conns[dead].Done()
		require.Empty(t, v.frames())
		connect(t, a, b, roce.QPConfig{}, roce.QPConfig{})
		require.Len(t, v.frames(), 1)
		require.NoError(t, pick(dead, a, b).Close())
		require.Empty(t, v.frames())
	}
}

func pick(i int, a, b *roce.Device) *roce.Device { return [2]*roce.Device{a, b}[i] }

// TestFarewellWithoutRoom: a connection whose farewell is not kept is one like any other.
func TestFarewellWithoutRoom(t *testing.T) {
	h := hub.New()
	opts := fastCM()
	opts.Farewell = &voice{full: true}
	a, b := open(t, h, 1, opts), open(t, h, 2, fastCM())
	ca, cb := connect(t, a, b, roce.QPConfig{}, roce.QPConfig{})
	require.NoError(t, ca.Close())
	select {
	case <-cb.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the peer is not told")
	}
}
