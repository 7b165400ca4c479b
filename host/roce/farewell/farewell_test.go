package farewell

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/ownnet"
	"github.com/p4ce/p4ce/link/packet"
)

// part says what this program is: one of the processes of a test.
const part = "P4CE_TEST_PART"

func TestMain(m *testing.M) {
	parts := map[string]func() error{
		"herald": Run,
		"owner":  owner,
		"server": server,
	}
	if f := parts[os.Getenv(part)]; f != nil {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	ownnet.Enter()
	os.Exit(m.Run())
}

// program is this program as a part of a test.
func program(name string, args ...string) *exec.Cmd {
	c := exec.Command("/proc/self/exe", args...)
	c.Env = append(os.Environ(), part+"="+name)
	return c
}

// process is a part that says what it does, and does what it is told, line by line.
type process struct {
	*exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func start(t *testing.T, c *exec.Cmd) *process {
	p := &process{Cmd: c}
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	p.in, p.out, c.Stderr = in, bufio.NewReader(out), os.Stderr
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return p
}

func (p *process) expect(t *testing.T, want string) {
	t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, want, strings.TrimSpace(line))
}

func (p *process) tell(t *testing.T, what string) {
	t.Helper()
	_, err := fmt.Fprintln(p.in, what)
	require.NoError(t, err)
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Process.Signal(syscall.SIGKILL))
}

// owner holds the futex of memory that its parent has made.
func owner() error {
	mapped, err := unix.Mmap(memoryFile, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	release, err := own(mapped)
	if err != nil {
		return err
	}
	fmt.Println("holds")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		release()
		fmt.Println("released")
	}
	return nil
}

// shared is memory, and its file.
func shared(t *testing.T) (memory, *os.File) {
	m, file, err := newMemory()
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Munmap(m); _ = file.Close() })
	return m, file
}

// awaited waits for the owner.
func awaited(m memory) <-chan bool {
	died := make(chan bool, 1)
	go func() { died <- await(m) }()
	return died
}

func told(t *testing.T, died <-chan bool) bool {
	t.Helper()
	select {
	case d := <-died:
		return d
	case <-time.After(20 * time.Second):
		t.Fatal("who waits is not told")
		return false
	}
}

// TestOwner: who waits learns that the owner's process was killed, by the futex alone: no pipe, and no
// descriptor of the process, is there to tell.
func TestOwner(t *testing.T) {
	m, file := shared(t)
	c := program("owner")
	c.ExtraFiles = []*os.File{file}
	p := start(t, c)
	p.expect(t, "holds")
	died := awaited(m)
	p.kill(t)
	require.True(t, told(t, died))
	require.True(t, await(m), "it stays known")
}

// TestStopped: a process that is stopped has not died, and one that lets go has not either.
func TestStopped(t *testing.T) {
	m, file := shared(t)
	c := program("owner")
	c.ExtraFiles = []*os.File{file}
	p := start(t, c)
	p.expect(t, "holds")
	died := awaited(m)
	require.NoError(t, p.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	require.Empty(t, died)
	require.NoError(t, p.Process.Signal(syscall.SIGCONT))
	p.tell(t, "release")
	p.expect(t, "released")
	require.False(t, told(t, died))
}

// frame is one that nobody but the tests sends.
func frame(n byte) []byte {
	f := append(make([]byte, 12), 0x88, 0xb5, n)
	return append(f, make([]byte, 60)...)
}

// server is a process with a herald: it keeps and drops frames as it is told.
func server() error {
	f := New(func() (*exec.Cmd, error) { return program("herald"), nil })
	v, err := f.On("near")
	if err != nil {
		return err
	}
	ids := map[string]int{}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		word, name, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "keep":
			var ok bool
			if ids[name], ok = v.Keep(frame(name[0])); !ok {
				return fmt.Errorf("%s is not kept", name)
			}
		case "drop":
			v.Drop(ids[name])
		case "close":
			if err := f.Close(); err != nil {
				return err
			}
		case "exit":
			os.Exit(3)
		}
		fmt.Println(in.Text())
	}
	return nil
}

