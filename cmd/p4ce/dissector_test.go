package main

import (
	"encoding/hex"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// TestDissector: tshark, with the dissector of the package, shows each field of the headers where the P4 programs have it, and the
// private data of connections.
func TestDissector(t *testing.T) {
	needs.Tool(t, "tshark", "tshark")
	datagram := func(port uint16, header string, payload string) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(header, " ", ""))
		require.NoError(t, err)
		eth := &layers.Ethernet{SrcMAC: []byte{2, 0, 0, 0, 0, 1}, DstMAC: []byte{2, 0, 0, 0, 0, 2}, EthernetType: layers.EthernetTypeIPv4}
		ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: []byte{10, 0, 0, 1}, DstIP: []byte{10, 0, 0, 2}}
		udp := &layers.UDP{SrcPort: 0xc000, DstPort: layers.UDPPort(port)}
		require.NoError(t, udp.SetNetworkLayerForChecksum(ip))
		buf := gopacket.NewSerializeBuffer()
		require.NoError(t, gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, eth, ip, udp, gopacket.Payload(append(b, payload...))))
		return buf.Bytes()
	}
	connection := func(m cm.Message) []byte {
		f, err := cm.AppendFrame(nil, cm.FrameHeader{SrcMAC: wire.MAC{2, 0, 0, 0, 0, 1}, DstMAC: wire.MAC{2, 0, 0, 0, 0, 2}, Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, SrcPort: 0xc000}, 42, m)
		require.NoError(t, err)
		return f
	}
	data := cm.IPHeader{SrcPort: 7000, Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2")}.Append(nil)
	group := private.Request{Form: private.FormGroup, LeaderID: 3, Term: 0x107, Port: 4740, Replicas: []netip.Addr{netip.MustParseAddr("10.0.0.8"), netip.MustParseAddr("10.0.0.9")}}
	data, err := group.Append(data)
	require.NoError(t, err)
	// write is an RDMA WRITE of a part of a log, as one packet has it.
	write := func(op wire.Opcode, size uint32, part []byte) []byte {
		return wire.AppendFrame(nil, &wire.Header{
			SrcMAC: wire.MAC{2, 0, 0, 0, 0, 1}, DstMAC: wire.MAC{2, 0, 0, 0, 0, 2}, Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, SrcPort: 0xc000,
			Opcode: op, DestQP: 18, PSN: 100, VA: 0x10100, RKey: 0xbeef, Length: size,
		}, part)
	}
	geo, err := mu.NewGeometry(mu.MinLogSize)
	require.NoError(t, err)
	ring := make([]byte, mu.MinLogSize)
	end := geo.Append(ring, mu.Entry{Position: 0, Index: 7, Term: 0x502, Record: []byte("hello")})
	end = geo.Append(ring, mu.Entry{Position: end, Index: 8, Commit: end, Term: 0x502, Record: []byte("0123456789")})
	entries := ring[mu.RingStart:][:end]
	file := filepath.Join(t.TempDir(), "c.pcap")
	f, err := os.Create(file)
	require.NoError(t, err)
	w := pcapgo.NewWriter(f)
	require.NoError(t, w.WriteFileHeader(1<<16, layers.LinkTypeEthernet))
	for _, frame := range [][]byte{
		datagram(0x8883, "05 02 01 03 00000011 00000205 00000104 0a000009 00000007 0000 ffbb", "abc"),
		datagram(0x8860, "000102030405 00000a0b 00000a0a 25 00000f 0003 0004 1234", "hi"),
		datagram(0x88af, "03 02 04 05 04050000 0102 06 12 00000007 00000008 00000009 0000000a 0000000b 0000000c 0000000d cafebabe 0002 1234", "hi"),
		connection(&cm.REQ{LocalCommID: 1, ServiceID: cm.ServiceID(4740), LocalQPN: 17, StartingPSN: 100, PathMTU: cm.MTUCode(1024), PrivateData: data}),
		connection(&cm.REP{LocalCommID: 2, RemoteCommID: 1, LocalQPN: 18, PrivateData: private.Region{VA: 0x10000, Size: 4096, RKey: 0xbeef}.Append(nil)}),
		connection(&cm.REJ{LocalCommID: 2, RemoteCommID: 1, Reason: 28, PrivateData: private.Refusal{Slot: private.NoSlot, Text: "term 7 is over"}.Append(nil)}),
		datagram(0x8880, "05 02", ""), // cut
		datagram(0x8860, "00", ""),
		datagram(0x88a0, "", ""),
		write(wire.WriteOnly, uint32(end), entries),
		write(wire.WriteFirst, 4096, entries[:48]), // an entry goes on in the next packet
		write(wire.WriteOnly, uint32(end), append([]byte{entries[0] ^ 1}, entries[1:]...)), // other data
		write(wire.WriteOnly, 8, entries[:8]),
	} {
		require.NoError(t, w.WritePacket(gopacket.CaptureInfo{CaptureLength: len(frame), Length: len(frame)}, frame))
	}
	require.NoError(t, f.Close())
	fields := func(frame int, names ...string) string {
		t.Helper()
		args := []string{"-X", "lua_script:../../dist/wireshark/p4ce.lua", "-r", file, "-Y", "frame.number == " + strconv.Itoa(frame), "-T", "fields", "-E", "separator=|"}
		for _, n := range names {
			args = append(args, "-e", n)
		}
		cmd := exec.Command("tshark", args...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		require.NoError(t, err, errs.String())
		require.NotContains(t, errs.String(), "lua", "it has no errors")
		return strings.TrimSpace(string(out))
	}
	require.Equal(t, "5|2|0x01|3|17|517|260|10.0.0.9|7|616263", fields(1, "p4xos.kind", "p4xos.acceptor", "p4xos.flags", "p4xos.value_len", "p4xos.inst", "p4xos.rnd", "p4xos.vrnd", "p4xos.client", "p4xos.seq", "p4xos.value"))
	require.Equal(t, "VOTE instance=17 round=517 seq=7", fields(1, "_ws.col.Info"))
	require.Equal(t, "4328719365|2571|2570|2|0x05|15|3|4|6869", fields(2, "onepipe.timestamp", "onepipe.barrier", "onepipe.commit", "onepipe.opcode", "onepipe.flags", "onepipe.psn", "onepipe.src", "onepipe.dst", "onepipe.data"))
	require.Equal(t, "3|4|5|258|6|1|2|7|8|9|10|11|12|13|0xcafebabe|2|6869",
		fields(3, "p4mcast.kind", "p4mcast.from", "p4mcast.by", "p4mcast.client", "p4mcast.member", "p4mcast.from_slot", "p4mcast.by_slot", "p4mcast.number", "p4mcast.epoch", "p4mcast.lts", "p4mcast.seq", "p4mcast.by_epoch", "p4mcast.clock", "p4mcast.mark", "p4mcast.digest", "p4mcast.length", "p4mcast.payload"))
	require.Equal(t, "1|3|263|10.0.0.8,10.0.0.9", fields(4, "p4ce.form", "p4ce.leader_id", "p4ce.term", "p4ce.replica"))
	require.Equal(t, "0x0000beef|0x0000000000010000|4096", fields(5, "p4ce.rkey", "p4ce.va", "p4ce.size"))
	require.Contains(t, fields(6, "p4ce.refusal"), "term 7 is over")
	for frame := 7; frame <= 9; frame++ {
		require.Equal(t, "||", fields(frame, "p4xos.kind", "onepipe.barrier", "p4mcast.kind"), "what is cut is left alone")
	}
	log := []string{"p4ce_log.position", "p4ce_log.index", "p4ce_log.commit", "p4ce_log.term", "p4ce_log.length", "p4ce_log.record"}
	require.Equal(t, "0,48|7,8|0,48|5.2,5.2|5,10|68656c6c6f,30313233343536373839", fields(10, log...))
	require.Contains(t, fields(10, "_ws.col.Info"), "P4CE 2 entries")
	require.Equal(t, "0|7|0|5.2|5|68656c6c6f", fields(11, log...))
	for frame := 12; frame <= 13; frame++ {
		require.Equal(t, "|||||", fields(frame, log...), "other data is left alone")
	}
}
