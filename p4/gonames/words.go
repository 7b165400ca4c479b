package gonames

import (
	"go/token"
	"strings"
	"unicode"
)

// abbreviations are written in capitals, as Go does.
var abbreviations = map[string]string{
	"ack": "ACK", "aeth": "AETH", "arp": "ARP", "bth": "BTH", "cm": "CM", "cnp": "CNP", "cpu": "CPU", "crc": "CRC", "icmp": "ICMP",
	"icrc": "ICRC", "id": "ID", "ip": "IP", "ipv4": "IPv4", "ipv6": "IPv6", "mac": "MAC", "nak": "NAK", "psn": "PSN", "qp": "QP", "qpn": "QPN",
	"rc": "RC", "reth": "RETH", "rid": "RID", "rkey": "RKey", "tcp": "TCP", "ttl": "TTL", "ud": "UD", "udp": "UDP", "va": "VA", "vlan": "VLAN",
}

// words takes a P4 name apart: at what is neither letter nor digit, and where a small
// letter or digit is followed by a capital.
func words(s string) (out []string) {
	var w strings.Builder
	end := func() {
		if w.Len() > 0 {
			out = append(out, strings.ToLower(w.String()))
			w.Reset()
		}
	}
	var last rune
	for _, r := range s {
		switch {
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			end()
			w.WriteRune(r)
		default:
			w.WriteRune(r)
		}
		last = r
	}
	end()
	return out
}

// camel is a name for Go's exported names.
func camel(s string) string {
	var b strings.Builder
	for _, w := range words(s) {
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
	s := strings.Join(words(folder), "")
	if s == "" || !unicode.IsLetter(rune(s[0])) || token.IsKeyword(s) {
		s = "p4" + s
	}
	return s
}
