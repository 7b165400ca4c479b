// Package runner runs p4ce's programs in a lab: switches, controllers, and what runs on hosts. Demos,
// tests and benchmarks start everything by it, for one switch (Star) as for many (package
// lab/network).
//
//	DIR/NAME.rt ─── p4ce switch NAME ◀─P4Runtime── p4ce controller NAME ─── DIR/NAME.admin
//	                   │  ports                       flags: the caller's
//	             interfaces of the lab, or sockets ─── p4ce kv, node, ... on hosts
//
// A program is a process that says when it is ready (package launch). It has a name, and its log is
// told by it. What a Runner has started it also ends: the last first, so that servers leave before
// their controller, and the controller before the switches. Programs are killed and paused by their
// launch.Process.
package runner
