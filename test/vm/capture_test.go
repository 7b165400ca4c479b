package vm

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/roce/wire"
)

// captured is a packet as the switch took it in or sent it out.
type captured struct {
	time  time.Time
	out   bool
	port  string // its interface
	frame []byte
}

// readCapture reads a file that the switch has written.
func readCapture(t *testing.T, file string) []captured {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	var all []captured
	for {
		data, ci, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		ifi, err := r.Interface(ci.InterfaceIndex)
		require.NoError(t, err)
		dir, port, ok := strings.Cut(ifi.Name, " ")
		_, port, named := strings.Cut(strings.TrimSuffix(port, ")"), "(")
		require.True(t, ok && named && (dir == "IN" || dir == "OUT"), "interface %q", ifi.Name)
		all = append(all, captured{ci.Timestamp, dir == "OUT", port, data})
	}
}

// requireForwarded checks that the switch was like a bridge for the RoCE packets
// between two ports: what came in on one went out on the other, byte for byte,
// once. It returns how many.
func requireForwarded(t *testing.T, all []captured, a, b string) int {
	t.Helper()
	other := map[string]string{a: b, b: a}
	balance := map[string]int{} // in minus out, by the port that it leaves on, and the bytes
	opcodes := map[wire.Opcode]int{}
	n := 0
	for _, c := range all {
		var p wire.Packet
		if wire.Parse(c.frame, &p) != nil {
			continue // ARP
		}
		require.Contains(t, other, c.port)
		require.True(t, p.ICRCOK(), "ICRC of %s", &p)
		if c.out {
			balance[c.port+string(c.frame)]--
		} else {
			balance[other[c.port]+string(c.frame)]++
			opcodes[p.BTH.Opcode()]++
			n++
		}
	}
	for key, b := range balance {
		var p wire.Packet
		_ = wire.Parse([]byte(key[2:]), &p)
		require.Zero(t, b, "received minus sent, to %s: %s", key[:2], &p)
	}
	t.Logf("%d RoCE packets forwarded: %v", n, opcodes)
	return n
}

// requireWellFormed asks tshark, when it is installed.
func requireWellFormed(t *testing.T, file string) {
	t.Helper()
	roce, err := lab.Dissect(file)
	if errors.Is(err, lab.ErrNoTshark) {
		t.Log(err)
		return
	}
	require.NoError(t, err)
	require.Positive(t, roce)
}
