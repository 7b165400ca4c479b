package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/lab/ownnet"
)

// asCommand makes the test binary be p4ce, so that the tests run processes as a
// user does, and the demo, which starts itself, can too.
const asCommand = "P4CE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	ownnet.Enter()
	os.Exit(m.Run())
}

// shell runs p4ce in a world of its own: a temporary folder, and a user without
// privilege if asked for.
type shell struct {
	dir  string // TMPDIR of the command
	self string
	cred *syscall.Credential
}

func newCLI(t *testing.T) *shell {
	self, err := os.Executable()
	require.NoError(t, err)
	return &shell{dir: t.TempDir(), self: self}
}

// nobody is the user that root becomes in tests without privilege.
const nobody = 65534

// newUnprivilegedCLI is not root, whoever runs the test.
func newUnprivilegedCLI(t *testing.T) *shell {
	c := newCLI(t)
	if os.Geteuid() != 0 {
		return c
	}
	// Not t.TempDir(), whose parents only root may enter.
	base, err := os.MkdirTemp("", "p4ce-test-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	require.NoError(t, os.Chmod(base, 0o755))
	data, err := os.ReadFile(c.self)
	require.NoError(t, err)
	c.self, c.dir = filepath.Join(base, "p4ce"), filepath.Join(base, "tmp")
	// A process that another test forks meanwhile would hold the file open for writing,
	// and nobody could run it.
	syscall.ForkLock.RLock()
	err = os.WriteFile(c.self, data, 0o755)
	syscall.ForkLock.RUnlock()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(c.dir, 0o700))
	require.NoError(t, os.Chown(c.dir, nobody, nobody))
	c.cred = &syscall.Credential{Uid: nobody, Gid: nobody}
	return c
}

func (c *shell) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+c.dir)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.cred, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// run runs p4ce to its end and returns its exit status and what it printed.
func (c *shell) run(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := c.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "p4ce %v does not end\n%s%s", args, &out, &errs)
	if _, ok := err.(*exec.ExitError); !ok {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// requireNothingLeft: no file, and no process that was started with our TMPDIR.
func (c *shell) requireNothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	require.Empty(t, left)
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, e := range environs {
		b, _ := os.ReadFile(e) // gone, or somebody else's
		require.NotContains(t, string(b), "TMPDIR="+c.dir+"\x00", "%s is still there", filepath.Dir(e))
	}
}

// requireError: the command ends with the status and one line that says why.
func (c *shell) requireError(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	got, stdout, stderr := c.run(t, strings.NewReader(""), args...)
	require.Equal(t, code, got, "p4ce %v\n%s%s", args, stdout, stderr)
	require.Regexp(t, `^p4ce: [^\n]+\n$`, stderr, "p4ce %v: one line", args)
	require.Contains(t, stderr, want, "p4ce %v", args)
	require.Empty(t, stdout, "p4ce %v", args)
}

// files makes the inputs that the cases below name.
func (c *shell) files(t *testing.T) {
	t.Helper()
	for name, data := range map[string]string{"empty": "", "text": "a few words\n", "wide": "99999999999999999999", "big": strings.Repeat("x", 300000)} {
		require.NoError(t, os.WriteFile(filepath.Join(c.dir, name), []byte(data), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "folder"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "open"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(c.dir, "open"), 0o755)) // whatever the umask is
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "open", "data"), nil, 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(c.dir, "fifo"), 0o600))
}

type badCase struct {
	args string
	code int
	want string
}

func (c *shell) check(t *testing.T, cases []badCase) {
	c.files(t)
	for _, tt := range cases {
		c.requireError(t, tt.code, tt.want, strings.Fields(tt.args)...)
	}
	for _, name := range []string{"empty", "text", "wide", "big", "folder", "open", "fifo"} {
		require.NoError(t, os.RemoveAll(filepath.Join(c.dir, name)))
	}
	c.requireNothingLeft(t)
}

