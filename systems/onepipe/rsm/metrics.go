package rsm

import "github.com/prometheus/client_golang/prometheus"

// collector gives a node's status to Prometheus.
type collector struct{ n *Node }

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("p4ce_onepipe_log_"+name, help, nil, nil)
}

var (
	descServing = desc("serving", "1 while this server serves clients.")
	descView    = desc("view", "The view of this server.")
	descMembers = desc("members", "Servers of the view.")
	descRecords = desc("records_total", "Records applied since the log exists.")
	descRefused = desc("messages_refused_total", "Messages delivered in a later view than that in which they were sent.")
	descResent  = desc("messages_resent_total", "Messages of this server that were sent again.")
	descStrange = desc("strange_messages_total", "Messages that were none of the log, or not from a member.")
	descFetched = desc("states_fetched_total", "States received from other servers.")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descServing, descView, descMembers, descRecords, descRefused, descResent, descStrange, descFetched} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.n.Status()
	serving := 0.0
	if s.Serving {
		serving = 1
	}
	gauge := func(d *prometheus.Desc, v float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	count := func(d *prometheus.Desc, v uint64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v))
	}
	gauge(descServing, serving)
	gauge(descView, float64(s.View))
	gauge(descMembers, float64(len(s.Members)))
	count(descRecords, s.Records)
	count(descRefused, s.Refused)
	count(descResent, s.Resent)
	count(descStrange, s.Strange)
	count(descFetched, s.Fetched)
}
