package agent

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
)

// DefaultListen is where the P4Runtime server listens unless told otherwise: a unix socket that
// only the user of the switch (and root) can connect to.
func DefaultListen() string { return sock.P4Runtime() }

// access says who may connect, and do what.
func (c *Config) access() (a p4rt.Access, err error) {
	_, unix := strings.CutPrefix(c.Listen, "unix:")
	if !unix && c.TLS.CA == "" && !c.Insecure {
		return a, fmt.Errorf("p4runtime: anyone who reaches %s could control the switch [give a certificate, its key and the CA of the clients (--tls-cert, --tls-key, --tls-ca), listen on unix:PATH, or accept this with --insecure]", c.Listen)
	}
	if c.TLS.Given() {
		if a.TLS, err = c.TLS.Server(c.Log, "h2"); err != nil {
			return a, err
		}
	}
	if c.Rights != "" {
		if c.TLS.CA == "" {
			return a, errors.New("rights: --tls-ca is needed [clients are identified by their certificates]")
		}
		a.Rights, err = certs.ReadRights(c.Rights, c.Log)
	}
	return a, err
}

// Port is a switch port and its interface.
type Port struct {
	Number dataplane.Port
	// Interface is a network interface, or for the interpreter also a datagram
	// wire ("udp:LOCAL,PEER", "unix:LOCAL,PEER").
	Interface string
}

// ParsePort reads "NUMBER=INTERFACE".
func ParsePort(s string) (Port, error) {
	num, iface, ok := strings.Cut(s, "=")
	n, err := strconv.ParseUint(num, 10, 9)
	if !ok || err != nil || dataplane.Port(n).Check() != nil || iface == "" {
		return Port{}, fmt.Errorf("port %q: want NUMBER=INTERFACE with a number from 0 to %d, for instance 1=veth1", s, dataplane.MaxPort)
	}
	return Port{dataplane.Port(n), iface}, nil
}

// Config configures a switch.
type Config struct {
	// Target is "xdp" or "interp"; default "xdp".
	Target string
	Ports  []Port
	// CPUPort is the port number that leads to the controller; 0 means 64.
	CPUPort dataplane.Port
	// CPUInterface names the veth of the CPU port (xdp only); "" means p4cpu.
	CPUInterface string
	// Listen is the address of the P4Runtime server, HOST:PORT or unix:PATH;
	// default DefaultListen().
	Listen   string
	DeviceID uint64 // 0 means 1
	// TLS are the server's certificate and who signs for its clients. A listener that is no unix
	// socket must have both, or Insecure: then everybody who can reach it may do everything.
	TLS      certs.Files
	Insecure bool
	// Rights is a file that says what clients may do (certs.Rights); "": everything.
	Rights string
	// Trust are eBPF objects that a client may load in addition to those of this binary: files, or
	// "sha256:" and a digest (xdp only).
	Trust []string
	// Pins is a folder in a BPF file system: the data plane is kept there when the
	// switch ends, however it ends, and a later switch with the same folder takes it
	// over (xdp only). "": the data plane ends with the switch.
	Pins string
	// Capture, when not "", is a file to which every packet that the pipeline
	// takes in or sends out is written, as pcapng (xdp only).
	Capture string
	capture io.Writer
	// Metrics is the address of /metrics and /healthz; "" means none.
	Metrics string
	// Halves, when not nil, is the one program that the switch runs, in halves: its data plane the fast one, this process the
	// whole program for what the data plane leaves to it. HalvesInterval is how often it works; 0: as soon as there is something.
	Halves         *halves.Program
	HalvesInterval time.Duration
	// Compile turns device configs into programs; nil means the function Compile.
	Compile p4rt.CompileFunc
	Log     *slog.Logger
	// Start, when not nil, is called before clients are served: the process may load a program. An error ends the switch.
	Start func(s *p4rt.Server, t dataplane.Target) error
	// ListenFlag is what users choose Listen with, for errors; "" means --listen.
	ListenFlag string
	// Ready, when not nil, is called once everything runs, with the addresses
	// in use.
	Ready func(Addresses)
}

// Addresses are where a running switch listens.
type Addresses struct {
	P4Runtime net.Addr
	Metrics   net.Addr // nil without metrics
}

func (c *Config) setDefaults() error {
	c.Target = cmp.Or(c.Target, "xdp")
	if c.Listen == "" {
		c.Listen = DefaultListen()
	}
	c.ListenFlag = cmp.Or(c.ListenFlag, "--listen")
	c.CPUPort = cmp.Or(c.CPUPort, 64)
	c.CPUInterface = cmp.Or(c.CPUInterface, "p4cpu")
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Compile == nil {
		c.Compile = Compile
	}
	switch {
	case c.Pins != "" && c.Target != "xdp":
		return fmt.Errorf("pins: target %s has no data plane to keep (xdp has)", c.Target)
	case c.Pins != "" && c.Halves != nil:
		return fmt.Errorf("pins: half of program %s runs in this process, and ends with it: the data plane alone cannot be kept", c.Halves.Name)
	case c.HalvesInterval < 0 || c.HalvesInterval > time.Second:
		return fmt.Errorf("an interval of %v: want at most 1s", c.HalvesInterval)
	case c.Pins != "" && c.Capture != "":
		return errors.New("pins: a data plane that is captured cannot be kept (leave one of them out)")
	}
	numbers, names := map[dataplane.Port]string{}, map[string]dataplane.Port{}
	for _, p := range c.Ports {
		if other, dup := numbers[p.Number]; dup {
			return fmt.Errorf("port %d: given twice, for %s and %s", p.Number, other, p.Interface)
		}
		if other, dup := names[p.Interface]; dup {
			return fmt.Errorf("interface %q: given twice, for ports %d and %d", p.Interface, other, p.Number)
		}
		if p.Number == c.CPUPort {
			return fmt.Errorf("port %d: is the CPU port", p.Number)
		}
		numbers[p.Number], names[p.Interface] = p.Interface, p.Number
	}
	return nil
}
