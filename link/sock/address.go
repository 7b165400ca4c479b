package sock

import (
	"fmt"
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

// Check returns an error unless the address is HOST:PORT, with a host, or unix:PATH.
func Check(addr string) error {
	network, at := Split(addr)
	host, _, err := net.SplitHostPort(at)
	if network == "unix" && at == "" || network != "unix" && (err != nil || host == "") {
		return fmt.Errorf("%q is neither HOST:PORT nor unix:PATH", addr)
	}
	return nil
}

// Open listens on HOST:PORT, or on unix:PATH as Listen does.
func Open(addr string) (net.Listener, error) {
	network, address := Split(addr)
	if network == "unix" {
		return Listen(address)
	}
	return net.Listen(network, address)
}
