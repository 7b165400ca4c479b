package agent

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/link/certs"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reflector is a program that sends every frame back to port 1.
func reflector(*bundle.Bundle) (*ir.Program, *p4config.P4Info, error) {
	accept := &ir.Parser{States: []*ir.State{{Name: "start", Next: ir.Target{}}}}
	port := &ir.Var{Name: ir.IntrUcastPort, Type: ir.BitType(9), Kind: ir.Intrinsic}
	one := &ir.Const{T: ir.BitType(9), Value: big.NewInt(1)}
	return &ir.Program{
		Name: "reflector", Pipe: "pipe", Source: "reflector",
		Ingress: &ir.Gress{Name: "ingress", Parser: accept, Vars: []*ir.Var{port}, Control: []ir.Stmt{&ir.Assign{Dst: port, Src: one}}},
		Egress:  &ir.Gress{Name: "egress", Parser: accept},
	}, &p4config.P4Info{}, nil
}

func TestRun(t *testing.T) {
	host, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer host.Close()
	require.NoError(t, host.SetDeadline(time.Now().Add(10*time.Second)))
	sw := freeUDP(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready, done := make(chan Addresses, 1), make(chan error, 1)
	go func() {
		done <- Run(ctx, Config{
			Target: "interp", Insecure: true, Listen: "127.0.0.1:0", Metrics: "127.0.0.1:0", Compile: reflector,
			Ports: []Port{{1, "udp:" + sw}}, Ready: func(a Addresses) { ready <- a },
		})
	}()
	addrs := <-ready

	st := push(t, addrs.P4Runtime.String(), bundle.Bundle{Program: "reflector", Source: "reflector"}, &p4config.P4Info{})

	// A frame there and back.
	to, err := net.ResolveUDPAddr("udp", sw)
	require.NoError(t, err)
	_, err = host.WriteTo([]byte("a frame"), to)
	require.NoError(t, err)
	buf := make([]byte, 100)
	n, _, err := host.ReadFrom(buf)
	require.NoError(t, err)
	require.Equal(t, "a frame", string(buf[:n]))

	metrics := get(t, "http://"+addrs.Metrics.String()+"/metrics")
	require.Contains(t, metrics, fmt.Sprintf(`p4ce_switch_port_packets_total{direction="rx",interface="udp:%s",port="1"} 1`, sw))
	require.Contains(t, metrics, `p4ce_switch_program_info{program="reflector",target="interp"} 1`)
	require.Contains(t, metrics, `p4ce_switch_p4runtime_primaries 1`)
	require.Equal(t, "ok\n", get(t, "http://"+addrs.Metrics.String()+"/healthz"))

	// A second switch cannot have the same address.
	err = Run(ctx, Config{Target: "interp", Insecure: true, Listen: addrs.P4Runtime.String(), Compile: reflector})
	require.ErrorContains(t, err, "switch: p4runtime: address "+addrs.P4Runtime.String()+" is in use [is another switch running? choose another with --listen]")

	// The stream is told, and Run returns, though the client does not go away.
	cancel()
	require.NoError(t, <-done)
	_, err = st.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
	c, err := net.ListenPacket("udp", sw) // the port's socket is free again
	require.NoError(t, err)
	c.Close()
}

// push makes a program run, and returns the stream of the primary that did so.
func push(t *testing.T, address string, b bundle.Bundle, info *p4config.P4Info) p4.P4Runtime_StreamChannelClient {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	client := p4.NewP4RuntimeClient(conn)
	st, err := client.StreamChannel(context.Background())
	require.NoError(t, err)
	id := &p4.Uint128{Low: 1}
	require.NoError(t, st.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Arbitration{
		Arbitration: &p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: id},
	}}))
	_, err = st.Recv()
	require.NoError(t, err)
	dev, err := b.Marshal()
	require.NoError(t, err)
	_, err = client.SetForwardingPipelineConfig(context.Background(), &p4.SetForwardingPipelineConfigRequest{
		DeviceId: 1, ElectionId: id, Action: p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT,
		Config: &p4.ForwardingPipelineConfig{P4Info: info, P4DeviceConfig: dev},
	})
	require.NoError(t, err)
	return st
}

func get(t *testing.T, url string) string {
	c := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := c.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(b)
}

func freeUDP(t *testing.T) string {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer c.Close()
	return c.LocalAddr().String()
}

