package p4rtclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/link/oper"
)

// maxMessage is the largest gRPC message in either direction: ours take 16 MiB (package p4rt), other servers may take more.
const maxMessage = 128 << 20

// ErrNotConnected: there is no stream at the moment.
var ErrNotConnected = errors.New("not connected")

// ErrBusy: the switch does not read the stream, and the queue is full. The message is lost.
var ErrBusy = errors.New("the switch reads nothing from its connection")

// Options of a Client. Address is needed.
type Options struct {
	Address  string
	DeviceID uint64 // 0 means 1
	Role     string
	// ElectionHigh and ElectionLow are the election id; both 0 means 1.
	ElectionHigh, ElectionLow uint64
	// Backup is a client that never becomes the primary: it has no election id, and only looks on.
	Backup bool
	// May is called right before every change of the switch. Its error says why the client may not (or
	// no longer) change the switch, and nothing is sent. nil: no check.
	May func() error
	// TLS configures the connection, with the client's certificate; nil: plain text.
	TLS *tls.Config
	// Backoff is the first and the last pause between two attempts to connect;
	// 0 means 100 ms and 5 s.
	BackoffMin, BackoffMax time.Duration
	// DialOptions are added to those of the client, for tests.
	DialOptions []grpc.DialOption
	Log         *slog.Logger
}

// Handler gets the messages of a stream.
type Handler struct {
	// Mastership is called after every arbitration update. ctx ends with the
	// stream. Requests may be made from it.
	Mastership func(ctx context.Context, primary bool)
	// Arbitration is called with every arbitration update, before Mastership: OK, ALREADY_EXISTS (another
	// client is the primary) or NOT_FOUND (nobody is), and the highest election id that the switch
	// has seen.
	Arbitration func(code codes.Code, highest *p4.Uint128)
	PacketIn    func(*p4.PacketIn)
	Digest      func(*p4.DigestList)
	// Idle gets entries that no packet has hit for their idle timeout.
	Idle func(*p4.IdleTimeoutNotification)
	// Ports gets the ports that are up, from switches that report them (package oper).
	Ports func(up map[uint32]bool)
	// StreamError gets errors about packet-outs and acknowledgements.
	StreamError func(*p4.StreamError)
	// Disconnected is called when a stream, or the attempt to make one, ends.
	Disconnected func(error)
}

// Client talks to one switch.
type Client struct {
	o    Options
	log  *slog.Logger
	conn *grpc.ClientConn
	rpc  p4.P4RuntimeClient

	mu  sync.Mutex
	out chan *p4.StreamMessageRequest // what the stream is to send; nil: not connected
}

// outSize is how much may wait for a switch that takes nothing: a stopped one, or one behind a slow network.
const outSize = 512

