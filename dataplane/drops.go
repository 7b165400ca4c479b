package dataplane

// Reasons why a target itself loses a packet. Packets that the program drops are counted by the
// program's own counters, and under ingress_drop and egress_drop here. Every target uses these
// names, so metrics have the same labels on every target.
const (
	DropIngressParser = "ingress_parser"  // the ingress parser rejected it
	DropIngress       = "ingress_drop"    // drop_ctl in the ingress
	DropNoDestination = "no_destination"  // no egress port written, no multicast group
	DropUnknownGroup  = "unknown_group"   // a multicast group that does not exist
	DropEgressParser  = "egress_parser"   // the egress parser rejected a copy
	DropEgress        = "egress_drop"     // drop_ctl in the egress
	DropNoPort        = "no_port"         // an egress port without an interface
	DropPortFull      = "port_queue_full" // the port cannot send as fast
	DropPortError     = "port_error"      // the interface refused the frame, or a received frame is too long
	DropNoPipeline    = "no_pipeline"     // nothing has been loaded yet
)

// DropCounter is a target that counts the packets that it loses.
type DropCounter interface {
	// Drops returns the number of lost packets (or copies) by reason.
	Drops() map[string]uint64
}
