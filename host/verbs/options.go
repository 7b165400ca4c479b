package verbs

import (
	"cmp"
	"log/slog"
	"net/netip"
	"time"
)

// Options says which device to use, and how. The zero value takes the only device
// that has an IPv4 address.
type Options struct {
	// Device is the name of the RDMA device, such as mlx5_0 or rxe0. "" means the
	// one that fits Addr, or the only one.
	Device string
	// Port is the device's port, 1 by default.
	Port int
	// GIDIndex picks the entry of the port's GID table whose address is used; it
	// must be of type RoCE v2 and hold an IPv4 address. 0 or less means the first
	// such (index 0 is a link-local address on every Linux RDMA device).
	GIDIndex int
	// Addr is the IPv4 address to use; the zero Addr means that of the GID.
	Addr netip.Addr

	// Access says how a queue pair's rights are changed; default AccessAuto.
	Access AccessMethod
	// Spin is how long CQ.Wait polls before it sleeps; default 20 us, negative
	// means not at all.
	Spin time.Duration
	// Watch is how often OnRemoteWrite calls its function; default 100 us.
	Watch time.Duration
	// Backlog is the number of connection requests that may wait at a listener;
	// default 128.
	Backlog int
	// Log receives what an operator should know; nil discards it.
	Log *slog.Logger
}

func (o *Options) setDefaults() {
	o.Port = cmp.Or(o.Port, 1)
	o.Spin = cmp.Or(o.Spin, 20*time.Microsecond)
	if o.Watch <= 0 {
		o.Watch = 100 * time.Microsecond
	}
	if o.Backlog <= 0 {
		o.Backlog = 128
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// AccessMethod is a way to change the rights of a queue pair's peer.
type AccessMethod uint8

// The methods.
const (
	// AccessAuto changes the flags, and takes the queue pair through its states when
	// that fails.
	AccessAuto AccessMethod = iota
	// AccessFlags changes the flags only.
	AccessFlags
	// AccessCycle takes the queue pair through its states always.
	AccessCycle
)

// Report is what a device was found to be able to do.
type Report struct {
	Device   string     `json:"device"`
	Driver   string     `json:"driver,omitempty"`
	Firmware string     `json:"firmware,omitempty"`
	Port     int        `json:"port"`
	Active   bool       `json:"active"` // the port's link is up
	MTU      int        `json:"mtu"`    // path MTU in bytes that the link carries
	GIDIndex int        `json:"gid_index"`
	Addr     netip.Addr `json:"addr"`

	MaxQP       int    `json:"max_qp"`
	MaxCQE      int    `json:"max_cqe"` // entries of one completion queue
	MaxSendWR   int    `json:"max_send_wr"`
	MaxMR       int    `json:"max_mr"`
	MaxMRSize   uint64 `json:"max_mr_size"` // bytes
	MaxReads    int    `json:"max_reads"`   // READs and atomics in flight per queue pair
	MaxMessage  uint64 `json:"max_message"` // bytes
	MaxInline   int    `json:"max_inline"`  // bytes that go into a request
	Atomics     bool   `json:"atomics"`
	ResizeCQ    bool   `json:"resize_cq"`
	FlagsInRTS  string `json:"flags_in_rts"` // "ok", or what happened instead
	StateCycle  string `json:"state_cycle"`  // the same
	RevokedGets string `json:"revoked_gets"` // how a peer's refused WRITE ended
}
