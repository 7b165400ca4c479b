// Package p4rtclient is a P4Runtime client for one switch: arbitration, pipeline
// config, writes and reads by the names of p4info, packet I/O, digests, and
// reconnection.
//
//	Info    names and widths of a p4info <-> protobuf entities (pure)
//	Client  one switch: Run keeps a stream and takes part in arbitration for as
//	        long as its context lives; requests may be made meanwhile
//
// Values are big-endian byte strings of any length; what is sent is the shortest
// form, what is returned is as long as the field. Errors name table, action and
// field; a batch that failed in part is a *WriteError with one element per
// failed update.
//
// A Client may be used from any goroutine. The functions of a Handler are called
// one at a time, in the order of the stream; a slow one holds up the stream, and
// the switch drops what it cannot queue.
package p4rtclient
