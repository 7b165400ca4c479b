package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/p4ce/p4ce/link/files"
)

// Files are what proves who a program is, and who it believes, all PEM.
type Files struct {
	Cert, Key string // its own, with what the certificate is signed with
	CA        string // the authorities whose certificates the other side may have
}

// Given reports whether there are any.
func (f Files) Given() bool { return f != Files{} }

// every is how often files are looked at.
const every = time.Second

// live is what was in the files. They are looked at again for new connections, at most once a
// second, and read when they have changed. What cannot be read then is logged, and what there was goes on.
type live struct {
	Files
	log  *slog.Logger
	mu   sync.Mutex
	seen time.Time
	is   [3]version
	pair *tls.Certificate
	pool *x509.CertPool
}

// version tells versions of a file apart.
type version struct {
	when time.Time
	size int64
}

func versionOf(name string) (version, error) {
	st, err := os.Stat(name)
	if err != nil {
		return version{}, err
	}
	return version{st.ModTime(), st.Size()}, nil
}

// Server returns the settings of a server. Its clients must have certificates if there is a CA.
func (f Files) Server(log *slog.Logger, protos ...string) (*tls.Config, error) {
	if f.Cert == "" || f.Key == "" {
		return nil, errors.New("tls: a server needs a certificate and a key")
	}
	l, err := f.open(log)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: protos,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			pair, pool := l.now()
			c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*pair}, NextProtos: protos}
			if pool != nil {
				c.ClientCAs, c.ClientAuth = pool, tls.RequireAndVerifyClientCert
			}
			return c, nil
		},
	}, nil
}

// Client returns the settings of a client. The server must have a certificate of the CA, for the name
// by which it is called, or for name if that is not "".
func (f Files) Client(log *slog.Logger, name string) (*tls.Config, error) {
	switch {
	case f.CA == "":
		return nil, errors.New("tls: a client needs a CA, to verify the server")
	case (f.Cert == "") != (f.Key == ""):
		return nil, errors.New("tls: certificate and key belong together")
	}
	l, err := f.open(log)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		ServerName: name,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if pair, _ := l.now(); pair != nil {
				return pair, nil
			}
			return &tls.Certificate{}, nil // the server says what it thinks of that
		},
		// Verified below, by the authorities that hold now.
		InsecureSkipVerify: true, //nolint:gosec
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return errors.New("tls: the server has no certificate")
			}
			_, pool := l.now()
			between := x509.NewCertPool()
			for _, c := range s.PeerCertificates[1:] {
				between.AddCert(c)
			}
			_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: s.ServerName, Roots: pool, Intermediates: between})
			return err
		},
	}, nil
}

func (f Files) open(log *slog.Logger) (*live, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &live{Files: f, log: log, seen: time.Now()}
	return l, l.read()
}

// read reads what has changed.
func (l *live) read() error {
	var is [3]version
	for i, name := range []string{l.Cert, l.Key, l.CA} {
		if name == "" {
			continue
		}
		var err error
		if is[i], err = versionOf(name); err != nil {
			return fmt.Errorf("tls: %w", err)
		}
	}
	if is == l.is {
		return nil
	}
	var pair *tls.Certificate
	if l.Cert != "" {
		p, err := readPair(l.Cert, l.Key)
		if err != nil {
			return fmt.Errorf("tls: certificate %s, key %s: %w", l.Cert, l.Key, err)
		}
		pair = &p
	}
	var pool *x509.CertPool
	if l.CA != "" {
		text, err := files.Read(l.CA, files.Settings)
		if err != nil {
			return fmt.Errorf("tls: CA: %w", err)
		}
		if pool = x509.NewCertPool(); !pool.AppendCertsFromPEM(text) {
			return fmt.Errorf("tls: CA %s: contains no certificate", l.CA)
		}
	}
	l.is, l.pair, l.pool = is, pair, pool
	return nil
}

// readPair reads a certificate and its key.
func readPair(cert, key string) (tls.Certificate, error) {
	c, err := files.Read(cert, files.Settings)
	if err != nil {
		return tls.Certificate{}, err
	}
	k, err := files.Read(key, files.Settings)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(c, k)
}

// now returns what holds now.
func (l *live) now() (*tls.Certificate, *x509.CertPool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := time.Now(); t.Sub(l.seen) >= every {
		l.seen = t
		old := l.is
		switch err := l.read(); {
		case err != nil:
			l.log.Error("certificates could not be reloaded; the previous ones stay in use", "error", err)
		case old != l.is:
			l.log.Info("certificates were reloaded")
		}
	}
	return l.pair, l.pool
}
