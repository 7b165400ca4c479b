package trace

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/pcapng"
)

type options struct {
	read      string
	packet    int
	port, cpu uint16
	json, all bool
}

// Command is the command trace. connect adds the flags that say which switch is meant, and returns what connects to it.
func Command[S interface {
	Source
	io.Closer
}](connect func(*cobra.Command) func(context.Context) (S, error)) *cobra.Command {
	var o options
	var open func(context.Context) (S, error)
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
			frame, err := o.frame(args)
			if err != nil {
				return cli.Usage(err)
			}
			s, err := open(cmd.Context())
			if err != nil {
				return err
			}
			defer s.Close()
			return o.run(cmd, s, frame)
		},
	}
	open = connect(c)
	f := c.Flags()
	f.Uint16Var(&o.port, "port", 0, "port by which the packet comes in")
	f.Uint16Var(&o.cpu, "cpu-port", 64, "number of the port that leads to the controller")
	f.StringVar(&o.read, "read", "", "capture with the packet: pcapng or pcap")
	f.IntVar(&o.packet, "packet", 1, "which packet of --read, from 1")
	f.BoolVar(&o.all, "all", false, "show every assignment, too")
	f.BoolVar(&o.json, "json", false, "print JSON")
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
	r, err := pcapng.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := 1; ; i++ {
		b, err := r.Packet()
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

func (o *options) run(cmd *cobra.Command, c Source, frame []byte) error {
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
