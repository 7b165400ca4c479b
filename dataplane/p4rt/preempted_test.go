package p4rt

import (
	"context"
	"sync/atomic"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
)

// slow is a target that does something while it makes a pipeline ready.
type slow struct {
	*interp.Target
	meanwhile func()
}

func (s *slow) Stage(p *dataplane.Pipeline) (dataplane.Staged, error) {
	if do := s.meanwhile; do != nil {
		s.meanwhile = nil
		do()
	}
	return s.Target.Stage(p)
}

// TestPreempted: a client that was the primary, and no longer is, changes nothing in any way; also not with
// what he began while he was.
func TestPreempted(t *testing.T) {
	target := &slow{Target: interp.New(interp.Options{})}
	h := serve(t, target, Options{})
	old, next := h.stream(), h.stream()
	old.arbitrate("", 1)
	old.next()
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	require.NoError(t, h.write(h.insert(exact1)))
	target.meanwhile = func() {
		next.arbitrate("", 2)
		next.next()
	}
	err := h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good too"))
	require.Equal(t, codes.PermissionDenied, status.Code(err), "%v", err)
	require.Len(t, h.read(exact1), 1, "the program has not been replaced")
	for _, action := range []p4.SetForwardingPipelineConfigRequest_Action{
		p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE, p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT,
	} {
		require.Equal(t, codes.PermissionDenied, status.Code(h.set(action, h.config("good"))))
	}
	require.Equal(t, codes.PermissionDenied, status.Code(h.write(h.up(p4.Update_DELETE, exact1))))
	old.next() // it is told that it is not the primary
	require.NoError(t, old.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Packet{Packet: &p4.PacketOut{Payload: make([]byte, 60)}}}))
	require.Equal(t, int32(codes.PermissionDenied), old.next().GetError().GetCanonicalCode())

	// When the new one has gone, he is still not the primary; nor if he asks again.
	require.NoError(t, next.CloseSend())
	require.Equal(t, int32(codes.NotFound), old.next().GetArbitration().GetStatus().GetCode())
	old.arbitrate("", 1)
	require.Equal(t, int32(codes.NotFound), old.next().GetArbitration().GetStatus().GetCode())
	require.Equal(t, codes.PermissionDenied, status.Code(h.write(h.up(p4.Update_DELETE, exact1))))
	require.Len(t, h.read(exact1), 1)
}

// TestGivenUp: a client that has given up while the switch makes its program ready may have found meanwhile that an
// earlier push was carried out, and have gone on. What it has installed stays.
func TestGivenUp(t *testing.T) {
	target := &slow{Target: interp.New(interp.Options{})}
	h := serve(t, target, Options{})
	c := h.stream()
	c.arbitrate("", 1)
	c.next()
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	require.NoError(t, h.write(h.insert(exact1)))
	for _, action := range []p4.SetForwardingPipelineConfigRequest_Action{
		p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE, p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT,
	} {
		ctx, giveUp := context.WithCancel(ctxFor(t))
		target.meanwhile = giveUp
		_, err := h.server.SetForwardingPipelineConfig(ctx, &p4.SetForwardingPipelineConfigRequest{
			DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}, Action: action, Config: h.config("good too"),
		})
		require.Equal(t, codes.Canceled, status.Code(err), "%v", err)
		require.Len(t, h.read(exact1), 1, "the program has not been replaced")
	}
	err := h.set(p4.SetForwardingPipelineConfigRequest_COMMIT, nil)
	require.Equal(t, codes.NotFound, status.Code(err), "nothing has been saved: %v", err)
}

// TestWriteGivenUp: a client that has given up a write may have read the switch since. What it has read stays.
func TestWriteGivenUp(t *testing.T) {
	h := serve(t, interp.New(interp.Options{}), Options{})
	c := h.stream()
	c.arbitrate("", 1)
	c.next()
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	ctx, giveUp := context.WithCancel(ctxFor(t))
	giveUp()
	_, err := h.server.Write(ctx, &p4.WriteRequest{DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}, Updates: []*p4.Update{h.insert(exact1)}})
	require.Equal(t, codes.Canceled, status.Code(err), "%v", err)
	require.Empty(t, h.read(exact1))
}

// TestPrimaryHearsWhenDone: a new primary hears that it is one after what the old one has begun, which is told before. Until then it
// gets no packets either.
func TestPrimaryHearsWhenDone(t *testing.T) {
	target := &during{Target: interp.New(interp.Options{}), do: map[int]func(){}}
	h := serve(t, target, Options{})
	old, next := h.primary(), h.stream()
	var done, early atomic.Bool
	heard := make(chan *p4.StreamMessageResponse, 1)
	target.do[1] = func() {
		next.arbitrate("", 2)
		require.Equal(t, int32(codes.AlreadyExists), old.next().GetArbitration().GetStatus().GetCode())
		h.server.setPort(3, true) // it would be told of it, were it the primary
		go func() {
			m := next.next()
			early.Store(!done.Load())
			heard <- m
		}()
		for range 100 { // long enough for what has been sent already
			_, err := h.client.Capabilities(ctxFor(t), &p4.CapabilitiesRequest{})
			require.NoError(t, err)
		}
		done.Store(true)
	}
	require.NoError(t, h.write(h.insert(exact1)))
	require.Equal(t, int32(codes.OK), (<-heard).GetArbitration().GetStatus().GetCode())
	require.False(t, early.Load(), "it heard while the write was under way")
}
