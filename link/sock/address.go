package sock

import (
	"net"
	"strings"
)

// Split says how the net package names an address that is HOST:PORT or unix:PATH.
func Split(addr string) (network, address string) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return "unix", path
	}
	return "tcp", addr
}

// Open listens on HOST:PORT, or on unix:PATH as Listen does.
func Open(addr string) (net.Listener, error) {
	network, address := Split(addr)
	if network == "unix" {
		return Listen(address)
	}
	return net.Listen(network, address)
}
