package datagram

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/link"
)

// portQueue is how many of a switch's frames may wait for the peer.
const portQueue = 2048

// Port is a link.Port over a datagram socket. Frames of any sender are taken.
type Port struct{ *socket }

// IsPort reports whether spec has the form of a port's, and not that of an interface's
// name.
func IsPort(spec string) bool {
	return strings.HasPrefix(spec, "unix:") || strings.HasPrefix(spec, "udp:")
}

// OpenPort opens the port that spec names: see the package comment.
func OpenPort(spec string) (*Port, error) {
	a, err := parse(spec, true)
	if err == nil {
		p := &Port{}
		// What is sent is mostly short: its room grows as it must.
		if p.socket, err = open(a, link.MaxFrame, portQueue, 0); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("port %q: %w", spec, err)
}

// Up implements link.Port: the peer is known.
func (p *Port) Up() bool { return p.known.Load() }