func TestBadUsage(t *testing.T) {
	newCLI(t).check(t, []badCase{
		{"nonsense", 2, `unknown command "nonsense" for "p4ce" (see p4ce --help)`},
		{"group nonsense", 2, `unknown command "nonsense" for "p4ce group" (see p4ce group --help)`},
		{"node --role leader --interface lo --link-rate -1", 2, "--link-rate -1: not negative"},
		{"node --role leader --rdma verbs --link-rate 1", 2, "--link-rate is for --rdma soft"},
		{"kv --id 1 --data x --rdma verbs --run-to-completion", 2, "--run-to-completion is for --rdma soft"},
		{"kv --id 1 --data x --interface lo --heartbeat 1us", 2, "--heartbeat 1µs: from 50us to 10s"},
		{"kv --id 1 --data x --interface lo --reads never", 2, `--reads "never": want barrier or lease`},
		{"demo --nonsense", 2, "unknown flag: --nonsense (see p4ce demo --help)"},
		{"demo --replicas x", 2, `invalid argument "x" for "--replicas": not a valid number`},
		{"demo --replicas 99999999999999999999", 2, `"--replicas": out of range`},
		{"status --nonsense", 2, "unknown flag"},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1", 2, `--cluster 1...: want ID=TOKEN[,PREFIX...]`},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=7", 2, `--cluster 1=...: token: want @FILE or env:NAME [all users of this machine can read`},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster x=0", 2, `--cluster x...: want ID=TOKEN[,PREFIX...]`},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=@none", 2, `--cluster 1=...: token: open none: no such file`},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=@text", 2, `--cluster 1=...: token: text is not a number`},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=env:NO_SUCH_NAME", 2, `token: NO_SUCH_NAME is not in the environment`},
		{"kv --token 7", 2, "token: want @FILE or env:NAME"},
		{"node --token @wide", 2, "token: wide is more than 64 bits"},
		{"node --token @text", 2, "token: text is not a number"},
		{"node --token @big", 2, "token: big has 300000 bytes (at most 1024)"},
		{"node --token @fifo", 2, "token: fifo is not a regular file"},
		{"kv --token @/dev/zero", 2, "token: /dev/zero is not a regular file"},
		{"kv --id 1 --data x --interface lo --member 1=127.0.0.1,127.0.0.1:1 --users fifo", 1, "--users: fifo is not a regular file"},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --store open", 1, "open has mode 0755"},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --admin 127.0.0.1:0 --admin-tls-cert fifo --admin-tls-key fifo --admin-tls-ca fifo", 1, "fifo is not a regular file"},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=0,10.0.0.0", 2, `"10.0.0.0" is not a prefix`},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --admin 127.0.0.1:0", 1, "admin: anyone who reaches 127.0.0.1:0 could control the switches [give a certificate"},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --port-group 4=1", 2, "--port-group: port group \"4=1\": port groups are numbered from 512"},
		{"controller --address 10.0.0.1 --mac 02:00:00:00:00:01 --port-class 4=1", 2, "--port-group: port group \"4=1\""},
		{"controller --tls-cert x --tls-key x", 2, "--tls-cert needs --tls-ca, to verify the other side"},
		{"controller --tls-ca none", 1, "tls: stat none: no such file"},
		{"controller --tls-ca text", 1, "tls: CA text: contains no certificate"},
		{"status --tls-ca text", 1, "tls: CA text: contains no certificate"},
		{"group list --tls-cert x", 2, "--tls-cert and --tls-key: give both"},
		{"controller --switch x=none", 2, `no application for program "none" [programs: amcast, l2, `},
		{"controller --switch x=l2,colour=red", 2, `unknown key "colour" [keys: device-id, name]`},
		{"controller --switch =l2", 2, "want ADDRESS[=PROGRAM[,KEY=VALUE...]]"},
		{"controller --switch x=l2 --ports 511", 2, "ports go from 0 to 510"},
		{"controller --punt-rate 0", 2, "-1: no limit"},
		{"controller --ecn-share 120", 2, "--ecn-share 120: want 1 to 100"},
		{"controller --ecn-queue much", 2, "does not begin with a number"},
		{"controller --ecn-queue 2GiB", 2, "1 byte to 1 GiB"},
		{"controller --ecn-rate fast", 2, "does not begin with a number"},
		{"controller --ecn-rate 9Tb/s", 2, "up to 8Tb/s"},
		{"controller --ecn-rate 0b/s", 2, "up to 8Tb/s"},
		{"controller --ecn-rate x=1Gb/s", 2, "is not a number from 0 to 510"},
		{"controller --ecn-rate 511=1Gb/s", 2, "is not a number from 0 to 510"},
		{"controller --ecn-rate s1:x=1Gb/s", 2, "is not a number"},
		{"controller --ecn-rate s1:1=1Gb/s --mac 02:00:00:00:00:01 --address 10.0.0.1", 1, "link rate of switch s1: no such switch"},
		{"controller --punt-rate -2 --mac 02:00:00:00:00:01 --address 10.0.0.1", 1, "punt rate -2"},
		{"controller", 2, "which needs --mac and --address"},
		{"controller --store etcd:", 2, `"" is not an endpoint [want HOST:PORT or unix:PATH]`},
		{"controller --store etcd:https://127.0.0.1:2379", 2, "is not an endpoint [want HOST:PORT or unix:PATH]"},
		{"controller --store etcd:127.0.0.1:2379", 2, "anyone who reaches it could control the switches [give a certificate"},
		{"controller --store etcd:127.0.0.1:2379 --store-cert x --store-key x", 2, "--store-cert needs --store-ca, to verify the other side"},
		{"controller --store etcd:127.0.0.1:2379 --store-ca none", 1, "tls: stat none: no such file"},
		{"controller --store etcd:unix:nobody.sock --store-ttl 100ms", 1, "a lease of 100ms: want whole seconds"},
		{"controller --store embedded:", 2, "want embedded:FOLDER"},
		{"controller --store embedded:d --store-ca x", 2, "listens on a unix socket in its folder"},
		{"controller --store d --name x", 2, "--name belongs to --store etcd:ENDPOINTS"},
		{"controller --deployment no-such-file", 2, "--deployment needs --journal, or --store etcd:ENDPOINTS [a round must not be given out twice]"},
		{"controller --deployment no-such-file --journal j", 2, "--deployment: open no-such-file: no such file or directory"},
		{"controller --deployment empty --journal j", 2, "--deployment empty: the file is empty"},
		{"controller --deployment empty --switch x=l2", 2, "--deployment names the switches [leave out --switch]"},
		{"controller --deployment empty --topology empty", 2, "each names the switches"},
		{"controller --switch x=paxos", 2, "runs paxos, which needs --deployment"},
		{"controller --store embedded:d", 1, "the program p4etcd is neither in "},
		{"controller --journal j --switch x=l2", 2, "--journal needs --deployment"},
		{"paxos show", 2, "accepts 1 arg(s), received 0"},
		{"paxos lead log", 2, "accepts 2 arg(s), received 1"},
		{"paxos list --controller unix:nobody.sock", 1, "controller unix:nobody.sock: nobody answers [is the controller running, with --admin unix:nobody.sock?]"},
	})
}

