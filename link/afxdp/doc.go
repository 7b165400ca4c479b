// Package afxdp sends and receives whole Ethernet frames through an AF_XDP socket
// on the only queue of a network interface: one with several is refused. It needs CAP_NET_RAW and CAP_BPF (in practice
// root) and a driver with native XDP; it never falls back to generic mode. The
// socket works in copy mode, which every such driver has.
//
//	interface ── XDP program ──┬── socket: Receive      what Filter takes
//	                           └── kernel               everything else
//	interface ◄─────────────────── socket: Buffer, Send, Flush
//
// It is the one place that knows github.com/asavie/xdp and its ways:
//
//   - its own Program type cannot live beside a bpf_link, so the program and the
//     xskmap here are ours;
//   - it cannot unmap its rings, so a queue can be opened once in the life of a
//     process; Close ends receiving and takes the program off;
//   - its Transmit panics when the interface is down: here that is an error;
//   - frames of 2048 bytes would cut what is received at 1792: here they have
//     4096;
//   - its table of free frames is not safe for concurrent use.
//
// Concurrency: some frames belong to the goroutine in Receive and others to the one
// in Buffer, Send or Flush; Close may be called at any time. A lock guards the
// library's table of free frames, never a system call or the use of a frame.
package afxdp
