package admin

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWantsTLS: who asks a controller in the clear that wants TLS is told so.
func TestWantsTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	addr := s.Listener.Addr().String()
	_, err := NewClient(addr).Status(t.Context())
	require.EqualError(t, err, "controller "+addr+": it wants TLS [--tls-cert, --tls-key, --tls-ca]")
}
