package smr

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// counters is what a node counts. Its lock guards them.
type counters struct {
	proposed, applied, unknown  uint64
	writes, groupWrites, reads  uint64
	bytes                       uint64
	groups, snapshots           uint64
	strangers                   uint64
	latency                     *latency.Histogram
	decidedRecords, decidedNano uint64
}

func (c *counters) posted(op mu.Op) {
	switch {
	case op.Read:
		c.reads++
	case op.Region != mu.LogRegion:
	case op.Path.Kind == mu.Group:
		c.groupWrites++
		c.bytes += uint64(len(op.Data))
	default:
		c.writes++
		c.bytes += uint64(len(op.Data))
	}
}

func (c *counters) decided(d time.Duration) {
	if c.latency == nil {
		c.latency = latency.New()
	}
	c.decidedRecords++
	c.decidedNano += uint64(d)
	// The value is clamped to the histogram's range.
	c.latency.Add(d)
}

// NodeStats is a snapshot of what a server has done since it started.
type NodeStats struct {
	Proposed    uint64          // records accepted from callers
	Decided     uint64          // of these, reported as decided
	Unknown     uint64          // of these, with an unknown outcome
	Applied     uint64          // records, whoever proposed them
	Writes      uint64          // RDMA WRITEs of the log, one per peer
	GroupWrites uint64          // RDMA WRITEs of the log through the switch
	Reads       uint64          // RDMA READs
	Bytes       uint64          // written
	Groups      uint64          // asked for
	Snapshots   uint64          // asked for
	Strangers   uint64          // peers, or switches, that answered without proving the cluster's token
	Latency     latency.Summary // from Propose to its end, since ResetLatency
}

// Stats returns a snapshot.
func (n *Node) Stats() NodeStats {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.statsNow()
}

// statsNow is Stats with the lock held.
func (n *Node) statsNow() NodeStats {
	s := &n.stats
	out := NodeStats{
		Proposed: s.proposed, Decided: s.decidedRecords, Unknown: s.unknown, Applied: s.applied, Writes: s.writes,
		GroupWrites: s.groupWrites, Reads: s.reads, Bytes: s.bytes, Groups: s.groups, Snapshots: s.snapshots, Strangers: s.strangers,
	}
	if h := s.latency; h != nil {
		out.Latency = h.Summary()
	}
	return out
}

// ResetLatency discards the latencies, to separate those of one mode from those of another.
func (n *Node) ResetLatency() {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.stats.latency != nil {
		n.stats.latency.Reset()
	}
}

// collector provides the metrics of a node to Prometheus. It reads everything at scrape time.
type collector struct{ n *Node }

var (
	descRole      = prometheus.NewDesc("p4ce_smr_role", "1 for the role of this server.", []string{"role"}, nil)
	descMode      = prometheus.NewDesc("p4ce_smr_accelerated", "1 if this server leads and writes through the switch.", nil, nil)
	descFull      = prometheus.NewDesc("p4ce_smr_full_member", "1 if this server's memory counts.", nil, nil)
	descTerm      = prometheus.NewDesc("p4ce_smr_term_round", "Round of the highest term promised.", nil, nil)
	descIndex     = prometheus.NewDesc("p4ce_smr_applied_index", "Records applied since the cluster exists.", nil, nil)
	descConfirmed = prometheus.NewDesc("p4ce_smr_confirmed_peers", "Peers that hold what this leader decides.", nil, nil)
	descAlive     = prometheus.NewDesc("p4ce_smr_peer_alive", "1 if this server considers the peer alive.", []string{"peer"}, nil)
	descHead      = prometheus.NewDesc("p4ce_smr_peer_head_bytes", "Position in the log up to which a peer has applied.", []string{"peer"}, nil)
	descCount     = prometheus.NewDesc("p4ce_smr_records_total", "Records by result.", []string{"outcome"}, nil)
	descWrites    = prometheus.NewDesc("p4ce_smr_log_writes_total", "RDMA WRITEs of the log.", []string{"mode"}, nil)
	descBytes     = prometheus.NewDesc("p4ce_smr_log_written_bytes_total", "Bytes of the log written, once per WRITE.", nil, nil)
	descGroups    = prometheus.NewDesc("p4ce_smr_groups_total", "Groups requested from the switch.", nil, nil)
	descSnapshots = prometheus.NewDesc("p4ce_smr_snapshots_total", "Snapshots requested from peers.", nil, nil)
	descStrangers = prometheus.NewDesc("p4ce_smr_strangers_total", "Connections ended because the answering side did not prove that it knows the cluster's token.", nil, nil)
	descSeconds   = prometheus.NewDesc("p4ce_smr_propose_seconds_total", "Time from Propose to decided and applied.", nil, nil)
)

func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descRole, descMode, descFull, descTerm, descIndex, descConfirmed, descAlive, descHead, descCount, descWrites, descBytes,
		descGroups, descSnapshots, descStrangers, descSeconds,
	} {
		ch <- d
	}
}

func (c collector) Collect(ch chan<- prometheus.Metric) {
	seen := c.n.sees()
	st, peers := seen.status, seen.peers
	var stats NodeStats
	var seconds float64
	before := c.n.look(func() { stats, seconds = c.n.statsNow(), float64(c.n.stats.decidedNano)/1e9 })
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for _, r := range []mu.Role{mu.Follower, mu.Candidate, mu.Leader} {
		gauge(descRole, is(st.Role == r), r.String())
	}
	gauge(descMode, is(st.Role == mu.Leader && st.Mode == mu.Accelerated))
	gauge(descFull, is(st.State == mu.Full))
	gauge(descTerm, float64(st.Term>>8))
	gauge(descIndex, float64(st.Index))
	gauge(descConfirmed, float64(st.Confirmed))
	for _, p := range peers {
		id := strconv.Itoa(int(p.ID))
		gauge(descAlive, is(p.Alive), id)
		gauge(descHead, float64(p.Head), id)
	}
	if before != nil {
		return // the counts wait for the disk
	}
	count(descCount, float64(stats.Proposed), "proposed")
	count(descCount, float64(stats.Decided), "decided")
	count(descCount, float64(stats.Unknown), "unknown")
	count(descCount, float64(stats.Applied), "applied")
	count(descWrites, float64(stats.Writes), "direct")
	count(descWrites, float64(stats.GroupWrites), "accelerated")
	count(descBytes, float64(stats.Bytes))
	count(descGroups, float64(stats.Groups))
	count(descSnapshots, float64(stats.Snapshots))
	count(descStrangers, float64(stats.Strangers))
	count(descSeconds, seconds)
}

func (n *Node) register(r prometheus.Registerer) error { return r.Register(collector{n}) }

func (n *Node) unregister() {
	if n.cfg.Registry != nil {
		n.cfg.Registry.Unregister(collector{n})
	}
}