func TestBadConfig(t *testing.T) {
	for _, tt := range []struct {
		c    Config
		want string
	}{
		{Config{Target: "tofino"}, "switch: target tofino: does not exist: choose xdp or interp"},
		{Config{Target: "interp", Ports: []Port{{1, "no-such-if0"}}}, `switch: port 1: interface "no-such-if0" does not exist`},
		{Config{Target: "interp", Ports: []Port{{1, "a"}, {1, "b"}}}, "port 1: given twice, for a and b"},
		{Config{Target: "interp", Ports: []Port{{1, "a"}, {2, "a"}}}, `interface "a": given twice, for ports 1 and 2`},
		{Config{Target: "interp", Ports: []Port{{64, "a"}}}, "port 64: is the CPU port"},
		{Config{Target: "interp", Ports: []Port{{511, "a"}}}, "port 511: this number means no port on the chip (ports go from 0 to 510)"},
		{Config{Target: "interp", CPUPort: 511}, "switch: target interp: CPU port 511: this number means no port on the chip"},
		{Config{Target: "xdp", CPUPort: 512}, "switch: target xdp: CPU port 512: ports go from 0 to 510"},
		{Config{Target: "interp", Insecure: true, Listen: "192.0.2.1:9559"}, "is not one of this machine's"},
		{Config{Target: "interp", Listen: "127.0.0.1:0"}, "p4runtime: anyone who reaches 127.0.0.1:0 could control the switch [give a certificate, its key and the CA of the clients"},
		{Config{Target: "interp", Listen: "127.0.0.1:0", TLS: certs.Files{Cert: "x", Key: "x"}}, "anyone who reaches 127.0.0.1:0 could control the switch"},
		{Config{Target: "interp", Listen: "unix:s", TLS: certs.Files{Cert: "x", Key: "x"}}, "tls: stat x: no such file"},
		{Config{Target: "interp", Listen: "unix:s", Rights: "x"}, "rights: --tls-ca is needed"},
		{Config{Target: "interp", Insecure: true, Listen: "nonsense"}, `p4runtime: address "nonsense"`},
		{Config{Target: "xdp", Trust: []string{"sha256:12"}}, `trust: "sha256:12": want sha256: and 64 hexadecimal digits`},
		{Config{Target: "xdp", Trust: []string{"no-such-file"}}, "trust: open no-such-file"},
		{Config{Target: "interp", Metrics: "192.0.2.1:1"}, "choose another with --metrics"},
	} {
		tt.c.Compile = reflector
		if tt.c.Listen == "" {
			tt.c.Listen, tt.c.Insecure = "127.0.0.1:0", true
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		require.ErrorContains(t, Run(ctx, tt.c), tt.want)
		cancel()
	}
}

// TestUnixSocket: the socket of a killed switch is replaced, one in use is not.
func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	_, err = listen("p4runtime", "unix:"+path, "--listen")
	require.ErrorContains(t, err, "is in use [is another switch running?")
	require.NoError(t, l.Close())
	again, err := listen("p4runtime", "unix:"+path, "--listen")
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestParsePort(t *testing.T) {
	p, err := ParsePort("12=veth-a")
	require.NoError(t, err)
	require.Equal(t, Port{12, "veth-a"}, p)
	p, err = ParsePort("0=udp:127.0.0.1:1,127.0.0.1:2")
	require.NoError(t, err)
	require.Equal(t, Port{0, "udp:127.0.0.1:1,127.0.0.1:2"}, p)
	for _, bad := range []string{"", "1", "1=", "=veth", "512=veth", "-1=veth", "x=y"} {
		_, err := ParsePort(bad)
		require.ErrorContains(t, err, "want NUMBER=INTERFACE", bad)
	}
}

func TestCompile(t *testing.T) {
	text, diags := lang.Preprocess(lang.Options{Path: "rdma/rdma.p4", FS: p4src.FS})
	require.False(t, diags.HasErrors())
	prog, info, err := Compile(&bundle.Bundle{Program: "rdma", Source: text})
	require.NoError(t, err)
	require.Equal(t, "rdma", prog.Name)
	require.Len(t, info.GetTables(), len(prog.Tables))
	_, _, err = Compile(&bundle.Bundle{Program: "x", Source: "control C() { apply { undeclared(); } }"})
	require.ErrorContains(t, err, "x.p4:1:")
}
