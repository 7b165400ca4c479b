package sysdump

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/sock"
)

const (
	// patience is how long one item may take.
	patience = 30 * time.Second
	// most is how many bytes of an item are kept: the last ones.
	most = 16 << 20
)

// item is a file of the dump.
type item struct {
	name string
	args []string // a command; args[0] "" is this program
	url  string   // or else what is at a path of a server: ADDRESS/PATH
}

// Command is the command sysdump.
func Command() *cobra.Command {
	var controller string
	var metrics, servers []string
	var journal string
	c := &cobra.Command{
		Use:   "sysdump [FILE]",
		Short: "Collect what is needed to find out what is wrong, in one file",
		Long: `Collect the state of this machine and of the programs of p4ce on it into a .tar.gz: versions,
the doctor's findings, settings, interfaces and their drivers, eBPF programs and maps,
kernel messages, the units' logs, the controller's status and groups, metrics,
stacks of goroutines, and the servers of a store. The default name has the host and the time.

What does not answer, or is not here, is in the file as an error. Nothing is changed. Neither
tokens, passwords, keys of certificates, nor keys and values of a store are collected. Look at what
addresses and names tell others before you send the file.`,
		Example: "  p4ce sysdump\n  p4ce sysdump --metrics 127.0.0.1:9560 --metrics 127.0.0.1:9561 --server 10.0.0.11:6379 dump.tar.gz",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			now := time.Now().UTC()
			if name == "" {
				host, _ := os.Hostname()
				name = fmt.Sprintf("p4ce-%s-%s.tar.gz", host, now.Format("20060102-150405"))
			}
			items := items(controller, journal, metrics, servers, cmd.Root().PersistentFlags().Lookup("config").Value.String())
			n, failed, err := write(cmd.Context(), name, now, items, cli.Progress(cmd.ErrOrStderr()))
			if err != nil {
				return fmt.Errorf("sysdump: %w", err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes, %d files, of which %d say why there is nothing\n", name, n, len(items)+1, failed)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&controller, "controller", "unix:"+sock.Default("controller.sock"), "admin API of the controller, without TLS: HOST:PORT or unix:PATH")
	f.StringArrayVar(&metrics, "metrics", nil, "address of /metrics of a program: HOST:PORT or unix:PATH (repeat for each)")
	f.StringArrayVar(&servers, "server", nil, "a server of a store, for p4ce kv status (repeat for each)")
	f.StringVar(&journal, "since", "-1h", "how far back the logs of units go, as journalctl takes it")
	return c
}

// items are what is collected.
func items(controller, since string, metrics, servers []string, config string) []item {
	settings := []string{"", "config", "show"}
	if config != "" {
		settings = append(settings, "--config", config)
	}
	list := []item{
		{name: "p4ce/version.json", args: []string{"", "version", "--json"}},
		{name: "p4ce/doctor.json", args: []string{"", "doctor", "--json"}},
		{name: "p4ce/doctor.txt", args: []string{"", "doctor"}},
		{name: "p4ce/settings.yaml", args: settings},
		{name: "controller/status.json", args: []string{"", "status", "--json", "--controller", controller}},
		{name: "controller/groups.json", args: []string{"", "group", "list", "--json", "--controller", controller}},
		{name: "controller/healthz", url: controller + "/healthz"},
		{name: "controller/metrics", url: controller + "/metrics"},
		{name: "controller/goroutines", url: controller + "/debug/pprof/goroutine?debug=1"},
		{name: "units/p4ce-switch.log", args: []string{"journalctl", "--no-pager", "-o", "short-iso-precise", "-u", "p4ce-switch", "--since", since}},
		{name: "units/p4ce-controller.log", args: []string{"journalctl", "--no-pager", "-o", "short-iso-precise", "-u", "p4ce-controller", "--since", since}},
		{name: "units/p4ce-kv.log", args: []string{"journalctl", "--no-pager", "-o", "short-iso-precise", "-u", "p4ce-kv", "--since", since}},
		{name: "units/status", args: []string{"systemctl", "--no-pager", "status", "p4ce-switch", "p4ce-controller", "p4ce-kv"}},
		{name: "system/uname", args: []string{"uname", "-a"}},
		{name: "system/os-release", args: []string{"cat", "/etc/os-release"}},
		{name: "system/cpus", args: []string{"cat", "/proc/cpuinfo"}},
		{name: "system/memory", args: []string{"cat", "/proc/meminfo"}},
		{name: "system/load", args: []string{"cat", "/proc/loadavg"}},
		{name: "system/interrupts", args: []string{"cat", "/proc/interrupts"}},
		{name: "system/softirqs", args: []string{"cat", "/proc/softirqs"}},
		{name: "system/disks", args: []string{"df", "-h"}},
		{name: "system/mounts", args: []string{"cat", "/proc/mounts"}},
		{name: "system/processes", args: []string{"ps", "axo", "pid,ppid,user,psr,ni,stat,pcpu,rss,etime,comm"}},
		{name: "system/dmesg", args: []string{"dmesg"}},
		{name: "network/links", args: []string{"ip", "-details", "-statistics", "link"}},
		{name: "network/addresses", args: []string{"ip", "address"}},
		{name: "network/routes", args: []string{"ip", "route", "show", "table", "all"}},
		{name: "network/neighbours", args: []string{"ip", "neighbour"}},
		{name: "network/namespaces", args: []string{"ip", "netns"}},
		{name: "network/rdma", args: []string{"rdma", "-d", "link"}},
		{name: "network/sockets", args: []string{"ss", "-anptuwx"}},
		{name: "bpf/programs", args: []string{"bpftool", "prog"}},
		{name: "bpf/maps", args: []string{"bpftool", "map"}},
		{name: "bpf/attached", args: []string{"bpftool", "net"}},
		{name: "bpf/pins", args: []string{"find", "/sys/fs/bpf"}},
	}
	if links, err := net.Interfaces(); err == nil {
		for _, l := range links {
			if l.Flags&net.FlagLoopback != 0 {
				continue
			}
			for _, o := range [][2]string{{"-i", "driver"}, {"-k", "features"}, {"-l", "channels"}, {"-g", "rings"}, {"-S", "statistics"}} {
				list = append(list, item{name: "network/" + l.Name + "/" + o[1], args: []string{"ethtool", o[0], l.Name}})
			}
		}
	}
	for i, m := range metrics {
		dir := fmt.Sprintf("metrics-%d/", i+1)
		list = append(list, item{name: dir + "metrics", url: m + "/metrics"}, item{name: dir + "healthz", url: m + "/healthz"},
			item{name: dir + "goroutines", url: m + "/debug/pprof/goroutine?debug=1"})
	}
	if len(servers) > 0 {
		args := []string{"", "kv", "status", "--json"}
		for _, s := range servers {
			args = append(args, "--server", s)
		}
		list = append(list, item{name: "store/status.json", args: args})
	}
	return list
}

// write writes the dump to a new file, and returns its length and how many items there are not.
func write(ctx context.Context, name string, now time.Time, items []item, progress func(string, ...any)) (size int64, failed int, err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(name)
		}
	}()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	top := strings.TrimSuffix(filepath.Base(name), ".tar.gz") + "/"
	add := func(name string, text []byte) error {
		if err := w.WriteHeader(&tar.Header{Name: top + name, Mode: 0o600, Size: int64(len(text)), ModTime: now, Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		_, err := w.Write(text)
		return err
	}
	var index bytes.Buffer
	fmt.Fprintf(&index, "p4ce sysdump of %s\n\n", now.Format(time.RFC3339))
	for i, it := range items {
		progress("%d of %d: %s", i+1, len(items), it.name)
		text, err := it.collect(ctx)
		if ctx.Err() != nil {
			return 0, 0, errors.New("interrupted")
		}
		said := "ok"
		if err != nil {
			said = "error: " + err.Error()
			failed++
			text = append(text, "\n# error: "+err.Error()+"\n"...)
		}
		fmt.Fprintf(&index, "%-32s %s\n%32s %s\n", it.name, it.what(), "", said)
		if err := add(it.name, text); err != nil {
			return 0, 0, err
		}
	}
	progress("")
	if err := errors.Join(add("index", index.Bytes()), w.Close(), z.Close()); err != nil {
		return 0, 0, err
	}
	st, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return st.Size(), failed, f.Close()
}

// what is how the item was collected.
func (it *item) what() string {
	switch {
	case it.url != "":
		return it.url
	case it.args[0] == "":
		return "p4ce" + strings.Join(it.args, " ")
	}
	return strings.Join(it.args, " ")
}

// collect runs the command, or asks the server.
func (it *item) collect(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out := &tail{}
	if it.url != "" {
		return get(ctx, it.url, out)
	}
	program := it.args[0]
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		program = self
	}
	cmd := exec.CommandContext(ctx, program, it.args[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%s is not installed", it.args[0])
	}
	return out.b, err
}

// get asks a server for a path: ADDRESS/PATH, or unix:SOCKET/PATH, where the socket is what is there.
func get(ctx context.Context, url string, out *tail) ([]byte, error) {
	addr, path := url, ""
	for _, p := range []string{"/healthz", "/metrics", "/debug/pprof/"} {
		if i := strings.LastIndex(url, p); i >= 0 {
			addr, path = url[:i], url[i:]
		}
	}
	err := cli.Get(ctx, addr, path, out)
	return out.b, err
}

// tail keeps the last bytes of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*most {
		t.b = append(t.b[:0], t.b[len(t.b)-most:]...)
	}
	return len(p), nil
}
