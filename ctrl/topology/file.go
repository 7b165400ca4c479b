package topology

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"

	"github.com/p4ce/p4ce/roce/wire"
)

// What is here is common to the files that describe deployments: JSON, read strictly.

// Decode reads one JSON value without unknown fields. Errors of form have the line.
func Decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:syntax.Offset], []byte("\n")), err)
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the configuration")
	}
	return nil
}

// ParseLinks reads links of two ends each, "SWITCH:PORT".
func ParseLinks(list [][]string) (links []Link, err error) {
	for _, ends := range list {
		if len(ends) != 2 {
			return nil, fmt.Errorf("link %q: want two ends, for instance [\"t:1\", \"l:1\"]", ends)
		}
		var l Link
		for i, to := range []*Place{&l.A, &l.B} {
			if *to, err = ParsePlace(ends[i]); err != nil {
				return nil, fmt.Errorf("link %q: %w", ends, err)
			}
		}
		links = append(links, l)
	}
	return links, nil
}

// ParseMAC reads a unicast Ethernet address; what is for the error.
func ParseMAC(s, what string) (m wire.MAC, err error) {
	b, err := net.ParseMAC(s)
	if err != nil || len(b) != len(m) {
		return m, fmt.Errorf("%s: mac %q is not an Ethernet address", what, s)
	}
	copy(m[:], b)
	if m[0]&1 != 0 || m == (wire.MAC{}) {
		return m, fmt.Errorf("%s: mac %s is not a unicast address", what, s)
	}
	return m, nil
}

// ParseIP reads the IPv4 address of somebody.
func ParseIP(s, what string) (a wire.Addr, err error) {
	ip, err := netip.ParseAddr(s)
	a, ok := wire.AddrFrom(ip)
	if err != nil || !ok || ip.IsUnspecified() || ip.IsMulticast() {
		return a, fmt.Errorf("%s: address %q is not a unicast IPv4 address", what, s)
	}
	return a, nil
}
