package kv

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Results of commands, as metrics name them.
const (
	resultOK       = "ok"
	resultError    = "error"
	resultFollower = "not_leader"
	resultUnknown  = "unknown_outcome"
	resultTimeout  = "timeout"
	resultDenied   = "denied" // the user may not make the request
)

// metrics are the metrics of a server.
type metrics struct {
	commands *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	known    map[string]*atomic.Pointer[commandMetrics] // by the names of commands
}

// commandMetrics are the metrics of commands that succeed.
type commandMetrics struct {
	ok      prometheus.Counter
	seconds prometheus.Observer
}

func newMetrics() *metrics {
	m := &metrics{
		known: map[string]*atomic.Pointer[commandMetrics]{},
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "p4ce_kv_commands_total", Help: "Commands of clients, by name and result.",
		}, []string{"command", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "p4ce_kv_command_seconds", Help: "Time from a command's turn to its reply.",
			Buckets: prometheus.ExponentialBuckets(25e-6, 2, 18), // 25 µs to 3 s
		}, []string{"command"}),
	}
	for i := range commands {
		m.known[commands[i].name] = &atomic.Pointer[commandMetrics]{}
	}
	return m
}

// observe counts a command. The name is in the table of commands, or unknown.
func (m *metrics) observe(name, result string, took time.Duration) {
	if p := m.known[name]; p != nil && result == resultOK {
		k := p.Load()
		if k == nil {
			k = &commandMetrics{m.commands.WithLabelValues(name, resultOK), m.seconds.WithLabelValues(name)}
			p.Store(k)
		}
		k.ok.Inc()
		k.seconds.Observe(took.Seconds())
		return
	}
	m.commands.WithLabelValues(name, result).Inc()
	m.seconds.WithLabelValues(name).Observe(took.Seconds())
}

// register registers the counters, and the values that s provides.
func (m *metrics) register(r prometheus.Registerer, s *Server) error {
	gauge := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f)
	}
	counter := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, f)
	}
	for _, c := range []prometheus.Collector{
		m.commands, m.seconds,
		gauge("p4ce_kv_clients", "Connections of clients.", func() float64 { return float64(s.connected()) }),
		counter("p4ce_kv_connections_total", "Connections accepted.", func() float64 { return float64(s.accepted.Load()) }),
		counter("p4ce_kv_connections_refused_total", "Connections refused because there were too many.", func() float64 { return float64(s.refused.Load()) }),
		counter("p4ce_kv_connections_evicted_total", "Connections ended because clients used too much memory, or to make room for others.", func() float64 { return float64(s.evicted.Load()) }),
		counter("p4ce_kv_auth_failures_total", "AUTH with a wrong name or password, and failed TLS handshakes.", func() float64 { return float64(s.denied.Load()) }),
		counter("p4ce_kv_http_total", "Connections ended because they spoke HTTP.", func() float64 { return float64(s.http.Load()) }),
		gauge("p4ce_kv_client_memory_bytes", "Bytes of clients' requests and replies in memory.", func() float64 { return float64(s.memory.sum()) }),
		gauge("p4ce_kv_keys", "Keys on this server, including expired keys that are not yet removed.", func() float64 { return float64(s.cfg.Machine.Keys()) }),
		gauge("p4ce_kv_leader", "1 if this server is the leader.", func() float64 {
			if s.leads() {
				return 1
			}
			return 0
		}),
		gauge("p4ce_kv_disk_free_bytes", "Free bytes of the disk with the data, including the ballast.", func() float64 {
			s.cfg.Machine.space.isLow()
			return float64(s.cfg.Machine.space.free.Load())
		}),
		gauge("p4ce_kv_disk_reserve_bytes", "Bytes that the disk must keep free; 0: the disk is not watched.", func() float64 { return float64(s.cfg.Machine.space.reserve) }),
		gauge("p4ce_kv_disk_low", "0 if the disk has room, 1 if writes that need room are refused, 2 if the server also takes nothing from the leader.", func() float64 {
			return float64(s.cfg.Machine.Room())
		}),
		gauge("p4ce_kv_failed", "1 if this server's disk has failed.", func() float64 {
			if s.cfg.Machine.Failure() != nil {
				return 1
			}
			return 0
		}),
	} {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// connected is the number of connections.
func (s *Server) connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}
