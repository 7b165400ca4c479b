package vm

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/roce/wire"
)

const (
	peerPort = 4000
	peerPath = "/usr/bin/peer"
)

// needVerbs skips the test, and says why, where the verbs provider cannot be built.
func needVerbs(t *testing.T) {
	t.Helper()
	for _, need := range []struct{ file, pkg string }{
		{"/usr/include/rdma/rdma_cma.h", "librdmacm-dev"},
		{"/usr/include/infiniband/verbs.h", "libibverbs-dev"},
	} {
		needs.File(t, need.file, need.pkg)
	}
	needs.Tool(t, "gcc", "gcc libc6-dev")
}

// peerBinary builds the program peer of host/rdma/interop with the verbs provider.
func peerBinary(t *testing.T) string {
	t.Helper()
	needVerbs(t)
	file := filepath.Join(t.TempDir(), "peer")
	cmd := exec.Command("go", "build", "-tags", "verbs", "-o", file, "github.com/p4ce/p4ce/host/rdma/interop/peer")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return file
}

// line tells when a line was printed.
type line struct {
	lab.Log
	want string
	seen chan struct{}
}

func newLine(want string) *line { return &line{want: want, seen: make(chan struct{})} }

func (l *line) Write(p []byte) (int, error) {
	before := strings.Contains(l.String(), l.want)
	n, err := l.Log.Write(p)
	if !before && strings.Contains(l.String(), l.want) {
		close(l.seen)
	}
	return n, err
}

// logged collects output, and logs it as it comes.
type logged struct {
	lab.Log
	t *testing.T
}

func (l *logged) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return l.Log.Write(p)
}

// verbsSide is a device that takes part: in a guest, or in software in a host's
// namespace.
type verbsSide struct {
	name  string
	addr  netip.Addr
	args  []string
	start func(args []string, out io.Writer) (signal func(syscall.Signal) error, done <-chan struct{}, err func() error, fail error)
}

// inGuest is rxe through the verbs provider, with one way to change rights.
func (n *network) inGuest(i int, access string) verbsSide {
	return verbsSide{
		name: fmt.Sprintf("verbs-%s", access), addr: guestAddr(i),
		args: []string{"--rdma", "verbs", "--device", Device, "--access", access},
		start: func(args []string, out io.Writer) (func(syscall.Signal) error, <-chan struct{}, func() error, error) {
			p, err := n.guests[i].Start(Spec{Args: append([]string{peerPath}, args...), Stdout: out, Stderr: out})
			if err != nil {
				return nil, nil, nil, err
			}
			return p.Signal, p.Done(), p.Err, nil
		},
	}
}

// inHost is the software endpoint.
func (n *network) inHost(i int, binary string) verbsSide {
	h := n.lab.Hosts[i]
	return verbsSide{
		name: "soft", addr: h.IP, args: []string{"--rdma", "soft", "--interface", lab.Interface, "--mtu", "1024"},
		start: func(args []string, out io.Writer) (func(syscall.Signal) error, <-chan struct{}, func() error, error) {
			p, err := n.lab.StartInHost(h, lab.Spec{Name: "peer", Args: append([]string{binary}, args...), Stdout: out, Stderr: out})
			if err != nil {
				return nil, nil, nil, err
			}
			return p.Signal, p.Done(), p.Err, nil
		},
	}
}

// TestVerbsProvider runs all cases of host/rdma/interop between rxe, driven by the verbs
// provider in guests, and the software endpoint, both ways, and between two rxe.
func TestVerbsProvider(t *testing.T) {
	im := image(t) // what is missing is said before anything is built
	binary := peerBinary(t)
	im, err := im.Extend(filepath.Join(t.TempDir(), "initrd"), map[string]string{peerPath: binary})
	require.NoError(t, err)
	n := newNetwork(t, options{guests: 2, hosts: 1, image: im})
	soft := n.inHost(0, binary)
	for _, c := range []struct{ active, passive verbsSide }{
		{soft, n.inGuest(0, "auto")},
		{soft, n.inGuest(0, "flags")},
		{soft, n.inGuest(0, "cycle")},
		{n.inGuest(0, "auto"), soft},
		{n.inGuest(1, "auto"), n.inGuest(0, "auto")},
		{n.inGuest(0, "auto"), n.inGuest(1, "cycle")},
	} {
		t.Run(c.active.name+" to "+c.passive.name, func(t *testing.T) { n.converse(t, c.active, c.passive) })
	}
	roce := 0
	for _, c := range n.stopSwitch() {
		var p wire.Packet
		if wire.Parse(c.frame, &p) == nil {
			require.True(t, p.ICRCOK(), "ICRC of %s", &p)
			roce++
		}
	}
	t.Logf("%d RoCE packets, every ICRC right", roce)
}

// converse runs the active side against the passive one, to the end of both.
func (n *network) converse(t *testing.T, active, passive verbsSide) {
	server := newLine("ready\n")
	signal, done, ended, err := passive.start(append(append([]string{"serve"}, passive.args...), fmt.Sprint(peerPort)), server)
	require.NoError(t, err)
	defer func() {
		_ = signal(syscall.SIGKILL)
		<-done
		if t.Failed() {
			t.Logf("server: %s", server)
		}
	}()
	select {
	case <-server.seen:
	case <-done:
		t.Fatalf("the server ended: %v\n%s", ended(), server)
	case <-n.ctx.Done():
		t.Fatalf("the server does not come up\n%s", server)
	}
	out := &logged{t: t}
	to := netip.AddrPortFrom(passive.addr, peerPort)
	_, over, how, err := active.start(append(append([]string{"run"}, active.args...), "--nobody", nobody.String(), to.String()), out)
	require.NoError(t, err)
	select {
	case <-over:
	case <-n.ctx.Done():
	}
	require.NoError(t, n.ctx.Err())
	require.NoError(t, how())
	require.NotContains(t, out.String(), "FAIL")
	require.Positive(t, bytes.Count([]byte(out.String()), []byte("ok ")))
	require.NoError(t, signal(syscall.SIGTERM))
	select {
	case <-done:
		require.NoError(t, ended(), "%s", server)
	case <-n.ctx.Done():
		t.Fatal("the server does not end")
	}
}

// nobody is an address of the guests' network that nobody has.
var nobody = netip.AddrFrom4([4]byte{10, 66, 0, 250})
