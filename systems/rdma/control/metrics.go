package control

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/session"
)

// What is exported about a switch, besides what its session exports.
var (
	descGroups      = session.Desc("groups", "Groups, by phase.", "phase")
	descHosts       = session.Desc("hosts", "Attached hosts.")
	descGroupEvents = session.Desc("group_events_total", "What happened to groups.", "event")
	descCMEvents    = session.Desc("cm_events_total", "What happened to connection management messages.", "event")
	descHostEvents  = session.Desc("host_events_total", "ARP, pings, and frames that were dropped.", "event")
	descForming     = session.Desc("group_forming_seconds_total", "Time to form a group: waiting for replicas, and from the last replica's answer to the answer to the leader.", "awaited")
	descNAKs        = session.Desc("replica_naks_total", "NAKs of a replica.", "group", "slot", "replica")
	descFailed      = session.Desc("replica_failed", "Whether a replica has refused a request permanently.", "group", "slot", "replica")
	descPunts       = session.Desc("packet_ins_total", "Packets that the switch sent up, by the program's reason.", "reason")
)

// Metrics implements session.App.
func (a *App) Metrics() (out []prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) { out = append(out, a.Gauge(d, v, labels...)) }
	count := func(d *prometheus.Desc, v uint64, labels ...string) {
		out = append(out, a.Count(d, float64(v), labels...))
	}
	gs, hs, ss := a.core.Stats(), a.hosts.Stats(), a.stats
	gauge(descHosts, float64(len(a.hosts.List())))
	phases := map[string]int{"connecting": 0, "installing": 0, "running": 0, "removing": 0}
	for _, g := range a.core.List() {
		phases[g.Phase]++
		for _, sl := range g.Slots {
			if sl.NAKs > 0 { // silent replicas have no series: there may be 32768
				labels := []string{fmt.Sprint(g.Index), fmt.Sprint(sl.Slot), sl.Replica}
				count(descNAKs, sl.NAKs, labels...)
				gauge(descFailed, float64(bit(sl.Failed)), labels...)
			}
		}
	}
	for p, n := range phases {
		gauge(descGroups, float64(n), p)
	}
	out = append(out, a.Count(descForming, gs.AwaitedReplicas.Seconds(), "replicas"), a.Count(descForming, gs.AwaitedSwitch.Seconds(), "switch"))
	for reason, n := range ss.punts {
		count(descPunts, n, reason.String())
	}
	for e, v := range map[string]uint64{
		"requested": gs.Requested, "challenged": gs.Challenged, "refused": gs.Refused, "strangers": gs.Strangers, "formed": gs.Formed, "failed": gs.Failed, "dissolved": gs.Dissolved,
		"adopted": gs.Adopted, "nak": gs.NAKs, "request_refused": gs.RefusedRequests,
	} {
		count(descGroupEvents, v, e)
	}
	for e, v := range map[string]uint64{
		"received": ss.cmIn, "sent": ss.cmOut, "retransmitted": gs.CM.Retransmitted, "repeated": gs.CM.Repeated, "duplicate": gs.CM.Duplicates,
		"unknown": gs.CM.Unknown, "unexpected": gs.CM.Unexpected, "stale": gs.CM.StaleREQ, "overload": gs.CM.Overload,
	} {
		count(descCMEvents, v, e)
	}
	for e, v := range map[string]uint64{
		"arp_answered": hs.ARPAnswered, "arp_proxied": hs.ARPProxied, "flooded": hs.Flooded, "ping": hs.Pings, "learned": hs.Learned, "moved": hs.Moved, "forgotten": hs.Forgotten,
		"malformed": hs.Malformed, "no_route": hs.NoRoute, "conflict": hs.Conflicts, "table_full": hs.Full, "port_full": hs.PortFull, "stranger": hs.Strangers, "searches_full": hs.SearchesFull, "claims_full": hs.ClaimsFull, "link_local": hs.LinkLocal, "unresolved": hs.Unresolved, "ttl": hs.TTL, "other": hs.Other,
	} {
		count(descHostEvents, v, e)
	}
	foreignProbes := uint64(0)
	if a.tree != nil {
		foreignProbes = a.tree.links.Foreign()
	}
	for e, v := range map[string]uint64{
		"malformed": ss.malformed, "foreign_port": ss.foreignPort, "foreign_probe": foreignProbes, "unknown_reason": ss.unknownReason, "store_failed": a.keeper.failures(), "records_damaged": ss.recordsDamaged,
	} {
		count(session.DescEvents, v, e)
	}
	return out
}
