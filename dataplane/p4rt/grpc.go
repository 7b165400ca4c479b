package p4rt

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
)

// MaxMessage is the largest gRPC message that the server takes, in bytes:
// device configs and batches are large.
const MaxMessage = 128 << 20

// TLS names the files of a server's or client's credentials, all PEM. The zero
// value means plain text.
type TLS struct {
	Cert, Key string
	// ClientCA, when not "", makes the server ask every client for a
	// certificate signed by it (mutual TLS).
	ClientCA string
}

// GRPC makes a gRPC server with the P4Runtime service, health and reflection.
// The caller serves and stops it.
func (s *Server) GRPC(t TLS, opts ...grpc.ServerOption) (*grpc.Server, error) {
	opts = append([]grpc.ServerOption{grpc.MaxRecvMsgSize(MaxMessage), grpc.MaxSendMsgSize(MaxMessage)}, opts...)
	if t != (TLS{}) {
		conf, err := t.config()
		if err != nil {
			return nil, err
		}
		opts = append(opts, grpc.Creds(credentials.NewTLS(conf)))
	}
	g := grpc.NewServer(opts...)
	p4.RegisterP4RuntimeServer(g, s)
	h := health.NewServer()
	h.SetServingStatus(p4.P4Runtime_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(g, h)
	reflection.Register(g)
	return g, nil
}

func (t TLS) config() (*tls.Config, error) {
	if t.Cert == "" || t.Key == "" {
		return nil, fmt.Errorf("tls: certificate and key are both needed")
	}
	cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("tls: certificate %s, key %s: %w", t.Cert, t.Key, err)
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}}
	if t.ClientCA != "" {
		pem, err := os.ReadFile(t.ClientCA)
		if err != nil {
			return nil, fmt.Errorf("tls: client CA: %w", err)
		}
		conf.ClientCAs = x509.NewCertPool()
		if !conf.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls: client CA %s: no PEM certificate in it", t.ClientCA)
		}
		conf.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return conf, nil
}
