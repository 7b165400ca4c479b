// Command peer is one side of package interop as a program.
//
//	peer serve  --rdma soft|verbs [--interface IF] [--device DEV] [--access auto|flags|cycle] PORT
//	peer run    ... ADDRESS:PORT
//
// It prints one line per case, "ok NAME" or "FAIL NAME: why", and ends with status 1
// when one has failed. A server prints "ready" and serves until it gets a SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/rdma/interop"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/verbs"
	"github.com/p4ce/p4ce/link/packet"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var (
		kind, iface, device, access, only string
		nobody                            string
		mtu                               int
		limit                             time.Duration
		verbose                           bool
	)
	f := flag.NewFlagSet("peer", flag.ContinueOnError)
	f.StringVar(&kind, "rdma", "soft", "soft or verbs")
	f.StringVar(&iface, "interface", "", "soft: network interface")
	f.IntVar(&mtu, "mtu", 0, "soft: path MTU; default: what the interface carries")
	f.StringVar(&device, "device", "", "verbs: RDMA device")
	f.StringVar(&access, "access", "auto", "verbs: how rights are changed: auto, flags, cycle")
	f.StringVar(&only, "only", "", "run the cases whose name contains this")
	f.StringVar(&nobody, "nobody", "", "run: an address of the network that nobody has")
	f.DurationVar(&limit, "limit", time.Minute, "run: time for each case")
	f.BoolVar(&verbose, "v", false, "log more")
	if len(args) == 0 {
		return errors.New("serve or run")
	}
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return errors.New("one port, or one address and port")
	}
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	dev, err := open(kind, iface, mtu, device, access, log)
	if err != nil {
		return err
	}
	defer dev.Close()
	switch args[0] {
	case "serve":
		port, err := strconv.ParseUint(f.Arg(0), 10, 16)
		if err != nil {
			return err
		}
		s, err := interop.Listen(dev, uint16(port))
		if err != nil {
			return err
		}
		fmt.Println("ready")
		return s.Serve(ctx)
	case "run":
		to, err := netip.ParseAddrPort(f.Arg(0))
		if err != nil {
			return err
		}
		o := interop.Options{Only: only, Limit: limit}
		if nobody != "" {
			if o.Nobody, err = netip.ParseAddr(nobody); err != nil {
				return err
			}
		}
		failed := 0
		err = interop.Run(ctx, dev, to, o, func(name string, err error) {
			if err != nil {
				failed++
				fmt.Printf("FAIL %s: %v\n", name, err)
				return
			}
			fmt.Println("ok", name)
		})
		if err == nil && failed > 0 {
			err = fmt.Errorf("%d cases failed", failed)
		}
		return err
	}
	return fmt.Errorf("%q: serve or run", args[0])
}

func open(kind, iface string, mtu int, device, access string, log *slog.Logger) (rdma.Device, error) {
	switch kind {
	case "verbs":
		o := verbs.Options{Device: device, Log: log}
		switch access {
		case "flags":
			o.Access = verbs.AccessFlags
		case "cycle":
			o.Access = verbs.AccessCycle
		}
		return verbs.Open(o)
	case "soft":
		a, err := address(iface)
		if err != nil {
			return nil, err
		}
		w, err := packet.Open(iface, a)
		if err != nil {
			return nil, err
		}
		d, err := roce.Open(w, roce.Options{Log: log})
		if err != nil {
			return nil, err
		}
		return roce.RDMA(d, roce.QPConfig{MTU: mtu}), nil
	}
	return nil, fmt.Errorf("--rdma %s: soft or verbs", kind)
}

func address(iface string) (netip.Addr, error) {
	i, err := net.InterfaceByName(iface)
	if err != nil {
		return netip.Addr{}, err
	}
	addrs, err := i.Addrs()
	if err != nil {
		return netip.Addr{}, err
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
			return p.Addr(), nil
		}
	}
	return netip.Addr{}, fmt.Errorf("interface %s has no IPv4 address", iface)
}
