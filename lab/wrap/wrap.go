// Package wrap generates encodings: one packet, in every form in which a host might take it for the same. A guard
// that refuses a packet refuses it in all of them, or it guards nothing.
//
//	plain frame --> content (IPv4 options, fragments, ARP hardware types, IPv6 extension headers, trailers)
//	            --> EtherType, SNAP
//	            --> no tag, and up to three of 802.1Q and 802.1ad, VID 0 or not
//
// Which of them a Linux host takes is not decided here: test/wrapped asks one.
package wrap

import (
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	ethernetLen = 14
	ipv4Len     = 20
	ipv6Len     = 40

	typeIPv4 = 0x0800
	typeARP  = 0x0806
	typeIPv6 = 0x86dd
)

// Wrapped is a packet in one form.
type Wrapped struct {
	Name   string
	Frames [][]byte // several: fragments
	// VLAN is set when a tag says a VLAN: who has none of it does not take the packet.
	VLAN bool
}

// content is what an EtherType says, in one form.
type content struct {
	name string
	list [][]byte
}

type tag struct {
	name string
	b    []byte
	vlan bool
}

var tags = []tag{
	{"8100/0", []byte{0x81, 0, 0, 0}, false},
	{"8100/0p7", []byte{0x81, 0, 0xe0, 0}, false},
	{"88a8/0", []byte{0x88, 0xa8, 0, 0}, false},
	{"88a8/0p3d", []byte{0x88, 0xa8, 0x70, 0}, false},
	{"8100/7", []byte{0x81, 0, 0, 7}, true},
	{"88a8/7", []byte{0x88, 0xa8, 0, 7}, true},
}

// maxTags is how many tags there are at most.
const maxTags = 3

// stacks are all sequences of up to maxTags tags.
func stacks() [][]tag {
	all, last := [][]tag{nil}, [][]tag{nil}
	for range maxTags {
		var next [][]tag
		for _, s := range last {
			for _, t := range tags {
				next = append(next, append(slices.Clone(s), t))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// All is a plain frame (Ethernet II, without tags) in every form; the first is the frame itself.
func All(plain []byte) (out []Wrapped) {
	kind, body := binary.BigEndian.Uint16(plain[12:]), plain[ethernetLen:]
	for _, s := range stacks() {
		for _, c := range contents(kind, body) {
			for _, e := range []struct {
				name string
				oui  []byte
			}{{"EtherType", nil}, {"SNAP", []byte{0, 0, 0}}, {"SNAP f8", []byte{0, 0, 0xf8}}} {
				w := Wrapped{Name: e.name + " " + c.name}
				for _, t := range slices.Backward(s) {
					w.Name, w.VLAN = t.name+" "+w.Name, w.VLAN || t.vlan
				}
				for _, b := range c.list {
					f := slices.Clone(plain[:12])
					for _, t := range s {
						f = append(f, t.b...)
					}
					if e.oui != nil {
						f = binary.BigEndian.AppendUint16(f, uint16(8+len(b)))
						f = append(append(f, 0xaa, 0xaa, 3), e.oui...)
					}
					w.Frames = append(w.Frames, append(binary.BigEndian.AppendUint16(f, kind), b...))
				}
				out = append(out, w)
			}
		}
	}
	return out
}

func contents(kind uint16, body []byte) []content {
	switch kind {
	case typeIPv4:
		return ofIPv4(body)
	case typeARP:
		return ofARP(body)
	case typeIPv6:
		return ofIPv6(body)
	}
	return []content{{"plain", [][]byte{body}}}
}

// ofIPv4 takes packets without options.
func ofIPv4(b []byte) []content {
	payload := b[ipv4Len:]
	packet := func(options []byte, fragment uint16, payload []byte) []byte {
		p := append(append(slices.Clone(b[:ipv4Len]), options...), payload...)
		n := ipv4Len + len(options)
		p[0] = 0x40 | byte(n/4)
		binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
		binary.BigEndian.PutUint16(p[6:], fragment)
		p[10], p[11] = 0, 0
		binary.BigEndian.PutUint16(p[10:], ^Sum(0, p[:n]))
		return p
	}
	out := []content{{"plain", [][]byte{b}}}
	for _, o := range []struct {
		name    string
		options []byte
	}{
		{"one option", []byte{1, 1, 1, 0}},
		{"40 bytes of options", append(slices.Repeat([]byte{1}, 39), 0)},
		{"router alert", []byte{0x94, 4, 0, 0}},
		{"record route", []byte{7, 7, 4, 0, 0, 0, 0, 0}},
	} {
		out = append(out, content{o.name, [][]byte{packet(o.options, 0x4000, payload)}})
	}
	trailer := append(slices.Clone(b), make([]byte, 22)...)
	out = append(out, content{"trailer", [][]byte{trailer}})
	if len(payload) > 8 {
		out = append(out, content{"fragments", [][]byte{packet(nil, 0x2000, payload[:8]), packet(nil, 1, payload[8:])}},
			content{"fragments with options", [][]byte{packet([]byte{1, 1, 1, 0}, 0x2000, payload[:8]), packet([]byte{1, 1, 1, 0}, 1, payload[8:])}})
	}
	return out
}

func ofARP(b []byte) (out []content) {
	for _, hardware := range []byte{1, 6} { // Ethernet, IEEE 802
		for _, trailer := range []int{0, 18, 40} {
			p := append(slices.Clone(b), make([]byte, trailer)...)
			p[1] = hardware
			out = append(out, content{fmt.Sprintf("hardware %d, %d bytes of trailer", hardware, trailer), [][]byte{p}})
		}
	}
	return out
}

// ofIPv6 takes packets without extension headers.
func ofIPv6(b []byte) []content {
	payload, next := b[ipv6Len:], b[6]
	packet := func(next byte, parts ...[]byte) []byte {
		p := append(slices.Clone(b[:ipv6Len]), slices.Concat(parts...)...)
		p[6] = next
		binary.BigEndian.PutUint16(p[4:], uint16(len(p)-ipv6Len))
		return p
	}
	out := []content{{"plain", [][]byte{b}}}
	for _, h := range []struct {
		name string
		kind byte
		b    []byte
	}{
		{"hop-by-hop", 0, []byte{next, 0, 1, 4, 0, 0, 0, 0}},
		{"long hop-by-hop", 0, append([]byte{next, 1, 1, 12}, make([]byte, 12)...)},
		{"destination", 60, []byte{next, 0, 1, 4, 0, 0, 0, 0}},
		{"routing", 43, []byte{next, 0, 0, 0, 0, 0, 0, 0}},
		{"atomic fragment", 44, []byte{next, 0, 0, 0, 0, 0, 0, 9}},
	} {
		out = append(out, content{h.name, [][]byte{packet(h.kind, h.b, payload)}})
	}
	if len(payload) > 8 {
		out = append(out, content{"fragments", [][]byte{
			packet(44, []byte{next, 0, 0, 1, 0, 0, 0, 9}, payload[:8]), packet(44, []byte{next, 0, 0, 8, 0, 0, 0, 9}, payload[8:]),
		}})
	}
	return append(out, content{"destination in a fragment", [][]byte{packet(44, []byte{60, 0, 0, 0, 0, 0, 0, 9}, []byte{next, 0, 1, 4, 0, 0, 0, 0}, payload)}})
}

// Sum is the one's complement sum over 16-bit words (RFC 1071), with what was added before.
func Sum(s uint32, b []byte) uint16 {
	for ; len(b) >= 2; b = b[2:] {
		s += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}
