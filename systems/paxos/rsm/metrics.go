package rsm

import "github.com/prometheus/client_golang/prometheus"

// collector gives a node's status to Prometheus.
type collector struct{ n *Node }

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("p4ce_paxos_"+name, help, nil, nil)
}

var (
	descPosition = desc("position", "Lowest instance that is not applied.")
	descHeard    = desc("heard", "The instance after the highest known one.")
	descDurable  = desc("durable", "Lowest instance that is not on this host's disk.")
	descPending  = desc("pending", "Values under way that this host proposed.")
	descApplied  = desc("records_total", "Records applied since the log exists.")
	descResent   = desc("requests_resent_total", "Requests that were sent again.")
	descRefused  = desc("requests_refused_total", "Requests that the leader refused.")
	descAgain    = desc("values_again_total", "Values that were in the log twice, and took effect once.")
	descNoops    = desc("noops_total", "Instances without a value.")
	descBad      = desc("instances_malformed_total", "Instances that several values share and whose lengths do not add up: they have no value.")
	descQueries  = desc("queries_total", "Votes requested again from acceptors.")
	descDropped  = desc("messages_dropped_total", "Messages that were invalid, not for this host, or could not be sent.")
	descStrange  = desc("strange_values_total", "Values that were neither a record nor part of one.")
	descFetched  = desc("states_fetched_total", "States received from other hosts.")
	descGiven    = desc("states_given_total", "States sent to other hosts.")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descPosition, descHeard, descDurable, descPending, descApplied, descResent, descRefused, descAgain, descNoops, descBad, descQueries, descDropped, descStrange, descFetched, descGiven,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	<-c.n.opened
	s := c.n.Status()
	for _, g := range []struct {
		d *prometheus.Desc
		v uint64
	}{{descPosition, s.Position}, {descHeard, s.Heard}, {descDurable, s.Durable}, {descPending, uint64(s.Pending)}} {
		ch <- prometheus.MustNewConstMetric(g.d, prometheus.GaugeValue, float64(g.v))
	}
	for _, k := range []struct {
		d *prometheus.Desc
		v uint64
	}{
		{descApplied, s.Applied}, {descResent, s.Resent}, {descRefused, s.Refused}, {descAgain, s.Replica.Again}, {descNoops, s.Replica.Noops}, {descBad, s.Replica.Malformed},
		{descQueries, s.Replica.Queries}, {descDropped, s.Dropped}, {descStrange, s.Strange}, {descFetched, s.Fetched}, {descGiven, s.Given},
	} {
		ch <- prometheus.MustNewConstMetric(k.d, prometheus.CounterValue, float64(k.v))
	}
}
