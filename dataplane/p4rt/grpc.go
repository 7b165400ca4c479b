package p4rt

import (
	"context"
	"crypto/tls"
	"fmt"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/link/certs"
)

// MaxMessage is the largest gRPC message that the server takes, in bytes. The largest useful
// messages are the device config of a program (up to 2 MiB here), and all entries of a large table
// in one batch (6 MiB for 36,864 entries).
const MaxMessage = 16 << 20

// maxStreams is how many calls a connection has under way.
const maxStreams = 64

// Access says which clients may connect, and what they may do. The zero value lets every client
// that reaches the listener do everything.
type Access struct {
	// TLS is how clients connect; nil: in plain text.
	TLS *tls.Config
	// Rights are what clients may do, by the names in their certificates, which TLS has to ask for;
	// nil: everything. A write is named after its table (also for direct counters and meters),
	// counter, register or digest, or is "pre" (multicast groups and clone sessions), "packet-out", or
	// "program" (the pipeline config). Only a client that may write something gets a stream. Otherwise
	// a client that only reads could become primary.
	Rights *certs.Rights
}

// GRPC makes a gRPC server with the P4Runtime service, health and reflection.
// The caller serves and stops it.
func (s *Server) GRPC(a Access, opts ...grpc.ServerOption) *grpc.Server {
	opts = append([]grpc.ServerOption{grpc.MaxRecvMsgSize(MaxMessage), grpc.MaxSendMsgSize(MaxMessage), grpc.MaxConcurrentStreams(maxStreams)}, opts...)
	if a.TLS != nil {
		opts = append(opts, grpc.Creds(credentials.NewTLS(a.TLS)))
	}
	if a.Rights != nil {
		g := guard{s, a.Rights}
		opts = append(opts, grpc.ChainUnaryInterceptor(g.unary), grpc.ChainStreamInterceptor(g.stream))
	}
	g := grpc.NewServer(opts...)
	p4.RegisterP4RuntimeServer(g, s)
	h := health.NewServer()
	h.SetServingStatus(p4.P4Runtime_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(g, h)
	reflection.Register(g)
	return g
}

// guard refuses what clients may not do.
type guard struct {
	s      *Server
	rights *certs.Rights
}

// caller is the name in the client's certificate.
func caller(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		if t, ok := p.AuthInfo.(credentials.TLSInfo); ok {
			return certs.NameOf(&t.State)
		}
	}
	return ""
}

func denied(name, what string) error {
	return status.Errorf(codes.PermissionDenied, "client %q may not %s", name, what)
}

func (g guard) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	name := caller(ctx)
	if !g.rights.MayRead(name) {
		return nil, denied(name, "read")
	}
	switch r := req.(type) {
	case *p4.WriteRequest:
		for _, u := range r.GetUpdates() {
			if what := g.what(u.GetEntity()); !g.rights.May(name, what) {
				return nil, denied(name, "write "+what)
			}
		}
		if !g.rights.MayWrite(name) {
			return nil, denied(name, "write")
		}
	case *p4.SetForwardingPipelineConfigRequest:
		if !g.rights.May(name, "program") {
			return nil, denied(name, "write program")
		}
	}
	return next(ctx, req)
}

func (g guard) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	name := caller(ss.Context())
	if info.FullMethod != p4.P4Runtime_StreamChannel_FullMethodName {
		if !g.rights.MayRead(name) {
			return denied(name, "read")
		}
		return next(srv, ss)
	}
	if !g.rights.MayWrite(name) {
		return denied(name, "write")
	}
	return next(srv, &guarded{ss, g, name})
}

// guarded is a StreamChannel.
type guarded struct {
	grpc.ServerStream
	g    guard
	name string
}

func (s *guarded) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	if r, ok := m.(*p4.StreamMessageRequest); ok && r.GetPacket() != nil && !s.g.rights.May(s.name, "packet-out") {
		return denied(s.name, "write packet-out")
	}
	return nil
}

// what names an entity, as rights do.
func (g guard) what(e *p4.Entity) string {
	sch := g.s.live.Load()
	table := func(id uint32) string {
		if sch != nil && sch.tables[id] != nil {
			return sch.tables[id].name
		}
		return fmt.Sprintf("table %#x", id)
	}
	switch e := e.GetEntity().(type) {
	case *p4.Entity_TableEntry:
		return table(e.TableEntry.GetTableId())
	case *p4.Entity_DirectCounterEntry:
		return table(e.DirectCounterEntry.GetTableEntry().GetTableId())
	case *p4.Entity_DirectMeterEntry:
		return table(e.DirectMeterEntry.GetTableEntry().GetTableId())
	case *p4.Entity_CounterEntry:
		if sch != nil && sch.counters[e.CounterEntry.GetCounterId()] != nil {
			return sch.counters[e.CounterEntry.GetCounterId()].Name
		}
	case *p4.Entity_MeterEntry:
		if sch != nil && sch.meters[e.MeterEntry.GetMeterId()] != nil {
			return sch.meters[e.MeterEntry.GetMeterId()].Name
		}
	case *p4.Entity_RegisterEntry:
		if sch != nil && sch.registers[e.RegisterEntry.GetRegisterId()] != nil {
			return sch.registers[e.RegisterEntry.GetRegisterId()].Name
		}
	case *p4.Entity_DigestEntry:
		if sch != nil && sch.digests[e.DigestEntry.GetDigestId()] != nil {
			return sch.digests[e.DigestEntry.GetDigestId()].Name
		}
	case *p4.Entity_ValueSetEntry:
		if sch != nil && sch.sets[e.ValueSetEntry.GetValueSetId()] != nil {
			return sch.sets[e.ValueSetEntry.GetValueSetId()].name
		}
	case *p4.Entity_PacketReplicationEngineEntry:
		return "pre"
	}
	return "an unknown entity"
}