func TestDemoBadInput(t *testing.T) {
	newCLI(t).check(t, []badCase{
		{"demo --input no-such-file", 1, "input: open "},
		{"demo --input empty", 1, "input: empty is empty: there is nothing to replicate"},
		{"demo --input -", 1, "input: standard input is empty: there is nothing to replicate"},
		{"demo --input folder", 1, "input: folder is a directory"},
		{"demo --replicas 9", 2, "--replicas 9: a group has 1 to 8 replicas"},
		{"demo --replicas 0", 2, "--replicas 0"},
		{"demo --policy nonsense", 2, `--policy: policy "nonsense": want quorum or all`},
		{"demo --target nonsense", 2, `--target "nonsense": xdp or interp`},
		{"demo --wire nonsense", 2, `--wire "nonsense": auto, kernel, xdp or packet`},
		{"demo --window 0", 2, "--window 0: at least one record is under way"},
		{"demo --share -1", 2, "--share -1: a negative number of bytes"},
		{"demo --kv --share 1000", 2, "--share is not for --kv"},
		{"demo --record-size 0", 2, "--record-size 0: a record has at least one byte"},
		{"demo --record-size 300000", 2, "--record-size 300000: at most "},
		{"demo --count -1", 2, "--count -1: a negative number of records"},
		{"demo --target interp --pcap f", 2, "--pcap records the XDP switch"},
		{"demo argument", 2, "unknown command"},
	})
}

