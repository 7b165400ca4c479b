// Package certstest makes certificates for tests.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/certs"
)

// Authority issues certificates, as files in a folder.
type Authority struct {
	t         testing.TB
	dir, name string
	cert      *x509.Certificate
	key       *ecdsa.PrivateKey
}

// New makes an authority with a name.
func New(t testing.TB, dir, name string) *Authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	require.NoError(t, err)
	c, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a := &Authority{t, dir, name, c, key}
	a.write(name+".pem", "CERTIFICATE", der)
	return a
}

func (a *Authority) write(name, kind string, der []byte) string {
	path := filepath.Join(a.dir, name)
	require.NoError(a.t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return path
}

// File is the authority's own certificate.
func (a *Authority) File() string { return filepath.Join(a.dir, a.name+".pem") }

// Issue writes a certificate and its key, for somebody who is called by a name, or is at 127.0.0.1.
// Those it wrote for that name before are replaced.
func (a *Authority) Issue(called string) certs.Files {
	return a.IssueUntil(called, time.Now().Add(time.Hour))
}

// IssueUntil is Issue for a time.
func (a *Authority) IssueUntil(called string, until time.Time) certs.Files {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: called}, NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		DNSNames: []string{called}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &k.PublicKey, a.key)
	require.NoError(a.t, err)
	secret, err := x509.MarshalECPrivateKey(k)
	require.NoError(a.t, err)
	file := a.name + "-" + called
	return certs.Files{Cert: a.write(file+".crt", "CERTIFICATE", der), Key: a.write(file+".key", "EC PRIVATE KEY", secret), CA: a.File()}
}
