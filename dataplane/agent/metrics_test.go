package agent

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/bundle"
)

// counting is a program of somebody's own: it counts by a typedef, by an enum and by a
// number, and sends what it has counted back.
const counting = `#include <core.p4>
#include <tna.p4>
header eth_h { bit<8> why; bit<8> shape; bit<96> rest; }
struct headers_t { eth_h eth; }
struct meta_t { }
typedef bit<8> why_t;
const why_t WHY_NONE = 0;
const why_t WHY_TOO_LATE = 3;
enum bit<8> Shape { Round = 1, TwoSided = 2 }
parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.eth); transition accept; }
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<64>, why_t>(8, CounterType_t.PACKETS) whys;
    Counter<bit<64>, Shape>(4, CounterType_t.PACKETS_AND_BYTES) shapes;
    Counter<bit<64>, bit<8>>(8, CounterType_t.PACKETS) numbers;
    apply {
        whys.count(hdr.eth.why);
        shapes.count((Shape)hdr.eth.shape);
        numbers.count(hdr.eth.why);
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply { pkt.emit(hdr); }
}
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { }
}
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
`

// TestCounterNames: the cells of a program's counters are exported by the names that the
// program has for their indexes, whatever the program.
func TestCounterNames(t *testing.T) {
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
			Insecure: true, Target: "interp", Listen: "127.0.0.1:0", Metrics: "127.0.0.1:0",
			Ports: []Port{{1, "udp:" + sw}}, Ready: func(a Addresses) { ready <- a },
		})
	}()
	var addrs Addresses
	select {
	case addrs = <-ready:
	case err := <-done:
		require.NoError(t, err)
	}
	b := bundle.Bundle{Program: "counting", Source: counting}
	_, info, err := Compile(&b)
	require.NoError(t, err)
	push(t, addrs.P4Runtime.String(), b, info)

	to, err := net.ResolveUDPAddr("udp", sw)
	require.NoError(t, err)
	for _, head := range [][]byte{{3, 2}, {3, 2}, {5, 1}, {0, 3}} {
		_, err = host.WriteTo(append(head, make([]byte, 58)...), to)
		require.NoError(t, err)
		_, _, err = host.ReadFrom(make([]byte, 100))
		require.NoError(t, err)
	}
	var got []string
	for _, line := range strings.Split(get(t, "http://"+addrs.Metrics.String()+"/metrics"), "\n") {
		if strings.HasPrefix(line, "p4ce_switch_counter_") {
			got = append(got, strings.TrimPrefix(line, "p4ce_switch_counter_"))
		}
	}
	require.Equal(t, []string{
		`bytes_total{counter="pipe.Ctl.shapes",index="1",name="round"} 60`,
		`bytes_total{counter="pipe.Ctl.shapes",index="2",name="two_sided"} 120`,
		`bytes_total{counter="pipe.Ctl.shapes",index="3",name=""} 60`,
		`packets_total{counter="pipe.Ctl.numbers",index="0",name=""} 1`,
		`packets_total{counter="pipe.Ctl.numbers",index="3",name=""} 2`,
		`packets_total{counter="pipe.Ctl.numbers",index="5",name=""} 1`,
		`packets_total{counter="pipe.Ctl.shapes",index="1",name="round"} 1`,
		`packets_total{counter="pipe.Ctl.shapes",index="2",name="two_sided"} 2`,
		`packets_total{counter="pipe.Ctl.shapes",index="3",name=""} 1`,
		`packets_total{counter="pipe.Ctl.whys",index="0",name="none"} 1`,
		`packets_total{counter="pipe.Ctl.whys",index="3",name="too_late"} 2`,
		`packets_total{counter="pipe.Ctl.whys",index="5",name=""} 1`,
	}, got)
	cancel()
	require.NoError(t, <-done)
}
