package agent

import (
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// maxCells bounds the counters of the program that are exported cell by cell:
// per-port and per-reason counters are, per-group counters are the
// controller's to read.
const maxCells = 512

// collector reads everything when it is scraped; nothing is copied on the
// packet path.
type collector struct {
	target dataplane.Target
	server *p4rt.Server
	ports  *watcher

	portPackets, portBytes, portUp *prometheus.Desc
	portReopened                   *prometheus.Desc
	drops, entries, size           *prometheus.Desc
	counterPackets, counterBytes   *prometheus.Desc
	program                        *prometheus.Desc
	requests                       *prometheus.Desc
	streams, primaries             *prometheus.Desc
	packetIns                      *prometheus.Desc
}

func newCollector(t dataplane.Target, s *p4rt.Server, w *watcher) *collector {
	d := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("p4ce_switch_"+name, help, labels, nil)
	}
	return &collector{
		target: t, server: s, ports: w,
		portPackets:    d("port_packets_total", "Frames received from and sent to a port's wire.", "port", "interface", "direction"),
		portBytes:      d("port_bytes_total", "Bytes received from and sent to a port's wire.", "port", "interface", "direction"),
		portUp:         d("port_up", "Whether a port has a carrier.", "port", "interface"),
		portReopened:   d("port_reopened_total", "How often a port got a new interface because its interface was deleted.", "port", "interface"),
		drops:          d("drops_total", "Packets and copies that the target lost, by reason.", "reason"),
		entries:        d("table_entries", "Entries of a table.", "table"),
		size:           d("table_size", "Size of a table.", "table"),
		counterPackets: d("counter_packets_total", "Packets in a cell of a counter of the program; name is the program's name of the index.", "counter", "index", "name"),
		counterBytes:   d("counter_bytes_total", "Bytes in a cell of a counter of the program; name is the program's name of the index.", "counter", "index", "name"),
		program:        d("program_info", "The program that runs.", "program", "target"),
		requests:       d("p4runtime_total", "What the P4Runtime server has done.", "event"),
		packetIns:      d("packet_in_dropped_total", "Packets for the controller that were lost, by ingress port.", "port"),
		streams:        d("p4runtime_streams", "Clients with a stream."),
		primaries:      d("p4runtime_primaries", "Roles that have a primary."),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.portPackets, c.portBytes, c.portUp, c.portReopened, c.drops, c.entries, c.size, c.counterPackets, c.counterBytes,
		c.program, c.requests, c.streams, c.primaries, c.packetIns,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, v uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, p := range c.target.Ports() {
		num, iface := strconv.Itoa(int(p.Port)), p.Interface
		count(c.portPackets, p.RX.Packets, num, iface, "rx")
		count(c.portPackets, p.TX.Packets, num, iface, "tx")
		count(c.portBytes, p.RX.Bytes, num, iface, "rx")
		count(c.portBytes, p.TX.Bytes, num, iface, "tx")
		up := 0.0
		if p.Up {
			up = 1
		}
		gauge(c.portUp, up, num, iface)
		if n, ok := c.ports.reopened.Load(p.Port); ok {
			count(c.portReopened, n.(*atomic.Uint64).Load(), num, iface)
		}
	}
	if dc, ok := c.target.(dataplane.DropCounter); ok {
		for reason, n := range dc.Drops() {
			count(c.drops, n, reason)
		}
	}
	for _, t := range c.server.Tables() {
		gauge(c.entries, float64(t.Entries), t.Table)
		gauge(c.size, float64(t.Size), t.Table)
	}
	if cells, err := c.server.Counters(maxCells); err == nil {
		for _, v := range cells {
			index := strconv.Itoa(v.Index)
			if v.Kind != ir.Bytes {
				count(c.counterPackets, v.Value.Packets, v.Counter, index, v.Name)
			}
			if v.Kind != ir.Packets {
				count(c.counterBytes, v.Value.Bytes, v.Counter, index, v.Name)
			}
		}
	} else {
		ch <- prometheus.NewInvalidMetric(c.counterPackets, err)
	}
	gauge(c.program, 1, c.server.Program(), c.target.Kind())
	st := c.server.Stats()
	for event, n := range map[string]uint64{
		"packet_in": st.PacketIns, "packet_in_dropped": st.PacketInsDropped,
		"packet_out": st.PacketOuts, "packet_out_refused": st.PacketOutsRefused,
		"digest": st.Digests, "digest_dropped": st.DigestsDropped,
		"idle_timeout": st.IdleTimeouts, "idle_timeout_dropped": st.IdleDropped,
		"update": st.Updates, "update_failed": st.FailedUpdates,
	} {
		count(c.requests, n, event)
	}
	for port, n := range st.PacketInsOfPort {
		count(c.packetIns, n, strconv.Itoa(int(port)))
	}
	gauge(c.streams, float64(st.Streams))
	gauge(c.primaries, float64(st.Primaries))
}
