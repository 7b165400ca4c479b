// Package interop is a conversation between two RDMA devices that uses everything
// which package rdma promises, so that any two kinds of device can be tried against
// one another: in one process, or as the program peer on two machines.
//
//	Run (active)                         Server (passive)
//	   control connection ── SEND ──────▶ does what it is told: change rights,
//	                      ◀───── SEND ──  close, wait for an end, send, look
//	   tested connections ── WRITE, READ, SEND, ... ──▶
//
// Each case makes connections of its own. Peers of both sides decide nothing by
// time: a case waits for what must come, and its context bounds how long.
package interop