// cable makes a link in the tests' network namespace, and returns a socket at its far end.
func cable(t *testing.T) *os.File {
	needs.Root(t, "network interfaces")
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "near"
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far"}))
	near, err := netlink.LinkByName("near")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, netlink.LinkDel(near)) })
	far, err := netlink.LinkByName("far")
	require.NoError(t, err)
	require.NoError(t, netlink.LinkSetUp(near))
	require.NoError(t, netlink.LinkSetUp(far))
	require.Eventually(t, func() bool { // until then the kernel drops what is sent
		l, err := netlink.LinkByName("near")
		return err == nil && l.Attrs().OperState == netlink.OperUp
	}, 20*time.Second, time.Millisecond)
	const all = 0x0300 // ETH_P_ALL, in network byte order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	file := os.NewFile(uintptr(fd), "far")
	t.Cleanup(func() { _ = file.Close() })
	require.NoError(t, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: far.Attrs().Index}))
	return file
}

// hear reads frames of the tests until there are as many, and returns their names.
func hear(t *testing.T, far *os.File, n int) (names string) {
	b := make([]byte, 2048)
	require.NoError(t, far.SetReadDeadline(time.Now().Add(20*time.Second)))
	for len(names) < n {
		k, err := far.Read(b)
		require.NoError(t, err, "after %q", names)
		if k > 14 && b[12] == 0x88 && b[13] == 0xb5 {
			names += string(b[14])
		}
	}
	return names
}

// TestKilled: when a process is killed, what it keeps is sent, in several rounds, and what it has dropped is not;
// the same when it ends without a word. The herald ends then.
func TestKilled(t *testing.T) {
	far := cable(t)
	for _, end := range []func(p *process){
		func(p *process) { p.kill(t) },
		func(p *process) { p.tell(t, "exit") },
	} {
		p := start(t, program("server"))
		for _, s := range []string{"keep a", "keep b", "keep c", "drop b", "keep d", "drop a", "keep e", "keep f", "drop f"} {
			p.tell(t, s)
			p.expect(t, s)
		}
		end(p)
		once := "edc"
		got := hear(t, far, 3*len(pauses))
		for round := range pauses {
			require.ElementsMatch(t, []byte(once), []byte(got[3*round:3*round+3]), got)
		}
		silent(t, far)
	}
}

// silent sends one more frame from near: nothing was sent before.
func silent(t *testing.T, far *os.File) {
	t.Helper()
	ifi, err := net.InterfaceByName("near")
	require.NoError(t, err)
	socket, err := packet.OpenSender()
	require.NoError(t, err)
	defer socket.Close()
	require.Error(t, packet.SendOn(int(socket.Fd()), ifi.Index, make([]byte, 13)))
	require.NoError(t, packet.SendOn(int(socket.Fd()), ifi.Index, frame('!')))
	require.Equal(t, "!", hear(t, far, 1))
}

// TestClosed: a process that lets go says nothing, and its herald has ended when Close returns.
func TestClosed(t *testing.T) {
	far := cable(t)
	p := start(t, program("server"))
	for _, s := range []string{"keep a", "close"} {
		p.tell(t, s)
		p.expect(t, s)
	}
	p.tell(t, "exit")
	require.Error(t, p.Wait())
	silent(t, far)
}

// TestInterrupt: what ends the process is not to end the herald before it.
func TestInterrupt(t *testing.T) {
	far := cable(t)
	p := start(t, program("server"))
	p.tell(t, "keep a")
	p.expect(t, "keep a")
	herald := child(t, p.Process.Pid)
	group, err := unix.Getpgid(herald)
	require.NoError(t, err)
	require.NotEqual(t, group, unix.Getpgrp(), "a terminal's interrupt goes to its group")
	ignoresTerm(t, herald)
	require.NoError(t, unix.Kill(herald, syscall.SIGTERM))
	p.kill(t)
	require.Equal(t, strings.Repeat("a", len(pauses)), hear(t, far, len(pauses)))
}