func TestSwitchBadInput(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	busy := l.Addr().String()
	interp := "switch --target interp --listen unix:p4rt.sock "
	one := "--port 1=unix:a "
	newCLI(t).check(t, []badCase{
		{"switch", 2, "a switch needs ports"},
		{"switch --target nonsense", 2, `--target "nonsense": xdp or interp`},
		{"switch --port nonsense", 2, `port "nonsense": want NUMBER=INTERFACE`},
		{"switch --port 511=eth0", 2, `port "511=eth0": want NUMBER=INTERFACE with a number from 0 to 510`},
		{"switch --target interp --port 1=unix:a --insecure --listen " + busy, 1, "p4runtime: address " + busy + " is in use [is another switch running? choose another with --listen]"},
		{"switch --target interp --port 1=unix:a --insecure --listen nonsense", 1, `p4runtime: address "nonsense"`},
		{interp + "--port 1=no-such-if", 1, `port 1: interface "no-such-if" does not exist`},
		{interp + "--port 1=unix:a --port 1=unix:b", 1, "port 1: given twice"},
		{interp + "--port 64=unix:a", 1, "port 64: is the CPU port"},
		{interp + "--port 1=unix:no/such/folder", 1, "no such file or directory"},
		{interp + "--port 1=unix:text", 1, "text exists and is not a socket"},
		{interp + "--port 1=udp:nonsense", 1, "want udp:ADDRESS:PORT"},
		{interp + one + "--metrics " + busy, 1, "choose another with --metrics"},
		{interp + one + "--pin p", 1, "target interp has no data plane to keep"},
		{"switch --port 1=eth0 --pin p --capture f", 1, "a data plane that is captured cannot be kept"},
		{"switch --target interp --port 1=unix:a --listen 127.0.0.1:0", 1, "p4runtime: anyone who reaches 127.0.0.1:0 could control the switch [give a certificate, its key and the CA of the clients (--tls-cert, --tls-key, --tls-ca), listen on unix:PATH, or accept this with --insecure]"},
		{"switch --port 1=eth0 --tls-cert x", 2, "--tls-cert and --tls-key: give both"},
		{"switch --port 1=eth0 --tls-ca x", 2, "--tls-ca needs --tls-cert and --tls-key"},
		{interp + one + "--tls-cert text --tls-key text", 1, "tls: certificate text, key text: "},
		{interp + one + "--rights text", 1, "rights: --tls-ca is needed [clients are identified by their certificates]"},
		{"switch --detach", 2, "--detach needs --pin"},
		{"switch --detach --pin no-such-folder", 1, "folder no-such-folder holds no data plane"},
		{interp + one + "--capture f", 1, "target interp cannot record packets"},
	})
}

