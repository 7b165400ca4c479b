package kv

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnreachable: a member's address that this server does not serve.
func TestUnreachable(t *testing.T) {
	loopback, all := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv6zero}
	for _, c := range []struct {
		client string
		listen net.Addr
		want   bool
	}{
		{"10.0.0.11:6379", loopback, true},
		{"store-1:6379", loopback, true},
		{"10.0.0.11:6379", all, false},
		{"10.0.0.11:6379", &net.UnixAddr{}, false},
		{"127.0.0.1:7001", loopback, false},
		{"[::1]:7001", loopback, false},
		{"localhost:7001", loopback, false},
		{"", loopback, false},
	} {
		require.Equal(t, c.want, unreachable(c.client, c.listen), "%s at %v", c.client, c.listen)
	}
}
