package gonames

import (
	"go/token"
	"strings"
	"unicode"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// abbreviations are written in capitals, as Go does.
var abbreviations = map[string]string{
	"ack": "ACK", "aeth": "AETH", "arp": "ARP", "bth": "BTH", "cm": "CM", "cnp": "CNP", "cpu": "CPU", "crc": "CRC", "icmp": "ICMP",
	"icrc": "ICRC", "id": "ID", "ip": "IP", "ipv4": "IPv4", "ipv6": "IPv6", "mac": "MAC", "nak": "NAK", "psn": "PSN", "qp": "QP", "qpn": "QPN",
	"rc": "RC", "reth": "RETH", "rid": "RID", "rkey": "RKey", "tcp": "TCP", "ttl": "TTL", "ud": "UD", "udp": "UDP", "va": "VA", "vlan": "VLAN",
}

// camel is a name for Go's exported names.
func camel(s string) string {
	var b strings.Builder
	for _, w := range ir.Words(s) {
		if a, ok := abbreviations[w]; ok {
			b.WriteString(a)
			continue
		}
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// exported is a name that begins with a letter, whatever the P4 name is.
func exported(s string) string {
	c := camel(s)
	if c == "" || !unicode.IsUpper(rune(c[0])) {
		return "X" + c
	}
	return c
}

// typeName is that of a typedef or enum: reason_t is Reason.
func typeName(s string) string {
	return exported(strings.TrimSuffix(strings.TrimSuffix(s, "_t"), "_e"))
}

// Package makes a package name of a folder's.
func Package(folder string) string {
	s := strings.Join(ir.Words(folder), "")
	if s == "" || !unicode.IsLetter(rune(s[0])) || token.IsKeyword(s) {
		s = "p4" + s
	}
	return s
}
