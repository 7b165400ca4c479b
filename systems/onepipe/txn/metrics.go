package txn

import "github.com/prometheus/client_golang/prometheus"

// collector gives a node's status to Prometheus.
type collector struct{ n *Node }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("p4ce_onepipe_txn_"+name, help, labels, nil)
}

var (
	descJoined    = desc("joined", "1 while this server is part of the network.")
	descLives     = desc("lives_total", "Times that this server has joined the network, each time with a shard without keys.")
	descAbsent    = desc("shards_absent", "Shards that this server does not find.")
	descUnderWay  = desc("under_way", "Transactions of clients of this server that have not ended.")
	descEnded     = desc("transactions_total", "Transactions of clients of this server, by how they have ended.", "result")
	descRepeated  = desc("repeated_total", "Attempts of transactions that only read, after a loss.")
	descOld       = desc("old_answers_total", "Answers and losses of attempts that were over.")
	descStrange   = desc("strange_messages_total", "Messages that were none of a transaction, or not for this shard.")
	descUnsure    = desc("unsure_messages_total", "Parts that write, and came by best effort.")
	descExecuted  = desc("executed_total", "Parts that this server's shard has executed.")
	descAgain     = desc("answers_again_total", "Answers that were lost, and sent again.")
	descAbandoned = desc("answers_abandoned_total", "Answers that were lost too often.")
	descKeys      = desc("keys", "Keys of this server's shard.")
	descBytes     = desc("bytes", "Bytes of the keys and values of this server's shard.")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descJoined, descLives, descAbsent, descUnderWay, descEnded, descRepeated, descOld, descStrange, descUnsure, descExecuted, descAgain, descAbandoned, descKeys, descBytes,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.n.Status()
	joined := 0
	if s.Why == "" {
		joined = 1
	}
	gauge := func(d *prometheus.Desc, v int) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v))
	}
	count := func(d *prometheus.Desc, v uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(descJoined, joined)
	count(descLives, s.Lives)
	gauge(descAbsent, len(s.Absent))
	gauge(descUnderWay, s.UnderWay)
	for result, v := range s.Ended {
		count(descEnded, v, result)
	}
	count(descRepeated, s.Client.Repeated)
	count(descOld, s.Client.Old)
	count(descStrange, s.Client.Bad+s.Shard.Bad)
	count(descUnsure, s.Shard.Unsure)
	count(descExecuted, s.Shard.Executed)
	count(descAgain, s.Shard.Again)
	count(descAbandoned, s.Shard.Abandoned)
	gauge(descKeys, s.Keys)
	gauge(descBytes, s.Bytes)
}
