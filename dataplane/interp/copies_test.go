package interp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/p4/lang"
)

const copies = `
#include "frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { }
INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    apply {
        if (hdr.eth.type[0:0] == 1) { ig_tm_md.ucast_egress_port = 5; }
        ig_tm_md.mcast_grp_a = hdr.eth.dst[15:0];
        ig_tm_md.mcast_grp_b = hdr.eth.dst[31:16];
        ig_tm_md.copy_to_cpu = hdr.eth.type[1:1];
        ig_dprsr_md.drop_ctl = hdr.eth.src[2:0];
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); pkt.extract(hdr.eth); transition accept; } }
EGRESS(EgCtl) { apply { hdr.eth.src = 23w0 ++ eg_intr_md.egress_port ++ eg_intr_md.egress_rid; } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
`

// TestTwoGroupsAndCPU: a packet goes to its port, to both groups and to the CPU port, in this order; drop_ctl keeps the copy for the
// CPU port and the others apart.
func TestTwoGroupsAndCPU(t *testing.T) {
	prog, l := lang.Compile(lang.Options{Path: "copies.p4", Source: []byte(copies), IncludeDirs: []string{"../stf/testbed/testdata/include"}})
	require.False(t, l.HasErrors(), l.String())
	const cpu = 64
	sw, err := testbed.New("interp", cpu)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sw.Close()) })
	require.NoError(t, sw.Load(&dataplane.Pipeline{Program: prog}))
	require.NoError(t, sw.SetGroup(1, []dataplane.Replica{{Port: 11, Instance: 100}, {Port: 12, Instance: 101}}))
	require.NoError(t, sw.SetGroup(2, []dataplane.Replica{{Port: 12, Instance: 200}}))
	for _, c := range []struct {
		a, b, typ, drop byte
		want            []dataplane.Replica
	}{
		{1, 2, 3, 0, []dataplane.Replica{{Port: 5}, {Port: 11, Instance: 100}, {Port: 12, Instance: 101}, {Port: 12, Instance: 200}, {Port: cpu}}},
		{0, 2, 0, 0, []dataplane.Replica{{Port: 12, Instance: 200}}},
		{9, 2, 0, 0, []dataplane.Replica{{Port: 12, Instance: 200}}}, // no group 9
		{0, 0, 2, 0, []dataplane.Replica{{Port: cpu}}},
		{1, 2, 3, 1, []dataplane.Replica{{Port: cpu}}},
		{0, 2, 3, 2, []dataplane.Replica{{Port: 5}, {Port: 12, Instance: 200}}},
		{1, 2, 3, 3, nil},
		{0, 0, 0, 0, nil},
	} {
		out, err := sw.Inject(1, []byte{0, 0, 0, c.b, 0, c.a, 0, 0, 0, 0, 0, c.drop, 0, c.typ})
		require.NoError(t, err)
		var got []dataplane.Replica
		for _, o := range out {
			require.Equal(t, byte(o.Port), o.Frame[9])
			got = append(got, dataplane.Replica{Port: o.Port, Instance: uint16(o.Frame[10])<<8 | uint16(o.Frame[11])})
		}
		require.Equal(t, c.want, got, "%+v", c)
	}
}