func TestNodeBadInput(t *testing.T) {
	at := " --wire unix:a,b --address 10.0.0.2 --mac 02:00:00:00:00:02 --gateway-mac 02:00:00:00:00:01 "
	replica, leader := "node --role replica"+at, "node --role leader"+at+"--replicas 10.0.0.3 "
	newCLI(t).check(t, []badCase{
		{"node", 2, "--role must be leader or replica"},
		{"node --role replica", 2, "--interface is missing"},
		{"node --role replica --interface no-such-if", 1, "interface no-such-if does not exist"},
		{"node --role replica --rdma hard", 2, "--rdma must be soft or verbs, not \"hard\""},
		{"node --role replica --interface lo --device rxe0", 2, "--device and --gid-index are for --rdma verbs"},
		{"node --role replica --rdma verbs --interface lo", 2, "an RDMA device has a network interface of its own (--device)"},
		{"node --role replica --rdma verbs --address lo", 2, "--address \"lo\" is not an IPv4 address"},
		{"node --role replica --interface lo --wire nonsense", 2, "--wire must be auto, kernel, xdp, packet, udp, unix:LOCAL,PEER or udp:LOCAL,PEER"},
		{"node --role replica --interface lo --mac 02:00:00:00:00:02", 2, "--mac and --gateway-mac are for unix: and udp: wires"},
		{"node --role replica --wire unix:a", 2, "want unix:LOCAL,PEER"},
		{"node --role replica --wire unix:a,b", 2, "--wire unix:a,b needs --address, --mac and --gateway-mac"},
		{replica + "--interface lo", 2, "a server has an interface or sockets"},
		{replica + "--wire unix:text,b", 1, "text exists and is not a socket"},
		{replica + "--address nonsense", 2, `--address "nonsense" is not an IPv4 address`},
		{replica + "--mac nonsense", 2, `--mac "nonsense" is not an Ethernet address`},
		{replica + "--gateway-mac nonsense", 2, `--gateway-mac "nonsense" is not an Ethernet address`},
		{replica + "--log-size 1000", 1, "log size: 1000 (want a power of two"},
		{replica + "--mu --window 0", 2, "--window 0: at least one record"},
		{replica + "--mu --record-size 0", 2, "mode mu: --record-size 0 and --window 64"},
		{replica + "--mu --service-port 65534", 2, "--service-port 65534: mode mu uses the next two"},
		{leader, 2, "--input is missing: want a file to replicate"},
		{leader + "--replicas nonsense --input text", 2, `--replicas: "nonsense" is not an address`},
		{leader + "--input no-such-file", 1, "input: open "},
		{leader + "--input empty", 1, "input empty is empty: there is nothing to replicate"},
		{leader + "--input folder", 1, "is a directory"},
		{leader + "--input text --policy nonsense", 2, `policy "nonsense": want quorum or all`},
		{leader + "--input text --record-size 0", 2, "--record-size 0"},
		{leader + "--input text --share -1", 2, "--share -1"},
		{leader + "--input text --bursts 0 --count 1", 2, "--bursts 0: 1 to the window (--window 64)"},
		{leader + "--input text --bursts 100 --count 1", 2, "--bursts 100: 1 to the window (--window 64)"},
		{leader + "--input text --bursts 10", 2, "--bursts needs --count, the number of bursts of each size"},
		{leader + "--input text --count -1", 2, "--count -1"},
		{leader + "--input text --modes nonsense", 2, `--modes: "nonsense" is none of direct, accelerated, direct-shared, accelerated-shared and mu`},
		{leader + "--input text --modes mu --window 9999", 2, "mode mu: --record-size 128 and --window 9999"},
		{leader + "--input text --modes accelerated", 2, "--modes accelerated needs --switch"},
		{leader + "--input text --switch nonsense", 2, `--switch: "nonsense" is not an address`},
		{leader + "--input big --record-size 300000", 1, "record limit 300000 (a log of 1048576 bytes allows"},
	})
}

// TestWithoutRoot: what needs root says so, and what is not readable too.
func TestWithoutRoot(t *testing.T) {
	c := newUnprivilegedCLI(t)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0))
	c.requireError(t, 1, "permission denied", "demo", "--input", secret)
	c.requireError(t, 1, "--target xdp needs root", "demo", "--target", "xdp")
	c.requireError(t, 1, "--wire xdp needs root", "demo", "--wire", "xdp")
	c.requireError(t, 1, "the XDP target needs root", "switch", "--port", "1=eth0", "--listen", "unix:p4rt.sock")
	c.requireNothingLeft(t)
}

// TestVersion: the program says which build it is, and which objects it has; digests are those of the objects.
func TestVersion(t *testing.T) {
	c := newUnprivilegedCLI(t)
	code, out, errs := c.run(t, nil, "version", "--json")
	require.Zero(t, code, errs)
	var v struct {
		Program, Version, Go, Platform string
		Objects                        []struct{ Name, SHA256 string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	require.Equal(t, "p4ce", v.Program)
	require.NotEmpty(t, v.Version)
	require.Equal(t, runtime.Version(), v.Go)
	names := bpf.Names()
	require.Len(t, v.Objects, len(names))
	require.Contains(t, names, "rdma")
	for i, o := range v.Objects {
		object, err := bpf.Object(names[i])
		require.NoError(t, err)
		require.Equal(t, names[i], o.Name)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(object)), o.SHA256)
	}
	code, out, _ = c.run(t, nil, "version")
	require.Zero(t, code)
	require.Contains(t, out, v.Objects[0].SHA256)
	c.requireError(t, 2, "unknown command", "version", "x")
}

