package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/replicate"
)

const (
	service = 4740
	logSize = 64 << 10
)

// TestDemo runs the demonstration for groups of every size and both policies.
func TestDemo(t *testing.T) {
	long.Test(t)
	needs.Root(t, "network namespaces and XDP")
	for _, n := range []int{1, 2, 4, 8} {
		for _, policy := range []string{"quorum", "all"} {
			t.Run(fmt.Sprintf("%d replicas, %s", n, policy), func(t *testing.T) {
				out, err := exec.Command(binary, "demo", "--replicas", fmt.Sprint(n), "--policy", policy, "--count", "1500").CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Contains(t, string(out), fmt.Sprintf("All %d logs are equal.", n+1))
			})
		}
	}
}

// TestCapture looks at a capture of a whole run: every RoCE packet has a good
// ICRC, and tshark finds nothing malformed.
func TestCapture(t *testing.T) {
	long.Test(t)
	needs.Root(t, "network namespaces and XDP")
	file := filepath.Join(t.TempDir(), "run.pcapng")
	out, err := exec.Command(binary, "demo", "--count", "500", "--pcap", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	opcodes := map[wire.Opcode]int{}
	for {
		data, _, err := r.ReadPacketData()
		if err != nil {
			break
		}
		var p wire.Packet
		if wire.Parse(data, &p) != nil {
			continue // ARP
		}
		require.True(t, p.ICRCOK(), "ICRC of %s", &p)
		require.True(t, p.IP.ChecksumOK(), "IP checksum of %s", &p)
		opcodes[p.BTH.Opcode()]++
	}
	// Both modes, in and out of the switch: 500 x 2 x 2 direct, 500 x 3 accelerated.
	require.GreaterOrEqual(t, opcodes[wire.WriteOnly], 3500)
	require.Positive(t, opcodes[wire.Acknowledge])
	require.Positive(t, opcodes[wire.UDSendOnly])
	roce, err := lab.Dissect(file)
	if errors.Is(err, lab.ErrNoTshark) {
		t.Log(err)
		return
	}
	require.NoError(t, err)
	require.Positive(t, roce)
}

// replica opens a replica on a host.
func (c *system) replica(dev *roce.Device, port uint16) *replicate.Replica {
	c.t.Helper()
	r, err := replicate.OpenReplica(replicate.ReplicaConfig{Device: roce.RDMA(dev, roce.QPConfig{}), Port: port, LogSize: logSize})
	require.NoError(c.t, err)
	c.t.Cleanup(func() { r.Close() })
	return r
}

// TestManyGroups forms 64 groups at once, between the same servers, replicates in
// each, and takes them down.
func TestManyGroups(t *testing.T) {
	for _, in := range []string{"ingress", "egress"} {
		t.Run("gathered in the "+in, func(t *testing.T) { manyGroups(t, in) })
	}
}

func manyGroups(t *testing.T, in string) {
	const groups, records = 64, 20
	c := newCluster(t, 3, "--gather", in)
	leaderDev, devs := c.device(0), []*roce.Device{c.device(1), c.device(2)}
	var replicas [groups][]*replicate.Replica
	for i := range groups {
		for _, d := range devs {
			replicas[i] = append(replicas[i], c.replica(d, uint16(service+i)))
		}
	}
	leaders := make([]*replicate.Leader, groups)
	var g errgroup.Group
	for i := range groups {
		g.Go(func() error {
			l, err := replicate.OpenLeader(c.ctx, replicate.LeaderConfig{
				Device: roce.RDMA(leaderDev, roce.QPConfig{}), Replicas: []netip.Addr{c.ip(1), c.ip(2)}, Port: uint16(service + i),
				Switch: lab.SwitchIP, LogSize: logSize, Policy: private.PolicyAll,
			})
			if err != nil {
				return fmt.Errorf("leader %d: %w", i, err)
			}
			leaders[i] = l
			if err := l.Accelerate(c.ctx); err != nil {
				return fmt.Errorf("leader %d: %w", i, err)
			}
			for n := range records {
				if err := l.Propose(c.ctx, fmt.Appendf(nil, "group %d record %d", i, n)); err != nil {
					return fmt.Errorf("leader %d: %w", i, err)
				}
			}
			if l.Mode() != mu.Accelerated {
				return fmt.Errorf("leader %d fell back to direct mode", i)
			}
			return l.Sync(c.ctx)
		})
	}
	require.NoError(t, g.Wait())
	list, err := c.admin.Groups(c.ctx)
	require.NoError(t, err)
	require.Len(t, list, groups)
	for i, l := range leaders {
		for _, r := range replicas[i] {
			require.Equal(t, l.Digest(), r.Digest(), "group %d", i)
		}
		require.EqualValues(t, records, l.Digest().Records)
	}
	for _, l := range leaders {
		require.NoError(t, l.Close())
	}
	c.requireClean()
}

// connect asks the switch for a group, as a leader does.
func (c *system) connect(dev *roce.Device, replicas ...netip.Addr) (*roce.Conn, private.Region, error) {
	return c.connectWith(dev, roce.QPConfig{AckTimeout: 50 * time.Millisecond, Retry: 3}, replicas...)
}

func (c *system) connectWith(dev *roce.Device, conf roce.QPConfig, replicas ...netip.Addr) (*roce.Conn, private.Region, error) {
	req := private.Request{Form: private.FormGroup, Policy: private.PolicyAll, Port: service, Term: 1, Replicas: replicas}
	private.Secret{}.Sign(&req)
	data, err := req.Append(nil)
	if err != nil {
		return nil, private.Region{}, err
	}
	qp, err := dev.CreateQP(conf)
	if err != nil {
		return nil, private.Region{}, err
	}
	conn, err := dev.Dial(c.ctx, netip.AddrPortFrom(lab.SwitchIP, service), qp, data)
	if err != nil {
		return nil, private.Region{}, err
	}
	region, err := private.ParseRegion(conn.Private())
	return conn, region, err
}

func refusal(t *testing.T, err error) string {
	t.Helper()
	var rej *roce.RejectedError
	require.True(t, errors.As(err, &rej), "the leader is refused, not left waiting: %v", err)
	return err.Error()
}

// A replica that nobody listens on: the leader learns which and why.
func TestReplicaRefuses(t *testing.T) {
	c := newCluster(t, 3)
	dev := c.device(0)
	c.replica(c.device(1), service)
	c.device(2) // an endpoint, but no service
	_, _, err := c.connect(dev, c.ip(1), c.ip(2))
	text := refusal(t, err)
	t.Log(text)
	c.requireClean()
	// The switch goes on: the group without the third server can be formed.
	conn, _, err := c.connect(dev, c.ip(1))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	c.requireClean()
}

// A replica that never answers connection management.
func TestReplicaIsSilent(t *testing.T) {
	c := newCluster(t, 3, "--setup-timeout", "1s")
	dev := c.device(0)
	c.replica(c.device(1), service)
	// Host 2 has a kernel, which answers ARP, and nothing else.
	_, _, err := c.connect(dev, c.ip(1), c.ip(2))
	t.Log(refusal(t, err))
	c.requireClean()
}

// write posts a WRITE and returns how it ended.
func write(t *testing.T, ctx context.Context, conn *roce.Conn, va uint64, rkey uint32, data []byte) rdma.Status {
	t.Helper()
	_, err := conn.QP().PostSend(rdma.SendWR{ID: 1, Op: rdma.OpWrite, Local: data, VA: va, RKey: rkey})
	require.NoError(t, err)
	cq := conn.QP().SendCQ()
	require.NoError(t, cq.Wait(ctx))
	var done [1]rdma.Completion
	require.Equal(t, 1, cq.Poll(done[:]))
	return done[0].Status
}

// A wrong R_key, and a WRITE outside the region: refused by the switch, and no
// replica sees it.
func TestWrongKeyIsRefused(t *testing.T) {
	c := newCluster(t, 3)
	dev := c.device(0)
	c.replica(c.device(1), service)
	c.replica(c.device(2), service)
	for name, bend := range map[string]func(r *private.Region){
		"wrong key":      func(r *private.Region) { r.RKey ^= 1 },
		"outside region": func(r *private.Region) { r.VA += r.Size },
	} {
		t.Run(name, func(t *testing.T) {
			c.requireClean()
			conn, region, err := c.connect(dev, c.ip(1), c.ip(2))
			require.NoError(t, err)
			groups, err := c.admin.Groups(c.ctx)
			require.NoError(t, err)
			require.Len(t, groups, 1)
			before := c.counter(names.CounterScattered, int(groups[0].Index))
			bend(&region)
			require.Equal(t, rdma.StatusRemoteAccess, write(t, c.ctx, conn, region.VA, region.RKey, make([]byte, 64)))
			require.Equal(t, before, c.counter(names.CounterScattered, int(groups[0].Index)), "nothing was scattered")
			conn.Close()
			c.requireClean()
		})
	}
}

// A server that is not the leader sends to a group's queue pair.
func TestForeignSourceIsDropped(t *testing.T) {
	c := newCluster(t, 4)
	dev := c.device(0)
	c.replica(c.device(1), service)
	c.replica(c.device(2), service)
	conn, region, err := c.connect(dev, c.ip(1), c.ip(2))
	require.NoError(t, err)
	groups, err := c.admin.Groups(c.ctx)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	dropped, scattered := c.counter(names.CounterDrops, int(names.DropUnknownQP)), c.counter(names.CounterScattered, int(groups[0].Index))

	thief := c.lab.Hosts[3]
	frame := wire.AppendFrame(nil, &wire.Header{
		SrcMAC: wire.MAC(thief.MAC), DstMAC: wire.MAC(lab.SwitchMAC), Src: wire.Addr(thief.IP.As4()), Dst: wire.Addr(lab.SwitchIP.As4()),
		Opcode: wire.WriteOnly, AckReq: true, DestQP: groups[0].BCastQP, PSN: wire.PSN(groups[0].StartPSN),
		VA: region.VA, RKey: region.RKey, Length: 64,
	}, make([]byte, 64))
	require.NoError(t, c.lab.InHost(thief, func() error {
		ifi, err := net.InterfaceByName(lab.Interface)
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: ifi.Index})
	}))
	require.Eventually(t, func() bool { return c.counter(names.CounterDrops, int(names.DropUnknownQP)) == dropped+1 }, 5*time.Second, 5*time.Millisecond, "counted as unknown_qp")
	require.Equal(t, scattered, c.counter(names.CounterScattered, int(groups[0].Index)))
	// The leader itself still can.
	require.Equal(t, rdma.StatusOK, write(t, c.ctx, conn, region.VA+1024, region.RKey, make([]byte, 64)))
	require.NoError(t, conn.Close())
	c.requireClean()
}
