package session

import "github.com/prometheus/client_golang/prometheus"

// Desc describes a metric about a switch: its labels are the switch's name, and these.
func Desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("p4ce_controller_"+name, help, append([]string{"switch"}, labels...), nil)
}

// What is exported about every session.
var (
	descUp       = Desc("switch_in_control", "Whether the switch is connected and taken over.")
	descRequests = Desc("requests_waiting", "Requests to the switch that have not begun.")
	// DescEvents counts events; an App may add its own.
	DescEvents = Desc("switch_events_total", "What the controller did with the switch.", "event")
)

// Gauge is a value of a metric of Desc.
func (s *Session) Gauge(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{s.conf.Name}, labels...)...)
}

// Count is a value of a metric of Desc that only grows.
func (s *Session) Count(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, append([]string{s.conf.Name}, labels...)...)
}

// Metrics are those of the session and of its App, on the loop.
func (s *Session) Metrics() []prometheus.Metric {
	up := 0.0
	if s.synced {
		up = 1
	}
	out := []prometheus.Metric{s.Gauge(descUp, up), s.Gauge(descRequests, float64(s.worker.waiting()))}
	for e, v := range map[string]uint64{
		"packet_in": s.stats.PacketIns, "digest": s.stats.Digests, "idle": s.stats.Idle, "ignored": s.stats.Ignored, "foreign": s.stats.Foreign,
		"packet_out_failed": s.stats.PacketOutFailed, "taken_over": s.stats.Syncs,
	} {
		out = append(out, s.Count(DescEvents, float64(v), e))
	}
	return append(out, s.app.Metrics()...)
}
