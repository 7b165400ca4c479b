package p4rt

import (
	"errors"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
)

// counting is a target that counts what becomes of pipelines.
type counting struct {
	*interp.Target
	staged, committed, discarded int
	fail                         error // of the next Commit
}

type countedStage struct {
	dataplane.Staged
	c *counting
}

func (c *counting) Stage(p *dataplane.Pipeline) (dataplane.Staged, error) {
	c.staged++
	s, err := c.Target.Stage(p)
	return countedStage{s, c}, err
}

func (s countedStage) Commit() error {
	s.c.committed++
	if err := s.c.fail; err != nil {
		s.c.fail = nil
		return err
	}
	return s.Staged.Commit()
}

func (s countedStage) Discard() { s.c.discarded++ }

// TestStagedOnce: a target makes a pipeline ready once per push, not for checking and for
// running it, and never without need; and nothing that it made ready is left over.
func TestStagedOnce(t *testing.T) {
	c := &counting{Target: interp.New(interp.Options{})}
	h := serve(t, c, Options{})
	s := h.stream()
	s.arbitrate("", 1)
	s.next()
	step := func(action p4.SetForwardingPipelineConfigRequest_Action, config *p4.ForwardingPipelineConfig, staged, committed, discarded int) {
		t.Helper()
		before := *c
		require.NoError(t, h.set(action, config))
		require.Equal(t, []int{staged, committed, discarded},
			[]int{c.staged - before.staged, c.committed - before.committed, c.discarded - before.discarded}, "staged, committed, discarded")
	}
	const (
		verify    = p4.SetForwardingPipelineConfigRequest_VERIFY
		save      = p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE
		commit    = p4.SetForwardingPipelineConfigRequest_COMMIT
		both      = p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT
		reconcile = p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT
	)
	step(verify, h.config("good"), 1, 0, 1)
	step(both, h.config("good"), 1, 1, 0)
	step(reconcile, h.config("good"), 0, 0, 0)
	step(reconcile, h.config("good too"), 1, 1, 0)
	step(save, h.config("good"), 1, 0, 0)
	step(save, h.config("good"), 1, 0, 1)
	step(commit, nil, 0, 1, 0)
	step(save, h.config("good"), 1, 0, 0)
	step(both, h.config("good"), 1, 1, 1)

	// A saved pipeline that could not be started can be tried again.
	step(save, h.config("good"), 1, 0, 0)
	c.fail = errors.New("a port is gone")
	require.Equal(t, codes.Internal, status.Code(h.set(commit, nil)))
	step(commit, nil, 1, 1, 0)

	step(save, h.config("good"), 1, 0, 0)
	h.server.Close()
	require.Equal(t, c.staged, c.committed+c.discarded)
}
