package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// patience bounds what must happen, for machines that are busy.
const patience = 90 * time.Second

// output is what a command has written so far.
type output struct {
	mu   sync.Mutex
	b    bytes.Buffer
	more chan struct{} // something came
}

func newOutput() *output { return &output{more: make(chan struct{}, 1)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// program is a command line of p4xc that runs until it is interrupted.
type program struct {
	out, err  *output
	interrupt context.CancelFunc
	ended     chan int // its exit status
}

// start starts a command line in this process. enter, when not nil, runs it somewhere else, such as in a network namespace.
func start(t *testing.T, enter func(func() error) error, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &program{out: newOutput(), err: newOutput(), interrupt: cancel, ended: make(chan int, 1)}
	if enter == nil {
		enter = func(f func() error) error { return f() }
	}
	var running sync.WaitGroup
	running.Go(func() {
		err := enter(func() error {
			p.ended <- cli.Run(ctx, command(), args, strings.NewReader(""), p.out, p.err)
			return nil
		})
		if err != nil {
			fmt.Fprintln(p.err, err)
			p.ended <- -1
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return p
}

// await waits until the program has written a text.
func (p *program) await(t *testing.T, text string) {
	t.Helper()
	end := time.After(patience)
	for !strings.Contains(p.out.String(), text) {
		select {
		case <-p.out.more:
		case code := <-p.ended:
			t.Fatalf("it has ended with %d:\n%s%s", code, p.out, p.err)
		case <-end:
			t.Fatalf("no %q:\n%s%s", text, p.out, p.err)
		}
	}
}

// end interrupts the program, and returns its exit status.
func (p *program) end(t *testing.T) int {
	t.Helper()
	p.interrupt()
	select {
	case code := <-p.ended:
		return code
	case <-time.After(patience):
		t.Fatal("it does not end")
		return -1
	}
}

// ends runs a command line to its end. One that does not end by itself is interrupted.
func ends(args ...string) (code int, stdout, stderr string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, err bytes.Buffer
	code = cli.Run(ctx, command(), args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

func ok(t *testing.T, args ...string) string {
	t.Helper()
	code, out, err := ends(args...)
	require.Zero(t, code, "%s%s", out, err)
	return out
}

// folder is a short one: sockets have short names.
func folder(t *testing.T) string {
	dir, err := os.MkdirTemp("", "p4xc-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func file(t *testing.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// looks is what an interface is set to.
func looks(t *testing.T, l *lab.Lab, name string) string {
	var s string
	require.NoError(t, l.InSwitch(func() error {
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		a := link.Attrs()
		s = fmt.Sprint(a.Flags, a.Promisc, a.MTU, a.Xdp != nil && a.Xdp.Attached)
		return nil
	}))
	return s
}

// end is a packet socket on a host's interface.
type end struct{ fd int }

func endOf(t *testing.T, l *lab.Lab, h *lab.Host) *end {
	e := &end{}
	require.NoError(t, l.InHost(h, func() error {
		i, err := net.InterfaceByName(lab.Interface)
		if err != nil {
			return err
		}
		all := uint16(unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8)
		if e.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(all)); err != nil {
			return err
		}
		tv := unix.NsecToTimeval(int64(patience))
		if err := unix.SetsockoptTimeval(e.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
			return err
		}
		return unix.Bind(e.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: i.Index})
	}))
	t.Cleanup(func() { unix.Close(e.fd) })
	return e
}

// test is the EtherType of frames of tests.
var test = []byte{0x88, 0xb5}

func (e *end) send(t *testing.T, frame []byte) {
	t.Helper()
	_, err := unix.Write(e.fd, frame)
	require.NoError(t, err)
}

// next is the next frame of a test that comes.
func (e *end) next(t *testing.T) []byte {
	t.Helper()
	b := make([]byte, 4096)
	for {
		n, from, err := unix.Recvfrom(e.fd, b, 0)
		require.NoError(t, err, "no frame comes")
		if ll, is := from.(*unix.SockaddrLinklayer); is && ll.Pkttype == unix.PACKET_OUTGOING {
			continue
		}
		if n >= 14 && bytes.Equal(b[12:14], test) {
			return b[:n]
		}
	}
}

func frame(to, from byte, what string) []byte {
	f := append([]byte{2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from}, test...)
	return append(f, fmt.Sprintf("%-50s", what)...)
}

const learning = "../../p4/l2/l2.p4"

// TestForward: one command compiles a program, loads it and forwards between interfaces, as a file of entries says; entries are changed
// from outside, and what was counted is shown. When it is interrupted, the interfaces are as they were.
func TestForward(t *testing.T) {
	needs.Root(t, "interfaces")
	source, err := filepath.Abs(learning) // the lab has a folder of its own
	require.NoError(t, err)
	for _, target := range []string{"xdp", "interp"} {
		t.Run(target, func(t *testing.T) {
			l, err := lab.New(2)
			require.NoError(t, err)
			defer l.Close()
			dir := folder(t)
			at := "unix:" + filepath.Join(dir, "s")
			list := file(t, dir, "l2.entries", `# who is where
source src=02:00:00:00:00:01 -> known(port=1)
source src=02:00:00:00:00:02 -> known(port=2)
destination dst=02:00:00:00:00:02 -> forward(port=2)   # the second host
multicast 1 -> 1, 2
`)
			args := []string{"run", source, "--target", target, "--entries", list, "--p4runtime", at, "--watch", "--every", "50ms"}
			var before []string
			for _, h := range l.Hosts {
				args = append(args, "--port", fmt.Sprintf("%d=%s", h.Port, h.PortInterface()))
				before = append(before, looks(t, l, h.PortInterface()))
			}
			run := start(t, l.InSwitch, args...)
			run.await(t, "destination hdr.ethernet.dst=02:00:00:00:00:02 -> forward(port=2)")
			one, two := endOf(t, l, l.Hosts[0]), endOf(t, l, l.Hosts[1])

			one.send(t, frame(2, 1, "by an entry of the file"))
			require.Equal(t, frame(2, 1, "by an entry of the file"), two.next(t))
			two.send(t, frame(1, 2, "to all, as the file says"))
			require.Equal(t, frame(1, 2, "to all, as the file says"), one.next(t))
			require.Contains(t, ok(t, "dump", "--p4runtime", at, "counter", "port_rx"), "counter port_rx[1] packets ")
			require.Equal(t, "written: 2 (replaced: 1)\n", ok(t, "write", "--p4runtime", at,
				"destination dst=02:00:00:00:00:07 -> forward(port=1)", "destination dst=02:00:00:00:00:02 -> forward(port=1)"))
			two.send(t, frame(7, 2, "by an entry that was written"))
			require.Equal(t, frame(7, 2, "by an entry that was written"), one.next(t))
			require.Equal(t, "written: 1 (replaced: 0)\n", ok(t, "write", "--p4runtime", at, "delete destination dst=02:00:00:00:00:02"))
			require.NotContains(t, ok(t, "dump", "--p4runtime", at, "table", "destination"), "dst=02:00:00:00:00:02")
			run.await(t, "dst=02:00:00:00:00:07 -> forward(port=1)")
			run.await(t, "counter port_tx[1] packets ")
			run.await(t, fmt.Sprintf("# port 1, %s: ", l.Hosts[0].PortInterface()))

			require.Zero(t, run.end(t), run.err)
			for i, h := range l.Hosts {
				require.Equal(t, before[i], looks(t, l, h.PortInterface()))
			}
			require.NoFileExists(t, filepath.Join(dir, "s"))
		})
	}
}

const stf = "../../dataplane/stf/testdata/l2.p4"

// interpreter runs a program on datagram sockets, which need no rights.
func interpreter(t *testing.T, dir, source, list string, more ...string) (p *program, at string) {
	at = "unix:" + filepath.Join(dir, "s")
	args := []string{"run", source, "--target", "interp", "--p4runtime", at,
		"--port", "1=unix:" + filepath.Join(dir, "a") + "," + filepath.Join(dir, "b")}
	if list != "" {
		args = append(args, "--entries", list)
	}
	p = start(t, nil, append(args, more...)...)
	p.await(t, " runs (interp): port 1 is unix:")
	return p, at
}

// TestRoundTrip: what is dumped can be written, on this switch and on another one, and is there then.
func TestRoundTrip(t *testing.T) {
	const all = `mac hdr.eth.dst=02:00:00:00:00:01 -> send(port=1)
mac hdr.eth.dst=02:00:00:00:00:02 -> flood(group=7)
mac default -> flood(group=1)

routes hdr.ip.dst=10.0.0.0/8 -> route(port=2, dst=02:00:00:00:00:09)
routes -> drop()
routes default -> drop()

acl hdr.ip.tos[7:4]=0x4 &&& 0xc, hdr.ip.len=80..443, hdr.ip.$valid$=1 -> drop() priority 10
acl hdr.ip.$valid$=0 -> NoAction() priority 1
acl default -> NoAction()

multicast 1 -> 1, 2:5
multicast 7 -> 1

register seen[3] 4660

counter rx[1] packets 10 bytes 1000
`
	dir := folder(t)
	run, at := interpreter(t, dir, stf, file(t, dir, "list", all))
	require.Contains(t, run.out.String(), "statements written: 13\np4xc dump --p4runtime "+at+" shows its tables")
	require.Equal(t, all, ok(t, "dump", "--p4runtime", at))
	saved := file(t, dir, "saved", ok(t, "dump", "--p4runtime", at))
	require.Equal(t, "written: 13 (replaced: 8)\n", ok(t, "write", "--p4runtime", at, "--file", saved))
	require.Equal(t, all, ok(t, "dump", "--p4runtime", at))

	other := folder(t)
	_, second := interpreter(t, other, stf, "")
	require.NotEqual(t, all, ok(t, "dump", "--p4runtime", second))
	ok(t, "write", "--p4runtime", second, "--file", saved)
	require.Equal(t, all, ok(t, "dump", "--p4runtime", second))
	require.Contains(t, ok(t, "dump", "--p4runtime", second, "counter", "--all"), "counter rx[0] packets 0 bytes 0\n")
	require.Contains(t, ok(t, "dump", "--p4runtime", second, "--json"), `"hdr.ip.dst": "10.0.0.0/8"`)

	ok(t, "write", "--p4runtime", second, "--delete", "routes dst=10.0.0.0/8", "acl valid=0 -> NoAction() priority 1", "multicast 7")
	left := ok(t, "dump", "--p4runtime", second)
	require.NotContains(t, left, "10.0.0.0/8")
	require.NotContains(t, left, "priority 1\n")
	require.NotContains(t, left, "multicast 7")

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, errs := newOutput(), newOutput()
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(ctx, command(), []string{"dump", "--p4runtime", second, "counter", "--watch", "--every", "10ms"}, strings.NewReader(""), out, errs)
	}()
	watch := &program{out: out, err: errs, interrupt: cancel, ended: done}
	watch.await(t, "counter rx[1] packets 10 bytes 1000\n")
	ok(t, "write", "--p4runtime", second, "counter rx[1] packets 500 bytes 1000")
	watch.await(t, " packets/s\n")
	require.Zero(t, watch.end(t), errs)
}

const balancing = "../../dataplane/stf/testbed/testdata/profiles.p4"

// TestProfiles: members and groups of action profiles, and entries with several actions, are written from a file in whatever order,
// shown, written back, changed, and deleted.
func TestProfiles(t *testing.T) {
	const all = `member next[1] -> send(port=5, tag=1)
member next[2] -> send(port=6, tag=2)

member marks[3] -> mark(type=0x1234)

member_group next[7] -> 1 weight 3 watch 5, 2 watch 6 max_size 8
member_group next[8] ->

first low=1 -> member_group 7
first low=2 -> member 2
first default -> drop()

second low=3 -> member_group 8 priority 1
# const: second default -> send(port=9, tag=99)

marked type=0x800 -> member 3
marked default -> NoAction()

third low=256/8 -> send(port=5, tag=1) weight 2, send(port=6, tag=2) watch 6, send(port=5, tag=3)
third low=512/8 -> send(port=5, tag=1)
third low=768/8 -> ()
third default -> NoAction()
`
	dir := folder(t)
	// Entries come first in the file, then the groups, then the members.
	members, rest, _ := strings.Cut(all, "member_group")
	groups, tables, _ := strings.Cut(rest, "first")
	run, at := interpreter(t, dir, balancing, file(t, dir, "list", "first"+tables+"member_group"+groups+members))
	require.Contains(t, run.out.String(), "statements written: 15\n")
	require.Equal(t, all, ok(t, "dump", "--p4runtime", at))
	saved := file(t, dir, "saved", ok(t, "dump", "--p4runtime", at))
	require.Equal(t, "written: 15 (replaced: 12)\n", ok(t, "write", "--p4runtime", at, "--file", saved))
	require.Equal(t, all, ok(t, "dump", "--p4runtime", at))

	_, second := interpreter(t, folder(t), balancing, "")
	require.Equal(t, "# nothing, or nothing but 0\n", ok(t, "dump", "--p4runtime", second, "profile"))
	require.Equal(t, "written: 15 (replaced: 0)\n", ok(t, "write", "--p4runtime", second, "--file", saved))
	require.Equal(t, all, ok(t, "dump", "--p4runtime", second))
	require.Equal(t, "member marks[3] -> mark(type=0x1234)\n", ok(t, "dump", "--p4runtime", second, "profile", "marks"))
	require.Contains(t, ok(t, "dump", "--p4runtime", second, "--json"), `"member_group": 7`)
	require.Contains(t, ok(t, "__complete", "dump", "--p4runtime", second, "profile", ""), "marks\nnext\nold\n")

	// A member leaves a group and an entry before it is deleted, whatever the order of the statements.
	require.Equal(t, "written: 4 (replaced: 2)\n", ok(t, "write", "--p4runtime", second, "delete member next[2]",
		"first low=2 -> member 3", "member_group next[7] -> 1, 3 max_size 8", "member next[3] -> drop()"))
	require.Equal(t, `member next[1] -> send(port=5, tag=1)
member next[3] -> drop()

member_group next[7] -> 1, 3 max_size 8
member_group next[8] ->
`, ok(t, "dump", "--p4runtime", second, "profile", "next"))
	require.Equal(t, "first low=1 -> member_group 7\nfirst low=2 -> member 3\nfirst default -> drop()\n", ok(t, "dump", "--p4runtime", second, "table", "first"))

	// What the switch refuses has its place.
	code, _, err := ends("write", "--p4runtime", second, "first low=9 -> member 9", "delete member next[1]")
	require.Equal(t, 1, code)
	require.Contains(t, err, `statement:1: table "pipe.Ctl.first": action: action profile "pipe.Ctl.next" has no member 9`)
	require.Contains(t, err, `statement:2: action profile "pipe.Ctl.next": member 1: 1 groups and entries name it`)

	// A dump says what to delete.
	now := file(t, dir, "now", ok(t, "dump", "--p4runtime", second))
	ok(t, "write", "--p4runtime", second, "--delete", "--file", now)
	require.Equal(t, "# nothing, or nothing but 0\n", ok(t, "dump", "--p4runtime", second, "profile"))
	require.Equal(t, "third default -> NoAction()\n", ok(t, "dump", "--p4runtime", second, "table", "third"))
}

// TestPrograms: of every program of p4ce, and of one with meters, what is dumped can be written, and changes nothing. Names of tables are
// completed.
func TestPrograms(t *testing.T) {
	needs.Time(t, "programs are compiled")
	statements := map[string][]string{
		"l2":    {"digest learn_digest max_list 4 max_wait 10ms ack 1s", "source src=02:00:00:00:00:01 -> known(port=1) idle 1h0m0s metadata 0x01"},
		"rdma":  {"register sent[5] 77", "l2 dst=02:00:00:00:00:09 -> Ingress.forward.forward(port=3)"},
		"meter": {"meter packets[1] cir 1000 cburst 10 pir 2000 pburst 20"},
	}
	sources, err := filepath.Glob("../../p4/*/*.p4")
	require.NoError(t, err)
	ran := 0
	for _, source := range append(sources, "../../dataplane/stf/testbed/testdata/meter.p4") {
		name := strings.TrimSuffix(filepath.Base(source), ".p4")
		if filepath.Base(filepath.Dir(source)) != name && name != "meter" {
			continue // a part of a program
		}
		ran++
		t.Run(name, func(t *testing.T) {
			run, at := interpreter(t, folder(t), source, "")
			for _, s := range statements[name] {
				ok(t, "write", "--p4runtime", at, s)
			}
			dump := ok(t, "dump", "--p4runtime", at)
			for _, s := range statements[name] {
				last := s[strings.LastIndexAny(s, " .")+1:]
				require.True(t, strings.Contains(dump, last+"\n"), s)
			}
			written := 0
			for l := range strings.Lines(dump) {
				if l != "\n" && l[0] != '#' {
					written++
				}
			}
			if written > 0 {
				saved := file(t, folder(t), "saved", dump)
				require.Contains(t, ok(t, "write", "--p4runtime", at, "--file", saved), fmt.Sprintf("written: %d (", written))
			}
			require.True(t, dump == ok(t, "dump", "--p4runtime", at), "it is as before")
			require.Zero(t, run.end(t))
		})
	}
	require.Greater(t, ran, 5)
}

// TestCompletion: subjects, and the names that the switch has.
func TestCompletion(t *testing.T) {
	_, at := interpreter(t, folder(t), stf, "")
	require.Contains(t, ok(t, "__complete", "dump", "--p4runtime", at, ""), "table\n")
	require.Contains(t, ok(t, "__complete", "dump", "--p4runtime", at, "table", ""), "acl\nmac\nroutes\n")
	require.Contains(t, ok(t, "__complete", "dump", "--p4runtime", at, "register", "se"), "seen\n")
	require.Contains(t, ok(t, "__complete", "dump", "--p4runtime", "unix:/nowhere", "table", ""), ":4\n", "nothing, and no files")
}

// TestWrong: every kind of wrong input has its place and what would be right, and the exit status says whose it is.
func TestWrong(t *testing.T) {
	dir := folder(t)
	bad := file(t, dir, "bad.entries", "mac dst=1 -> send(port=1)\n\nmac dst=2 -> snd(port=1)\nmac dst=3 -> send(port=512)\n")
	port := "--port=1=unix:" + filepath.Join(dir, "x") + "," + filepath.Join(dir, "y")
	here := "--p4runtime=unix:" + filepath.Join(dir, "other")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, []string{"run"}, "p4xc: the program is missing (see p4xc run --help)"},
		{2, []string{"run", stf}, "a program needs ports (--port 1=INTERFACE --port 2=INTERFACE ...)"},
		{2, []string{"run", stf, "--port", "veth0"}, `port "veth0": want NUMBER=INTERFACE with a number from 0 to 510, for instance 1=veth1`},
		{2, []string{"run", stf, port, "--target", "tofino"}, `--target "tofino": xdp or interp`},
		{2, []string{"run", stf, port, "--p4runtime", "nowhere"}, "--p4runtime: "},
		{2, []string{"run", stf, port, "--every", "1ns"}, "--every: want 10ms to 1h"},
		{2, []string{"run", stf, port, "--target", "interp", "--entries", dir + "/none"}, "--entries: "},
		{1, []string{"run", "none.p4", port}, `P4010: "none.p4" cannot be read`},
		{1, []string{"run", "../../dataplane/p4xc/testdata/none.p4", port}, "cannot be read"},
		{1, []string{"run", stf, port, here, "--target", "interp", "--entries", bad}, bad + `:3: table mac: action "snd": the program has none of this name (did you mean pipe.Ctl.send?)` + "\n" +
			bad + ":4: table mac: action send: parameter port: 512 is too large: the field has 9 bits, the largest value is 511\n"},
		{1, []string{"run", stf, "--port", "1=none0", here, "--target", "interp"}, "none0"},
		{1, []string{"run", stf, port, "--port", "1=unix:c,d", here, "--target", "interp"}, "port 1: given twice"},
		{1, []string{"run", stf, port, "--p4runtime", "127.0.0.1:0", "--target", "interp"}, "anyone who reaches 127.0.0.1:0 could control the switch"},
		{2, []string{"dump", "tables"}, `"tables": want table, profile, counter, register, meter, group or digest, and perhaps a name`},
		{2, []string{"dump", "table", "mac", "all"}, `unexpected argument "all"`},
		{2, []string{"dump", "--watch", "--json"}, "--watch and --json: one of them"},
		{2, []string{"dump", "--p4runtime", "nowhere"}, "--p4runtime: "},
		{1, []string{"dump", here}, "does not answer [does a switch run there? p4xc run, or p4ce switch; --p4runtime says where]: "},
		{2, []string{"write"}, "what is to be written? Statements, or --file"},
		{2, []string{"write", "--file", bad, "x"}, "statements, or --file, not both"},
		{2, []string{"write", "--election-id", "0", "x"}, "--election-id 0: want a number from 1, or HIGH:LOW"},
		{2, []string{"write", "mac dst=1\n-> x()"}, "a statement is one line"},
		{1, []string{"write", "mac dst=1"}, "statement:1: -> is missing [TABLE KEY=VALUE"},
		{2, []string{"write", "--file", dir + "/none"}, "no such file"},
	} {
		code, out, err := ends(c.args...)
		require.Equal(t, c.code, code, "%s\n%s", c.args, err)
		require.Contains(t, err, c.want, c.args)
		require.Empty(t, out, c.args)
	}

	// What only the switch can say has the place of the statement, too; the other statements are written.
	run, at := interpreter(t, dir, stf, "")
	groups := file(t, dir, "groups", "multicast 1 -> 1\n# no such port\nmulticast 2 -> 511\nmac dst=5 -> send(port=1)\n")
	code, _, err := ends("write", "--p4runtime", at, "--file", groups)
	require.Equal(t, 1, code)
	require.Contains(t, err, groups+":3: multicast group 2: replica 0: port 511")
	require.Contains(t, ok(t, "dump", "--p4runtime", at), "multicast 1 -> 1\n")
	code, _, err = ends("dump", "--p4runtime", at, "table", "macs")
	require.Equal(t, 1, code)
	require.Contains(t, err, `table "macs": the program has none of this name (did you mean pipe.Ctl.mac?)`)
	code, _, err = ends("dump", "--p4runtime", at, "--device-id", "2")
	require.Equal(t, 1, code)
	require.Contains(t, err, "device_id 2: this server has device 1")
	require.NotContains(t, err, "rpc error")
	code, _, err = ends("run", stf, "--target", "interp", "--p4runtime", at, port)
	require.Equal(t, 1, code)
	require.Contains(t, err, "is in use [is another switch running? choose another with --p4runtime]")
	require.Zero(t, run.end(t))

	code, _, err = ends("run", stf, port, here, "--target", "interp", "--entries", groups)
	require.Equal(t, 1, code)
	require.Contains(t, err, groups+":3: multicast group 2: replica 0: port 511")
}

// TestWrittenWhole: nothing is written of what has an error that can be seen before.
func TestWrittenWhole(t *testing.T) {
	_, at := interpreter(t, folder(t), stf, "")
	code, _, errs := ends("write", "--p4runtime", at, "multicast 1 -> 1", "mac dst=1 -> snd(port=1)")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "statement:2: ")
	require.NotContains(t, ok(t, "dump", "--p4runtime", at), "multicast")
}

// TestElection: a switch is written to by one controller at a time, and who may not is told what would help.
func TestElection(t *testing.T) {
	dir := folder(t)
	_, at := interpreter(t, dir, stf, "")
	c, err := p4rtclient.New(p4rtclient.Options{Address: at, ElectionHigh: 1, ElectionLow: 5})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	primary, gone := make(chan bool, 10), make(chan error, 1)
	go func() {
		gone <- c.Run(ctx, p4rtclient.Handler{Mastership: func(_ context.Context, is bool) { primary <- is }})
	}()
	require.True(t, <-primary)

	code, _, errs := ends("write", "--p4runtime", at, "multicast 1 -> 1")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "a controller with election id 1:5 writes to it [a higher --election-id takes over from it; another --role writes beside it]")
	require.NotContains(t, ok(t, "dump", "--p4runtime", at), "multicast", "who only reads may")
	ok(t, "write", "--p4runtime", at, "--role", "beside", "multicast 2 -> 1")
	ok(t, "write", "--p4runtime", at, "--election-id", "1:6", "multicast 1 -> 1")
	require.False(t, <-primary, "it has been taken over from")
	cancel()
	<-gone
	code, _, errs = ends("write", "--p4runtime", at, "multicast 1 -> 2")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "a controller with election id 1:6 wrote to it, and has gone [--election-id 1:6 takes its place]")
	ok(t, "write", "--p4runtime", at, "--election-id", "1:6", "multicast 1 -> 2")
	require.Contains(t, ok(t, "dump", "--p4runtime", at), "multicast 1 -> 2\nmulticast 2 -> 1\n")
}

// TestTLS: over TCP, switch and client know each other by certificates.
func TestTLS(t *testing.T) {
	dir := folder(t)
	ours := certstest.New(t, dir, "ours")
	sw, client := ours.Issue("127.0.0.1"), ours.Issue("client")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := l.Addr().String()
	l.Close()
	p := start(t, nil, "run", stf, "--target", "interp", "--p4runtime", at, "--port", "1=unix:"+filepath.Join(dir, "a")+","+filepath.Join(dir, "b"),
		"--tls-cert", sw.Cert, "--tls-key", sw.Key, "--tls-ca", ours.File())
	p.await(t, "Ctrl-C ends it")
	require.Contains(t, ok(t, "dump", "--p4runtime", at, "--tls-cert", client.Cert, "--tls-key", client.Key, "--tls-ca", ours.File()), "mac default -> drop()")
	code, _, errs := ends("dump", "--p4runtime", at)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "does the switch want TLS? Then give --tls-cert, --tls-key and --tls-ca")
}