// New makes a client; nothing is sent before Run or a request. The caller closes
// it.
func New(o Options) (*Client, error) {
	o.DeviceID = cmp.Or(o.DeviceID, 1)
	if o.ElectionHigh == 0 && o.ElectionLow == 0 {
		o.ElectionLow = 1
	}
	o.BackoffMin = cmp.Or(o.BackoffMin, 100*time.Millisecond)
	o.BackoffMax = cmp.Or(o.BackoffMax, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	creds := insecure.NewCredentials()
	if o.TLS != nil {
		creds = credentials.NewTLS(o.TLS)
	}
	opts := append([]grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	}, o.DialOptions...)
	conn, err := grpc.NewClient(o.Address, opts...)
	if err != nil {
		return nil, fmt.Errorf("switch %s: %w", o.Address, err)
	}
	return &Client{o: o, log: o.Log.With("switch", o.Address), conn: conn, rpc: p4.NewP4RuntimeClient(conn)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Address is the switch's.
func (c *Client) Address() string { return c.o.Address }

// ElectionID is the client's election id.
func (c *Client) ElectionID() (high, low uint64) { return c.o.ElectionHigh, c.o.ElectionLow }

func (c *Client) electionID() *p4.Uint128 {
	if c.o.Backup {
		return nil
	}
	return &p4.Uint128{High: c.o.ElectionHigh, Low: c.o.ElectionLow}
}

// may asks whether the switch may be changed.
func (c *Client) may() error {
	if c.o.May == nil {
		return nil
	}
	if err := c.o.May(); err != nil {
		return fmt.Errorf("switch %s: not changed: %w", c.o.Address, err)
	}
	return nil
}

// explain adds to the error of a session what it is likely to mean.
func (c *Client) explain(err error) error {
	// A server that has read no TLS handshake closes the connection without a word.
	if err != nil && c.o.TLS == nil && strings.Contains(err.Error(), "error reading server preface") {
		return fmt.Errorf("%w [does the switch want TLS? Then give a certificate, its key and the CA of the switch]", err)
	}
	return err
}

// Run keeps a stream to the switch until ctx ends, and returns its error.
func (c *Client) Run(ctx context.Context, h Handler) error {
	wait := c.o.BackoffMin
	for {
		began := time.Now()
		err := c.session(ctx, h)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if h.Disconnected != nil {
			h.Disconnected(err)
		}
		if time.Since(began) > c.o.BackoffMax { // it had worked
			wait = c.o.BackoffMin
		}
		c.log.Warn("switch disconnected", "err", c.explain(err), "retry_in", wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait/2 + rand.N(wait/2+1)):
		}
		wait = min(2*wait, c.o.BackoffMax)
	}
}

// session runs one stream.
func (c *Client) session(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := c.rpc.StreamChannel(ctx)
	if err != nil {
		return err
	}
	arb := &p4.MasterArbitrationUpdate{DeviceId: c.o.DeviceID, ElectionId: c.electionID()}
	if c.o.Role != "" {
		arb.Role = &p4.Role{Name: c.o.Role}
	}
	out := make(chan *p4.StreamMessageRequest, outSize)
	out <- &p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Arbitration{Arbitration: arb}}
	c.mu.Lock()
	c.out = out
	c.mu.Unlock()
	// Send waits for a switch that takes nothing; whoever has something to send does not.
	var sender sync.WaitGroup
	sender.Go(func() { sendAll(ctx, st, out) })
	defer func() {
		c.mu.Lock()
		c.out = nil
		c.mu.Unlock()
		cancel()
		sender.Wait()
	}()
	for {
		m, err := st.Recv()
		if err != nil {
			return err
		}
		switch u := m.GetUpdate().(type) {
		case *p4.StreamMessageResponse_Arbitration:
			code := codes.Code(u.Arbitration.GetStatus().GetCode())
			primary := code == codes.OK
			if h.Arbitration != nil {
				h.Arbitration(code, u.Arbitration.GetElectionId())
			}
			if h.Mastership != nil {
				h.Mastership(ctx, primary)
			}
		case *p4.StreamMessageResponse_Packet:
			if h.PacketIn != nil {
				h.PacketIn(u.Packet)
			}
		case *p4.StreamMessageResponse_Digest:
			if h.Digest != nil {
				h.Digest(u.Digest)
			}
		case *p4.StreamMessageResponse_IdleTimeoutNotification:
			if h.Idle != nil {
				h.Idle(u.IdleTimeoutNotification)
			}
		case *p4.StreamMessageResponse_Other:
			switch up, err := oper.Parse(u.Other); {
			case errors.Is(err, oper.ErrOther):
			case err != nil:
				c.log.Warn("switch sent an unreadable message about its ports", "err", err)
			case h.Ports != nil:
				h.Ports(up)
			}
		case *p4.StreamMessageResponse_Error:
			if h.StreamError != nil {
				h.StreamError(u.Error)
			}
		}
	}
}

// sendAll sends what comes until the stream ends: Recv has the reason why.
func sendAll(ctx context.Context, st p4.P4Runtime_StreamChannelClient, out <-chan *p4.StreamMessageRequest) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-out:
			if st.Send(m) != nil {
				return
			}
		}
	}
}

// send hands something to the stream. It does not wait.
func (c *Client) send(m *p4.StreamMessageRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		return fmt.Errorf("switch %s: %w", c.o.Address, ErrNotConnected)
	}
	select {
	case c.out <- m:
		return nil
	default:
		return fmt.Errorf("switch %s: send: %w", c.o.Address, ErrBusy)
	}
}

// PacketOut sends a packet. It does not wait for the switch: if the switch reads nothing, packets
// are lost (ErrBusy).
func (c *Client) PacketOut(p *p4.PacketOut) error {
	if err := c.may(); err != nil {
		return err
	}
	return c.send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Packet{Packet: p}})
}

// AckDigest acknowledges a list.
func (c *Client) AckDigest(l *p4.DigestList) error {
	return c.send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_DigestAck{
		DigestAck: &p4.DigestListAck{DigestId: l.GetDigestId(), ListId: l.GetListId()},
	}})
}

// Answers is nil when the switch answers a request that has nothing to do.
func (c *Client) Answers(ctx context.Context) error {
	_, err := c.rpc.Capabilities(ctx, &p4.CapabilitiesRequest{})
	switch status.Code(err) {
	case codes.OK, codes.Unimplemented:
		return nil
	case codes.DeadlineExceeded, codes.Canceled:
		return errors.New("does not answer")
	}
	return fmt.Errorf("does not answer: %s", status.Convert(err).Message())
}
