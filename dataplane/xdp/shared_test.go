package xdp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4/lang"
)

// manyTables is a program of 200 tables, which the low bits of the source address choose from: each gives the frame a
// type, and the last one, which all pass, a port.
func manyTables(n int) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("#include \"frame.p4\"\nstruct headers_t { eth_h eth; }\nstruct meta_t { }")
	p("INGRESS_PARSER(Prsr) { START state body { transition accept; } }\nINGRESS(Ctl) {")
	p("action mark(bit<16> v) { hdr.eth.type = v; }\naction send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }")
	for i := range n {
		kind := []string{"exact", "lpm", "ternary"}[i%3]
		p("table t%d { key = { hdr.eth.src[47:16] : %s @name(\"k\"); } actions = { mark; } default_action = mark(%d); size = 8; }", i, kind, 0x8000+i)
	}
	p("table away { key = { hdr.eth.dst : exact @name(\"dst\"); } actions = { send; } default_action = send(511); size = 16; }")
	p("apply {")
	for i := range n {
		p("if (hdr.eth.src[15:0] == %d) { t%d.apply(); }", i, i)
	}
	p("away.apply();\n}\n}\nDEPARSER(Dprs) { apply { pkt.emit(hdr); } }")
	p("EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }\nEGRESS(EgCtl) { apply { } }")
	p("DEPARSER(EgDprs) { apply { } }\nPipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;\nSwitch(pipe) main;")
	return b.String()
}

// TestSharedMaps: a program with so many tables that they share maps forwards between real interfaces, and the next process
// finds the entries and default actions of each.
func TestSharedMaps(t *testing.T) {
	long.Test(t)
	const n = 200
	k := newKept(t)
	prog, l := lang.Compile(lang.Options{Path: "many.p4", Source: []byte(manyTables(n)), IncludeDirs: []string{"../stf/testbed/testdata/include"}})
	require.False(t, l.HasErrors(), l.String())
	source, err := gen.Generate(prog)
	require.NoError(t, err)
	object, err := build.Object(gen.CFile(prog.Name), source, bpf.Headers)
	if errors.Is(err, build.ErrNoClang) {
		needs.Tools(t, err)
	}
	require.NoError(t, err)
	k.pipeline = &dataplane.Pipeline{Program: prog, Object: object, Config: []byte("many")}

	target := k.open(2)
	mark := func(i, v int) *dataplane.Entry {
		e := dataplane.NewEntry(prog, fmt.Sprintf("t%d", i), []uint64{0x02000000}, 32, "mark", uint64(v))
		if e.Matches[0].Mask = []byte{0xff, 0xff, 0xff, 0xff}; i%3 == 2 {
			e.Priority = 1
		}
		if i%3 == 0 {
			e.Matches[0].Mask = nil
		}
		if i%3 != 1 {
			e.Matches[0].PrefixLen = 0
		}
		return e
	}
	k.do(func() error {
		if err := target.Load(k.pipeline); err != nil {
			return err
		}
		mac := append([]byte{0, 0}, k.Hosts[1].MAC...)
		if err := target.Insert(dataplane.NewEntry(prog, "away", []uint64{binary.BigEndian.Uint64(mac)}, 0, "send", uint64(k.Hosts[1].Port))); err != nil {
			return err
		}
		for i := range n {
			switch i % 4 {
			case 0:
				if err := target.Insert(mark(i, 0x9000+i)); err != nil {
					return err
				}
			case 1:
				if err := target.SetDefault(mark(i, 0).Table, &mark(i, 0xa000+i).Action); err != nil {
					return err
				}
			}
		}
		return nil
	})
	want := func(i int) uint16 {
		return uint16([]int{0x9000, 0xa000, 0x8000, 0x8000}[i%4] + i)
	}
	from, to := newSniffer(t, k.Lab, k.Hosts[0]), newSniffer(t, k.Lab, k.Hosts[1])
	forwards := func() {
		t.Helper()
		for i := range n {
			frame := append(append([]byte{}, k.Hosts[1].MAC...), 2, 0, 0, 0, byte(i>>8), byte(i), 0, 0)
			from.send(t, append(frame, make([]byte, 46)...))
			require.Equal(t, frame[:12], to.next(t, want(i))[:12])
		}
	}
	forwards()
	k.do(target.Close)
	target = k.open(2)
	st := k.adopt(target)
	require.Len(t, st.Entries, n/4+1)
	require.Len(t, st.Defaults, n/4)
	for _, d := range st.Defaults {
		var i int
		_, err := fmt.Sscanf(d.Table.Name, "pipe.Ctl.t%d", &i)
		require.NoError(t, err)
		require.Equal(t, [][]byte{binary.BigEndian.AppendUint16(nil, want(i))}, d.Action.Args)
	}
	got := map[string]bool{}
	for _, e := range st.Entries {
		got[describe(e)] = true
	}
	for i := 0; i < n; i += 4 {
		require.True(t, got[describe(mark(i, 0x9000+i))], "%s is missing", describe(mark(i, 0x9000+i)))
	}
	forwards()
	k.do(target.Close)
}
