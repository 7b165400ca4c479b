// Package afxdp sends and receives whole Ethernet frames through an AF_XDP socket on the only queue
// of a network interface. It refuses an interface with several queues. It needs CAP_NET_RAW and
// CAP_BPF (in practice root), and a driver with native XDP. It never falls back to generic mode.
// The socket works in copy mode, which every such driver has.
//
//	interface ── XDP program ──┬── socket: Receive      what Filter takes
//	                           └── kernel               everything else
//	interface ◄─────────────────── socket: Buffer, Send, Flush
//
// Only this package uses github.com/asavie/xdp, and works around its limits:
//
//   - its Program type cannot coexist with a bpf_link, so the program and the xskmap are ours;
//   - it cannot unmap its rings, so a process can open a queue only once. Close ends receiving and
//     detaches the program;
//   - its Transmit panics when the interface is down. This package returns an error;
//   - frames of 2048 bytes would truncate received frames at 1792 bytes, so frames have 4096;
//   - its table of free frames is not safe for concurrent use.
//
// Concurrency: some frames belong to the goroutine in Receive, others to the one in Buffer, Send or
// Flush. Close may be called at any time. A lock guards the library's table of free frames, but no
// system call and no use of a frame.
package afxdp
