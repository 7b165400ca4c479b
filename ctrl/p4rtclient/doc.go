// Package p4rtclient is a P4Runtime client for one switch: arbitration, pipeline
// config, writes and reads by the names of p4info, packet I/O, digests, and
// reconnection.
//
//	Info    names and widths of a p4info <-> protobuf entities (pure)
//	Client  one switch: Run keeps a stream and takes part in arbitration for as
//	        long as its context lives; the owner may make requests meanwhile
//
// Values are big-endian byte strings of any length. A Client sends the shortest form, and returns
// values as long as the field. Errors name table, action and field. A batch that failed in part is
// a *WriteError with one element per failed update.
//
// A Client may be used from any goroutine. The functions of a Handler are called one at a time, in
// the order of the stream. A slow function holds up the stream, and the switch drops what it cannot
// queue.
package p4rtclient
