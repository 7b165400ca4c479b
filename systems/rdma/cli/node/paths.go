package node

import (
	"slices"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/baseline"
	"github.com/p4ce/p4ce/systems/rdma/replicate"
)

// baselineMode is the mode in which a leader replicates as Mu does (package baseline). Bounds of its values keep the log
// that they need below 1 GiB.
const (
	baselineMode      = "mu"
	baselinePort      = 1 // after the replicas' service
	maxBaseline       = 1 << 18
	maxBaselineWindow = 256
)

// path is how a leader replicates: ours or Mu's.
type path interface {
	ProposeAsync(record []byte, done func(error)) error
	TryPropose(record []byte, done func(error)) (bool, error)
	Together(func())
	ResetLatency()
	mode() string
	did() did
}

// did is what a leader has done.
type did struct {
	writes, repairs uint64
	latency         latency.Summary
}

type ours struct {
	*replicate.Leader
	shared bool
}

func (o ours) mode() string {
	if o.shared {
		return o.Mode().String() + Shared
	}
	return o.Mode().String()
}

func (o ours) did() did {
	s := o.Stats()
	return did{s.Writes, s.Repairs, s.Latency}
}

type mus struct{ *baseline.Leader }

func (mus) mode() string { return baselineMode }

func (m mus) did() did {
	s := m.Stats()
	return did{s.Writes, 0, s.Latency}
}

// baseline reports whether the node replicates as Mu does, at some time.
func (n *node) baseline() bool {
	return n.o.role == "replica" && n.o.mu || n.o.role == "leader" && slices.Contains(n.o.modes, baselineMode)
}

func (n *node) follower(dev rdma.Device) (*baseline.Follower, error) {
	return baseline.OpenFollower(baseline.FollowerConfig{
		Device: dev, Port: n.o.port + baselinePort, LogSize: baseline.LogSize(n.o.recordSize, n.o.window), MaxRecord: n.o.recordSize, Window: n.o.window,
		Cluster: n.o.cluster, Token: n.o.token, AckTimeout: n.o.endpoint.AckTimeout, Retry: retries, Log: n.log,
	})
}

func (n *node) baselineLeader() (*baseline.Leader, error) {
	return baseline.NewLeader(baseline.Config{
		Device: n.dev, ID: n.o.id, Replicas: n.replicas, Port: n.o.port + baselinePort, Policy: n.policy, LogSize: baseline.LogSize(n.o.recordSize, n.o.window),
		MaxRecord: n.o.recordSize, Window: n.o.window, Cluster: n.o.cluster, Token: n.o.token, AckTimeout: n.o.endpoint.AckTimeout, Retry: retries, Log: n.log,
	})
}
