package ctrl

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/group"
	"github.com/p4ce/p4ce/ctrl/hosts"
)

// collector asks every switch's loop when it is scraped.
type collector struct {
	c                           *Controller
	up, groups, hosts, requests *prometheus.Desc
	groupEvents, cmEvents       *prometheus.Desc
	hostEvents, switchEvents    *prometheus.Desc
	naks, failed, forming       *prometheus.Desc
}

func newCollector(c *Controller) *collector {
	d := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("p4ce_controller_"+name, help, append([]string{"switch"}, labels...), nil)
	}
	return &collector{
		c:            c,
		up:           d("switch_in_control", "Whether the switch is connected and taken over."),
		groups:       d("groups", "Groups, by phase.", "phase"),
		hosts:        d("hosts", "Attached hosts."),
		requests:     d("requests_waiting", "Requests to the switch that have not begun."),
		groupEvents:  d("group_events_total", "What happened to groups.", "event"),
		cmEvents:     d("cm_events_total", "What happened to connection management messages.", "event"),
		hostEvents:   d("host_events_total", "ARP, pings, and frames that were dropped.", "event"),
		switchEvents: d("switch_events_total", "What the controller did with the switch.", "event"),
		forming:      d("group_forming_seconds_total", "Time that the groups formed have taken: waiting for replicas, and from the last one's answer to the leader's.", "awaited"),
		naks:         d("replica_naks_total", "NAKs of a replica.", "group", "slot", "replica"),
		failed:       d("replica_failed", "Whether a replica has refused a request for good.", "group", "slot", "replica"),
	}
}

// Describe implements prometheus.Collector.
func (m *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.up, m.groups, m.hosts, m.requests, m.groupEvents, m.cmEvents, m.hostEvents, m.switchEvents, m.forming, m.naks, m.failed} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (m *collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	for _, s := range m.c.switches {
		name := s.conf.Name
		gauge := func(d *prometheus.Desc, v float64, labels ...string) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{name}, labels...)...)
		}
		count := func(d *prometheus.Desc, v uint64, labels ...string) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), append([]string{name}, labels...)...)
		}
		var list []group.Info
		var gs group.Stats
		var hs hosts.Stats
		var ss switchStats
		var up bool
		var n int
		if err := s.ask(ctx, func() {
			list, gs, hs, ss, up, n = s.core.List(), s.core.Stats(), s.hosts.Stats(), s.stats, s.synced, len(s.hosts.List())
		}); err != nil {
			ch <- prometheus.NewInvalidMetric(m.up, err)
			continue
		}
		gauge(m.up, float64(bit(up)))
		gauge(m.hosts, float64(n))
		gauge(m.requests, float64(s.worker.waiting()))
		phases := map[string]int{"connecting": 0, "installing": 0, "running": 0, "removing": 0}
		for _, g := range list {
			phases[g.Phase]++
			for _, sl := range g.Slots {
				if sl.NAKs > 0 { // silent replicas have no series: there may be 32768
					labels := []string{fmt.Sprint(g.Index), fmt.Sprint(sl.Slot), sl.Replica}
					count(m.naks, sl.NAKs, labels...)
					gauge(m.failed, float64(bit(sl.Failed)), labels...)
				}
			}
		}
		for p, n := range phases {
			gauge(m.groups, float64(n), p)
		}
		ch <- prometheus.MustNewConstMetric(m.forming, prometheus.CounterValue, gs.AwaitedReplicas.Seconds(), name, "replicas")
		ch <- prometheus.MustNewConstMetric(m.forming, prometheus.CounterValue, gs.AwaitedSwitch.Seconds(), name, "switch")
		for e, v := range map[string]uint64{
			"requested": gs.Requested, "refused": gs.Refused, "formed": gs.Formed, "failed": gs.Failed, "dissolved": gs.Dissolved,
			"adopted": gs.Adopted, "nak": gs.NAKs, "request_refused": gs.RefusedRequests,
		} {
			count(m.groupEvents, v, e)
		}
		for e, v := range map[string]uint64{
			"received": ss.cmIn, "sent": ss.cmOut, "retransmitted": gs.CM.Retransmitted, "repeated": gs.CM.Repeated, "duplicate": gs.CM.Duplicates,
			"unknown": gs.CM.Unknown, "unexpected": gs.CM.Unexpected, "stale": gs.CM.StaleREQ, "overload": gs.CM.Overload,
		} {
			count(m.cmEvents, v, e)
		}
		for e, v := range map[string]uint64{
			"arp_answered": hs.ARPAnswered, "arp_proxied": hs.ARPProxied, "flooded": hs.Flooded, "ping": hs.Pings, "learned": hs.Learned, "moved": hs.Moved,
			"malformed": hs.Malformed, "no_route": hs.NoRoute, "conflict": hs.Conflicts, "table_full": hs.Full, "unresolved": hs.Unresolved, "ttl": hs.TTL, "other": hs.Other,
		} {
			count(m.hostEvents, v, e)
		}
		for e, v := range map[string]uint64{
			"packet_in": ss.packetIns, "packet_in_ignored": ss.ignored, "malformed": ss.malformed, "foreign_port": ss.foreignPort, "unknown_reason": ss.unknownReason,
			"packet_out_failed": ss.packetOutFailed, "store_failed": ss.storeFailed, "taken_over": ss.syncs,
		} {
			count(m.switchEvents, v, e)
		}
	}
}
