package fault

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/roce/wire"
)

// etcdCommand has this test's own program be an etcd server in a folder, with little space: "etcd DIR".
const etcdCommand = "etcd"

// etcdReady is what it prints.
type etcdReady struct {
	Event    string `json:"event"`
	Endpoint string `json:"endpoint"`
}

// serveEtcd is an etcd server until its standard input ends.
func serveEtcd(dir string) error {
	e, err := embedded.Start(dir, nil, storetest.SmallQuota)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := json.NewEncoder(os.Stdout).Encode(etcdReady{launch.Ready, e.Endpoint}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// etcd is an etcd server in a process of its own, which can be stopped.
type etcd struct {
	proc     *launch.Process
	endpoint string
}

func startEtcd(t *testing.T, ctx context.Context) *etcd {
	t.Helper()
	// Its sockets want a short path.
	dir, err := os.MkdirTemp("", "p4ce-etcd-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	said := make(chan etcdReady, 1)
	e := &etcd{}
	e.proc, err = launch.Start(nil, launch.Options{Name: "etcd", Args: []string{os.Args[0], etcdCommand, filepath.Join(dir, "etcd")}, Event: func(_ *launch.Process, line []byte) {
		var r etcdReady
		if json.Unmarshal(line, &r) == nil && r.Event == launch.Ready {
			said <- r
		}
	}})
	require.NoError(t, err)
	t.Cleanup(e.proc.Kill)
	require.NoError(t, e.proc.AwaitReady(ctx))
	e.endpoint = (<-said).Endpoint
	return e
}

// pause stops a process until goOn.
func pause(t *testing.T, p *launch.Process) (goOn func()) {
	t.Helper()
	require.NoError(t, p.Pause())
	goOn = sync.OnceFunc(func() { _ = p.Signal(syscall.SIGCONT) })
	t.Cleanup(goOn)
	return goOn
}

// unread has nobody read what processes print and log, until goOn.
func unread(t *testing.T, procs ...*launch.Process) (goOn func()) {
	t.Helper()
	var all []func()
	goOn = sync.OnceFunc(func() {
		for _, f := range all {
			f()
		}
	})
	t.Cleanup(goOn)
	for _, p := range procs {
		f, err := p.Unread()
		require.NoError(t, err)
		all = append(all, f)
	}
	return goOn
}

// disk is a file system of its own that can be made to stand still: whoever writes to it waits.
type disk struct{ dir string }

// newDisk mounts one at a folder, which it makes.
func newDisk(t *testing.T, dir string) *disk {
	t.Helper()
	mkfs := needs.Tool(t, "mkfs.ext4", "e2fsprogs")
	needs.Tool(t, "fsfreeze", "util-linux")
	require.NoError(t, os.Mkdir(dir, 0o700))
	image := dir + ".img"
	require.NoError(t, os.WriteFile(image, nil, 0o600))
	require.NoError(t, os.Truncate(image, 256<<20))
	out, err := exec.Command(mkfs, "-q", image).CombinedOutput()
	require.NoError(t, err, "%s", out)
	if out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput(); err != nil {
		needs.Kernel(t, fmt.Errorf("a disk that can stand still: mount -o loop: %w: %s", err, out))
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	require.NoError(t, os.Chmod(dir, 0o700))
	return &disk{dir}
}

// freeze has the disk stand still until goOn, or until this process ends, however it does: nobody could end who waits for
// such a disk.
func (d *disk) freeze(t *testing.T) (goOn func()) {
	t.Helper()
	c := exec.Command("sh", "-c", `fsfreeze -f "$0" && echo frozen && { read x; fsfreeze -u "$0"; }`, d.dir)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	c.Stderr = os.Stderr
	require.NoError(t, c.Start())
	goOn = sync.OnceFunc(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("thaw %s: %v", d.dir, err)
		}
	})
	t.Cleanup(goOn)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "freeze %s", d.dir)
	require.Equal(t, "frozen\n", line)
	return goOn
}

// asker asks by ARP who has an address.
type asker struct {
	fd   int
	from party
	of   wire.Addr
}

// newAsker makes one at an interface, in whose namespace in runs things.
func newAsker(t *testing.T, in func(func() error) error, ifname string, from party, of wire.Addr) *asker {
	t.Helper()
	a := &asker{from: from, of: of}
	require.NoError(t, in(func() (err error) {
		const arp = 0x0608 // ETH_P_ARP, in network order
		if a.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, arp); err != nil {
			return err
		}
		ifi, err := net.InterfaceByName(ifname)
		if err != nil {
			return err
		}
		return errors.Join(
			unix.Bind(a.fd, &unix.SockaddrLinklayer{Ifindex: ifi.Index, Protocol: arp}),
			unix.SetsockoptTimeval(a.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000}))
	}))
	t.Cleanup(func() { unix.Close(a.fd) })
	return a
}

// ask sends a question, and waits a moment for an answer.
func (a *asker) ask() bool {
	for b := make([]byte, 256); ; { // what was answered before
		if n, _, err := unix.Recvfrom(a.fd, b, unix.MSG_DONTWAIT); err != nil || n < 0 {
			break
		}
	}
	q := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	q = append(append(q, a.from.mac[:]...), 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1)
	q = append(append(q, a.from.mac[:]...), a.from.ip[:]...)
	q = append(append(q, 0, 0, 0, 0, 0, 0), a.of[:]...)
	if _, err := unix.Write(a.fd, q); err != nil {
		return false
	}
	const opAt, senderAt = 20, 28
	b := make([]byte, 256)
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
		n, _, err := unix.Recvfrom(a.fd, b, 0)
		if err == nil && n >= 42 && b[opAt] == 0 && b[opAt+1] == 2 && wire.Addr(b[senderAt:senderAt+4]) == a.of {
			return true
		}
	}
	return false
}
