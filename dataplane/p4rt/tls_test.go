package p4rt

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// certificate makes a self-signed one for localhost and writes it to dir.
func certificate(t *testing.T, dir string) (certFile, keyFile string, cert tls.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(certFile, certPEM, 0o600))
	require.NoError(t, os.WriteFile(keyFile, keyPEM, 0o600))
	cert, err = tls.X509KeyPair(certPEM, keyPEM)
	require.NoError(t, err)
	return certFile, keyFile, cert
}

func TestMutualTLS(t *testing.T) {
	h := newHarness(t, Options{})
	certFile, keyFile, cert := certificate(t, t.TempDir())
	g, err := h.server.GRPC(TLS{Cert: certFile, Key: keyFile, ClientCA: certFile})
	require.NoError(t, err)
	defer g.Stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go g.Serve(l) //nolint:errcheck // ends with Stop
	pool := x509.NewCertPool()
	pool.AddCert(must(x509.ParseCertificate(cert.Certificate[0])))
	call := func(conf *tls.Config) error {
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(conf)))
		require.NoError(t, err)
		defer conn.Close()
		_, err = p4.NewP4RuntimeClient(conn).Capabilities(ctxFor(t), &p4.CapabilitiesRequest{})
		return err
	}
	require.NoError(t, call(&tls.Config{RootCAs: pool, ServerName: "localhost", Certificates: []tls.Certificate{cert}}))
	require.Equal(t, codes.Unavailable, status.Code(call(&tls.Config{RootCAs: pool, ServerName: "localhost"})), "no client certificate")

	for _, bad := range []TLS{{Cert: certFile}, {Cert: keyFile, Key: keyFile}, {Cert: certFile, Key: keyFile, ClientCA: keyFile}, {Cert: certFile, Key: keyFile, ClientCA: "/none"}} {
		_, err := h.server.GRPC(bad)
		require.ErrorContains(t, err, "tls: ")
	}
}

func must(c *x509.Certificate, err error) *x509.Certificate {
	if err != nil {
		panic(err)
	}
	return c
}
