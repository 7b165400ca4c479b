package cli

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
)

// TestProtected: a server that lets in everybody is not for other machines, unless it is said that it is.
func TestProtected(t *testing.T) {
	open := &net.TCPAddr{IP: net.IPv4zero, Port: 6379}
	for _, c := range []struct {
		o    options
		at   net.Addr
		want bool // it may serve there
	}{
		{options{}, open, false},
		{options{tls: certs.Files{Cert: "x", Key: "x"}}, open, false},
		{options{insecure: true}, open, true},
		{options{users: "x"}, open, true},
		{options{tls: certs.Files{Cert: "x", Key: "x", CA: "x"}}, open, true},
		{options{}, &net.TCPAddr{IP: net.IPv6loopback}, true},
		{options{}, &net.UnixAddr{Name: "x", Net: "unix"}, true},
	} {
		err := (&server{o: c.o}).protected(c.at)
		if c.want {
			require.NoError(t, err, "%+v at %v", c.o, c.at)
			continue
		}
		require.ErrorContains(t, err, "can be reached from other machines, and clients need not authenticate")
		require.True(t, cli.IsUsage(err))
	}
}
