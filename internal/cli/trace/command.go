package trace

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/gopacket/pcapgo"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
)

type options struct {
	address, name, read string
	device              uint64
	files               certs.Files
	port, cpu           uint16
	packet              int
	json, all           bool
}

// Command is the command trace.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "trace --port N {FRAME | --read FILE}",
		Short: "Follow one packet through the program of a running switch",
		Long: `Follow one packet through the program of a running switch: parser states and headers, conditions,
tables with keys, entries and actions, registers before and after, and what leaves by which port.

The packet runs in a copy of the switch: its program, entries, groups and registers are read over
P4Runtime. The switch does not see the packet, and nothing of it changes. Counters and meters are
not copied.

FRAME is an Ethernet frame as hexadecimal digits; spaces and colons are ignored. --read takes a
packet from a capture (pcapng or pcap), for example of p4ce switch --capture.`,
		Example: `  p4ce trace --port 1 --read run.pcapng --packet 12
  p4ce trace --port 1 ffffffffffff020000000001 0806 0001080006040001 020000000001 0a42000b 000000000000 0a420001`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckTLS(&o.files, "tls-", false); err != nil {
				return err
			}
			frame, err := o.frame(args)
			if err != nil {
				return cli.Usage(err)
			}
			return o.run(cmd, frame)
		},
	}
	f := c.Flags()
	f.StringVar(&o.address, "p4runtime", "unix:/run/p4ce/p4runtime.sock", "P4Runtime server of the switch: HOST:PORT or unix:PATH")
	f.Uint64Var(&o.device, "device-id", 1, "P4Runtime device id")
	f.Uint16Var(&o.port, "port", 0, "port by which the packet comes in")
	f.Uint16Var(&o.cpu, "cpu-port", 64, "number of the port that leads to the controller")
	f.StringVar(&o.read, "read", "", "capture with the packet: pcapng or pcap")
	f.IntVar(&o.packet, "packet", 1, "which packet of --read, from 1")
	f.BoolVar(&o.all, "all", false, "show every assignment, too")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVar(&o.name, "tls-name", "", "TLS: the name in the switch's certificate, if it differs from its address")
	cli.TLSFlags(f, &o.files, "tls-", "the client", "the switch's certificate must be signed by one of them")
	_ = c.MarkFlagRequired("port")
	return c
}

// maxFrame is the largest frame that a switch forwards, in bytes.
const maxFrame = 16 << 10

// frame is the packet that the command line names.
func (o *options) frame(args []string) (frame []byte, err error) {
	switch {
	case o.read != "" && len(args) > 0:
		return nil, fmt.Errorf("give a frame or --read, not both")
	case o.read != "":
		frame, err = packet(o.read, o.packet)
	case len(args) == 0:
		return nil, fmt.Errorf("give a frame as hexadecimal digits, or --read FILE")
	default:
		frame, err = hex.DecodeString(strings.NewReplacer(" ", "", ":", "", "\n", "", "\t", "").Replace(strings.Join(args, "")))
		if err != nil {
			return nil, fmt.Errorf("the frame is not hexadecimal: %w", err)
		}
	}
	if err == nil && (len(frame) < 14 || len(frame) > maxFrame) {
		err = fmt.Errorf("a frame of %d bytes: an Ethernet frame has 14 to %d", len(frame), maxFrame)
	}
	return frame, err
}

// packet reads a packet of a capture; n counts from 1.
func packet(file string, n int) ([]byte, error) {
	if n < 1 {
		return nil, fmt.Errorf("--packet %d: packets count from 1", n)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var next func() ([]byte, error)
	if r, err := pcapgo.NewNgReader(f, pcapgo.NgReaderOptions{WantMixedLinkType: true}); err == nil {
		next = func() ([]byte, error) { b, _, err := r.ReadPacketData(); return b, err }
	} else {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		r, err := pcapgo.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s is neither pcapng nor pcap", file)
		}
		next = func() ([]byte, error) { b, _, err := r.ReadPacketData(); return b, err }
	}
	for i := 1; ; i++ {
		b, err := next()
		switch {
		case err == io.EOF:
			return nil, fmt.Errorf("%s has %d packets", file, i-1)
		case err != nil:
			return nil, fmt.Errorf("%s: packet %d: %w", file, i, err)
		case i == n:
			return b, nil
		}
	}
}

// step and left are what --json prints.
type step struct {
	Kind  string `json:"kind"`
	Gress string `json:"gress"`
	Line  int    `json:"line,omitempty"`
	Text  string `json:"text"`
}

type left struct {
	Port  dataplane.Port `json:"port"`
	Frame string         `json:"frame"` // hexadecimal
}

func (o *options) run(cmd *cobra.Command, frame []byte) error {
	options := p4rtclient.Options{Address: o.address, DeviceID: o.device, Backup: true}
	if o.files.Given() {
		var err error
		if options.TLS, err = o.files.Client(cli.Logger(cmd.ErrOrStderr(), false), o.name); err != nil {
			return err
		}
	}
	c, err := p4rtclient.New(options)
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := Copy(cmd.Context(), c, dataplane.Port(o.cpu))
	if err != nil {
		return err
	}
	defer s.Close()
	steps, out, err := s.Packet(dataplane.Port(o.port), frame)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if o.json {
		var r struct {
			Program string `json:"program"`
			Steps   []step `json:"steps"`
			Out     []left `json:"out"`
		}
		r.Program = s.Program.Name
		for _, st := range steps {
			r.Steps = append(r.Steps, step{string(st.Kind), st.Gress, st.Pos.Line, st.Text})
		}
		for _, x := range out {
			r.Out = append(r.Out, left{x.Port, hex.EncodeToString(x.Frame)})
		}
		return cli.PrintJSON(w, r)
	}
	Print(w, steps, out, o.all)
	return nil
}

// Print writes a trace for people. all has assignments, too.
func Print(w io.Writer, steps []interp.Step, out []dataplane.Out, all bool) {
	for _, s := range steps {
		switch {
		case s.Kind == interp.StepGress:
			fmt.Fprintf(w, "%s  %s\n", s.Gress, s.Text)
		case s.Kind != interp.StepAssign || all:
			line := ""
			if s.Pos.Line > 0 {
				line = fmt.Sprintf("%s:%d", s.Pos.File, s.Pos.Line)
			}
			fmt.Fprintf(w, "  %-8s  %-22s  %s\n", s.Kind, line, s.Text)
		}
	}
	if len(out) == 0 {
		fmt.Fprintln(w, "nothing leaves")
	}
	for _, x := range out {
		fmt.Fprintf(w, "out of port %d, %d bytes\n", x.Port, len(x.Frame))
		for line := range strings.Lines(hex.Dump(x.Frame)) {
			fmt.Fprint(w, "  ", line)
		}
	}
}
