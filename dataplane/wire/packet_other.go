//go:build !linux

package wire

import "fmt"

func openPacket(name string) (Wire, error) {
	return nil, fmt.Errorf("interface %q: network interfaces as ports need Linux; use udp:… or unix:… ports", name)
}