// TestDemo runs the demo without root, as it is meant to be.
func TestDemo(t *testing.T) {
	c := newUnprivilegedCLI(t)
	code, stdout, stderr := c.run(t, strings.NewReader(strings.Repeat("a line of text\n", 100)),
		"demo", "--input", "-", "--count", "500", "--policy", "all")
	require.Zero(t, code, "%s%s", stdout, stderr)
	require.Empty(t, stderr)
	require.True(t, strings.HasPrefix(stdout, "Not root: the switch is the interpreter"), stdout)
	require.Contains(t, stdout, "3 servers (1 leader, 2 replicas), policy all, switch on interp")
	require.Contains(t, stdout, "2000 records")
	require.Contains(t, stdout, "All 3 logs are equal.")
	row := regexp.MustCompile(`(?m)^ *accelerated-shared +500 +\S+ +\S+ +\S+ +(\d+) `).FindStringSubmatch(stdout)
	require.NotNil(t, row, stdout)
	writes, err := strconv.Atoi(row[1])
	require.NoError(t, err)
	require.Less(t, writes, 300, "records that wait share WRITEs")
	c.requireNothingLeft(t)
}

// TestDemoCutShort ends a demo in every way that it can be ended from outside, or
// ends one of its processes, while it replicates.
func TestDemoCutShort(t *testing.T) {
	for _, tt := range []struct {
		name, child string // of the process to end; "" is the demo
		signal      syscall.Signal
		group       bool // all that a Ctrl-C at the terminal reaches
		want        string
	}{
		{"interrupt", "", syscall.SIGINT, false, "interrupted; everything has been taken down"},
		{"interrupt at the terminal", "", syscall.SIGINT, true, "interrupted; everything has been taken down"},
		{"terminate", "", syscall.SIGTERM, false, "interrupted; everything has been taken down"},
		{"hang up", "", syscall.SIGHUP, false, "interrupted; everything has been taken down"},
		{"kill the switch", "switch", syscall.SIGKILL, false, "switch has ended (signal: killed)"},
		{"kill the controller", "controller", syscall.SIGKILL, false, "controller has ended (signal: killed)"},
		{"kill the leader", "--role leader", syscall.SIGKILL, false, "leader has ended (signal: killed)"},
		{"kill a replica", "--role replica", syscall.SIGKILL, false, "has ended (signal: killed)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newUnprivilegedCLI(t)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			// More records than it can finish with.
			cmd := c.command(ctx, "demo", "--count", "1000000")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			lines := bufio.NewScanner(out)
			running := false
			for !running && lines.Scan() {
				running = strings.Contains(lines.Text(), "are connected")
			}
			if !running {
				_ = cmd.Wait()
				t.Fatalf("the demo did not start:\n%s", &stderr)
			}
			target := cmd.Process.Pid
			if tt.child != "" {
				target = child(t, target, tt.child)
			} else if tt.group {
				target = -target
			}
			require.NoError(t, syscall.Kill(target, tt.signal))
			for lines.Scan() {
			}
			err = cmd.Wait()
			require.NoError(t, ctx.Err())
			require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%v\n%s", err, &stderr)
			first, _, _ := strings.Cut(stderr.String(), "\n")
			require.True(t, strings.HasPrefix(first, "p4ce: "), "%s", &stderr)
			require.Contains(t, first, tt.want)
			c.requireNothingLeft(t)
		})
	}
}

// child finds a child process whose command line has the words.
func child(t *testing.T, parent int, words string) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, s := range stats {
		b, err := os.ReadFile(s)
		if err != nil {
			continue // gone
		}
		var pid, ppid int
		var state string
		// The name in parentheses may hold anything.
		end := bytes.LastIndexByte(b, ')')
		_, err = fmt.Sscan(string(b[end+1:]), &state, &ppid)
		require.NoError(t, err)
		if _, err := fmt.Sscan(string(b), &pid); err != nil || ppid != parent {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(s), "cmdline"))
		if err == nil && strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), " "+words+" ") {
			return pid
		}
	}
	t.Fatalf("the demo has no child %q", words)
	return 0
}
