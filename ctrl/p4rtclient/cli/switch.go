// Package cli has commands for what any switch with P4Runtime holds: p4xc dump and p4xc write. Their text is that of package p4/entries.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
	"github.com/p4ce/p4ce/p4/entries"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// switchFlags say which switch is meant.
type switchFlags struct {
	o       p4rtclient.Options
	tls     certs.Files
	name    string
	timeout time.Duration
}

func (f *switchFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.o.Address, "p4runtime", sock.P4Runtime(), "P4Runtime server of the switch: HOST:PORT or unix:PATH")
	fl.Uint64Var(&f.o.DeviceID, "device-id", 1, "P4Runtime device id")
	fl.StringVar(&f.o.Role, "role", "", "P4Runtime role")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Second, "how long the switch may take to answer")
	cli.TLSFlags(fl, &f.tls, "tls-", "the client", "the switch's certificate must be signed by one of them")
	fl.StringVar(&f.name, "tls-name", "", "TLS: the name in the switch's certificate, if it differs from its address")
}

// open connects to the switch, and asks for its program. The caller closes the client.
func (f *switchFlags) open(ctx context.Context) (*p4rtclient.Client, *entries.Program, error) {
	if err := sock.Check(f.o.Address); err != nil {
		return nil, nil, cli.Usagef("--p4runtime: %w", err)
	}
	if f.timeout <= 0 {
		return nil, nil, cli.Usagef("--timeout: want more than 0")
	}
	if err := cli.CheckTLS(&f.tls, "tls-", false); err != nil {
		return nil, nil, err
	}
	if f.tls.Given() {
		var err error
		if f.o.TLS, err = f.tls.Client(slog.Default(), f.name); err != nil {
			return nil, nil, err
		}
	}
	c, err := p4rtclient.New(f.o)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	config, err := c.GetPipeline(ctx, p4.GetForwardingPipelineConfigRequest_ALL)
	if err == nil && config.GetP4Info() == nil {
		err = fmt.Errorf("switch %s: it runs no program", f.o.Address)
	}
	if err != nil {
		c.Close()
		return nil, nil, f.explain(err)
	}
	return c, entries.New(config.GetP4Info(), source(config.GetP4DeviceConfig())), nil
}

// source is the program that one of our switches runs; nil: of others it is not known, and numbers have no names.
func source(device []byte) *ir.Program {
	b, err := bundle.Unmarshal(device)
	if err != nil {
		return nil
	}
	prog, _ := lang.Compile(lang.Options{Path: b.Program + ".p4", Source: []byte(b.Source)})
	return prog
}

// explain says what an error of gRPC is likely to mean.
func (f *switchFlags) explain(err error) error {
	st, ok := status.FromError(err)
	if !ok {
		return err
	}
	switch text := st.Message(); st.Code() {
	case codes.Unavailable:
		hint := "does a switch run there? p4xc run, or p4ce switch; --p4runtime says where"
		if f.o.TLS == nil && strings.Contains(text, "error reading server preface") {
			hint = "does the switch want TLS? Then give --tls-cert, --tls-key and --tls-ca"
		}
		return fmt.Errorf("switch %s: does not answer [%s]: %s", f.o.Address, hint, reason(text))
	case codes.DeadlineExceeded:
		return fmt.Errorf("switch %s: no answer within %v [--timeout]", f.o.Address, f.timeout)
	default:
		return fmt.Errorf("switch %s: %s", f.o.Address, reason(text))
	}
}

// reason is the last part of what gRPC says.
func reason(text string) string {
	text = strings.TrimSuffix(text, `"`)
	if i := strings.LastIndex(text, "desc = "); i >= 0 {
		text = text[i+len("desc = "):]
	}
	return strings.Trim(text, `"`)
}

// primary makes the client one that may write, until the function that it returns is called.
func (f *switchFlags) primary(ctx context.Context, c *p4rtclient.Client) (end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	said := make(chan error, 1)
	say := func(err error) {
		select {
		case said <- err:
		default: // only the first counts
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Run(ctx, p4rtclient.Handler{
			Arbitration: func(code codes.Code, highest *p4.Uint128) {
				switch id := electionText(highest); code {
				case codes.OK:
					say(nil)
				case codes.AlreadyExists:
					say(fmt.Errorf("switch %s: a controller with election id %s writes to it [a higher --election-id takes over from it; another --role writes beside it]", f.o.Address, id))
				default:
					say(fmt.Errorf("switch %s: a controller with election id %s wrote to it, and has gone [--election-id %s takes its place]", f.o.Address, id, id))
				}
			},
			Disconnected: func(err error) { say(f.explain(err)) },
		})
	}()
	end = func() { cancel(); <-done }
	timeout := time.NewTimer(f.timeout)
	defer timeout.Stop()
	select {
	case err = <-said:
	case <-timeout.C:
		err = fmt.Errorf("switch %s: no answer within %v [--timeout]", f.o.Address, f.timeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// electionText is an election id as --election-id takes it.
func electionText(id *p4.Uint128) string {
	if id.GetHigh() == 0 {
		return strconv.FormatUint(id.GetLow(), 10)
	}
	return fmt.Sprintf("%d:%d", id.GetHigh(), id.GetLow())
}

// parseElection reads LOW or HIGH:LOW.
func parseElection(s string) (high, low uint64, err error) {
	h, l, both := strings.Cut(s, ":")
	if !both {
		h, l = "0", s
	}
	high, err = strconv.ParseUint(h, 10, 64)
	low, err2 := strconv.ParseUint(l, 10, 64)
	if err = cmp.Or(err, err2); err != nil || high == 0 && low == 0 {
		return 0, 0, errors.New("want a number from 1, or HIGH:LOW, two of 64 bits")
	}
	return high, low, nil
}