// child is the one child of a process.
func child(t *testing.T, pid int) int {
	var out int
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	require.NoError(t, err)
	for _, task := range list {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		require.NoError(t, err)
		for _, f := range strings.Fields(string(b)) {
			require.Zero(t, out)
			_, err := fmt.Sscan(f, &out)
			require.NoError(t, err)
		}
	}
	require.NotZero(t, out)
	return out
}

// ignoresTerm waits until a process ignores SIGTERM.
func ignoresTerm(t *testing.T, pid int) {
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(t, err)
		for line := range strings.Lines(string(b)) {
			if s, ok := strings.CutPrefix(line, "SigIgn:"); ok {
				var mask uint64
				_, err := fmt.Sscanf(strings.TrimSpace(s), "%x", &mask)
				require.NoError(t, err)
				return mask>>(uint(syscall.SIGTERM)-1)&1 != 0
			}
		}
		return false
	}, 20*time.Second, time.Millisecond)
}

// TestPipe: a herald whose process is gone, of which the kernel has told nothing, sees it by the pipe.
func TestPipe(t *testing.T) {
	far := cable(t)
	m, file := shared(t)
	m.header().owner = 1 | waiters
	ifi, err := net.InterfaceByName("near")
	require.NoError(t, err)
	m.put(slots-1, ifi.Index, frame('x'))
	socket, err := packet.OpenSender()
	require.NoError(t, err)
	defer socket.Close()
	theirs, ours, err := os.Pipe()
	require.NoError(t, err)
	c := program("herald")
	c.ExtraFiles = []*os.File{file, socket, theirs}
	require.NoError(t, c.Start())
	require.NoError(t, theirs.Close())
	require.NoError(t, ours.Close())
	require.NoError(t, c.Wait())
	require.Equal(t, strings.Repeat("x", len(pauses)), hear(t, far, len(pauses)))
}

// TestMemory: a frame is whole or not there, and memory of another build, or of another size, is refused.
func TestMemory(t *testing.T) {
	m := memory(make([]byte, size))
	require.ErrorContains(t, m.check(), "version 0 (this build has 1)")
	m.header().version = version
	require.NoError(t, m.check())
	require.ErrorContains(t, m[:size-1].check(), "want")
	m.put(0, 7, frame('a'))
	m.put(slots-1, 8, make([]byte, maxFrame))
	m.slot(3).length = maxFrame + 1 // damaged
	var got []int
	for iface, f := range m.frames() {
		got = append(got, iface, len(f))
	}
	require.Equal(t, []int{7, len(frame('a')), 8, maxFrame}, got)
	m.clear(0)
	for iface := range m.frames() {
		require.Equal(t, 8, iface)
	}
}

// TestKeep: there is room for so many frames, of so many bytes, and what was dropped makes room.
func TestKeep(t *testing.T) {
	m := memory(make([]byte, size))
	f := &Farewell{memory: m, free: []int{1, 0}}
	v := Voice{f, 5}
	for _, bad := range [][]byte{nil, make([]byte, maxFrame+1)} {
		_, ok := v.Keep(bad)
		require.False(t, ok, "%d bytes", len(bad))
	}
	first, ok := v.Keep(frame('a'))
	require.True(t, ok)
	second, ok := v.Keep(frame('b'))
	require.True(t, ok)
	require.NotEqual(t, first, second)
	_, ok = v.Keep(frame('c'))
	require.False(t, ok)
	v.Drop(first)
	again, ok := v.Keep(frame('c'))
	require.True(t, ok)
	require.Equal(t, first, again)
}

// TestNoHerald: a process whose herald cannot be started is told so, each time, and goes on.
func TestNoHerald(t *testing.T) {
	needs.Root(t, "a packet socket")
	f := New(func() (*exec.Cmd, error) { return exec.Command("/nowhere"), nil })
	for range 2 {
		_, err := f.On("lo")
		require.ErrorContains(t, err, "farewell on lo: ")
		require.ErrorContains(t, err, "/nowhere")
	}
	_, err := f.On("no-such-if")
	require.ErrorContains(t, err, "farewell on no-such-if: ")
	require.NoError(t, f.Close())
}

// TestByHand: the herald, started by somebody who is no server, says so and does nothing.
func TestByHand(t *testing.T) {
	out, err := program("herald").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "only a server starts this")
}
