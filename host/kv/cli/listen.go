package cli

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/sock"
)

// ListenUsage describes the flag --listen.
const ListenUsage = "where to serve clients: [HOST]:PORT, unix:PATH, or fd:N, an inherited socket"

// ListenClients opens the listener that --listen names.
func ListenClients(s string) (net.Listener, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "fd":
		n, err := strconv.ParseUint(rest, 10, 16)
		if err != nil {
			return nil, cli.Usagef("--listen %s: not the number of an inherited socket", s)
		}
		f := os.NewFile(uintptr(n), s)
		defer f.Close()
		l, err := net.FileListener(f)
		if err != nil {
			return nil, fmt.Errorf("--listen %s: %w (was a listening socket inherited under that number?)", s, err)
		}
		return l, nil
	case "unix":
		l, err := sock.Listen(rest)
		if err != nil {
			return nil, fmt.Errorf("listen on %s: %w", s, err)
		}
		return l, nil
	}
	l, err := net.Listen("tcp", s)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another with --listen)", s, err)
	}
	return l, nil
}
