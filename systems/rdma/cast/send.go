package cast

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Via is how a file gets to many hosts.
type Via string

// The ways.
const (
	Multicast Via = "multicast" // one WRITE for all, copied by the switch
	FanOut    Via = "fan-out"   // a connection and a WRITE for each
	Chain     Via = "chain"     // to the first, which passes it on
)

// ackTimeout is the default of Options.AckTimeout.
const ackTimeout = 100 * time.Millisecond

// maxChain is how many hosts an offer has room for, and the results of.
const maxChain = 32

// dialTimeout bounds the setting up of one connection.
const dialTimeout = 10 * time.Second

// Options of a sender.
type Options struct {
	Via    Via
	Switch netip.Addr // multicast: the switch that forms the groups
	Chunk  int        // bytes of a WRITE, a power of two, 4 KiB to 1 MiB, which is the default
	Secret private.Secret
	// AckTimeout is how long an acknowledgement may take; default 100 ms. A host is
	// given up after 8 of them.
	AckTimeout time.Duration
	Log        *slog.Logger
	// Progress, when not nil, is called when a host has taken more: bytes of all. It may be called
	// by several goroutines. In a chain the first host is the only one that is heard of.
	Progress func(host netip.AddrPort, bytes int64)
}

func (o *Options) setDefaults() {
	o.Chunk = cmp.Or(o.Chunk, maxChunk)
	o.AckTimeout = cmp.Or(o.AckTimeout, ackTimeout)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(netip.AddrPort, int64) {}
	}
}

// source is where chunks come from.
type source interface {
	// available is how many chunks there are, and what tells of more (nil: these are all).
	available() (int64, <-chan struct{})
	// read fills b with chunk i.
	read(i int64, b []byte) error
}

// file is a source that has everything.
type file struct {
	f *os.File
	offered
}

func (f *file) available() (int64, <-chan struct{}) { return f.chunks(), nil }

func (f *file) read(i int64, b []byte) error {
	_, err := f.f.ReadAt(b, i*f.chunk)
	return err
}

// Send copies a file to hosts under a name. There is a Result for each host, in their order; the error
// is about what kept all of them from it.
func Send(ctx context.Context, dev rdma.Device, path, name string, hosts []netip.AddrPort, o Options) ([]Result, error) {
	o.setDefaults()
	if err := checkHosts(hosts, &o); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", path)
	}
	sum, err := sumOf(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	off := offered{name: name, size: st.Size(), sum: hex.EncodeToString(sum.Sum(nil)), chunk: int64(o.Chunk)}
	if err := off.check(); err != nil {
		return nil, err
	}
	return spread(ctx, dev, off, &file{f, off}, hosts, &o), nil
}

// spread sends what is in a source to hosts, in the way that is asked for.
func spread(ctx context.Context, dev rdma.Device, off offered, src source, hosts []netip.AddrPort, o *Options) []Result {
	var parts [][]netip.AddrPort
	switch o.Via {
	case Chain:
		return inOrder(hosts, sendChain(ctx, dev, off, src, hosts, o))
	case FanOut:
		for i := range hosts {
			parts = append(parts, hosts[i:i+1])
		}
	default:
		for left := hosts; len(left) > 0; left = left[len(parts[len(parts)-1]):] {
			parts = append(parts, left[:min(len(left), private.MaxReplicas)])
		}
	}
	results := make([][]Result, len(parts))
	var all sync.WaitGroup
	for i, p := range parts {
		all.Add(1)
		go func() {
			defer all.Done()
			l := &lane{dev: dev, o: o, off: off, src: src, multicast: o.Via != FanOut}
			results[i] = l.run(ctx, p, nil)
		}()
	}
	all.Wait()
	var out []Result
	for _, r := range results {
		out = append(out, r...)
	}
	return out
}

func checkHosts(hosts []netip.AddrPort, o *Options) error {
	if len(hosts) == 0 {
		return errors.New("no host to send to")
	}
	if o.Via != Multicast && o.Via != FanOut && o.Via != Chain {
		return fmt.Errorf("via %q: want %s, %s or %s", o.Via, Multicast, FanOut, Chain)
	}
	if o.Via == Multicast && !o.Switch.IsValid() {
		return errors.New("multicast needs the address of a switch")
	}
	if o.Chunk < minChunk || o.Chunk > maxChunk || o.Chunk&(o.Chunk-1) != 0 {
		return fmt.Errorf("chunks of %d bytes: want a power of two, %d to %d", o.Chunk, minChunk, maxChunk)
	}
	if o.Via == Chain && len(hosts) > maxChain {
		return fmt.Errorf("a chain of %d hosts (at most %d)", len(hosts), maxChain)
	}
	seen := map[netip.AddrPort]bool{}
	for _, h := range hosts {
		switch {
		case !h.Addr().Is4() || h.Port() == 0:
			return fmt.Errorf("host %v: want an IPv4 address and a port", h)
		case seen[h]:
			return fmt.Errorf("host %v: is given twice", h)
		case o.Via == Multicast && h.Port() != hosts[0].Port():
			return fmt.Errorf("host %v: all hosts of a multicast must listen on one port, and the first listens on %d", h, hosts[0].Port())
		}
		seen[h] = true
	}
	return nil
}

// sendChain sends to the first of the hosts, which passes it on to the others. When one fails, the
// next one becomes the first: it goes on where it was.
func sendChain(ctx context.Context, dev rdma.Device, off offered, src source, hosts []netip.AddrPort, o *Options) []Result {
	o.setDefaults()
	var out []Result
	for len(hosts) > 0 {
		l := &lane{dev: dev, o: o, off: off, src: src}
		got := l.run(ctx, hosts[:1], hosts[1:])
		out = append(out, got...)
		if got[0].Error == "" || ctx.Err() != nil {
			break
		}
		hosts = hosts[1:]
	}
	return out
}

// inOrder gives each host its result; who was not reached has failed, too.
func inOrder(hosts []netip.AddrPort, got []Result) []Result {
	var out []Result
	for _, h := range hosts {
		r := Result{Host: h, Error: "was not reached"}
		for _, g := range got {
			if g.Host == h {
				r = g
			}
		}
		out = append(out, r)
	}
	return out
}
