package cast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// Port is where receivers listen by default.
const Port = 4750

// Slots is the number of chunks that may be under way.
const Slots = 8

const (
	minChunk    = 4096
	maxChunk    = 1 << 20
	messageLen  = 8192         // the longest control message
	messages    = 4*Slots + 8  // receives that are posted, and sends that may be under way
	kindControl = 15           // p4ce.Request.Kind of a control connection
	version     = 1            // of the messages
	maxNameLen  = 200          // bytes
	partsFolder = ".p4ce-cast" // beside the final files
)

// message is everything that a control connection carries, as JSON in one SEND.
type message struct {
	Type string `json:"type"`

	// offer
	Name   string           `json:"name,omitempty"`
	Size   int64            `json:"size,omitempty"`
	SHA256 string           `json:"sha256,omitempty"`
	Chunk  int              `json:"chunk,omitempty"` // bytes; of type chunk and done: its number
	Next   []netip.AddrPort `json:"next,omitempty"`  // chain: hosts behind this one

	// state, chunk, done
	Index int64  `json:"index,omitempty"` // state: the first chunk that is missing
	CRC   uint32 `json:"crc,omitempty"`

	// finished, error
	Error   string   `json:"error,omitempty"`
	Results []Result `json:"results,omitempty"` // chain: of the hosts behind this one
}

// The types of messages.
const (
	typeOffer    = "offer"
	typeState    = "state"
	typeChunk    = "chunk"
	typeDone     = "done"
	typeFinish   = "finish"
	typeFinished = "finished"
	typeError    = "error"
	typePing     = "ping"
	typePong     = "pong"
)

// Result says how the copy to a host ended.
type Result struct {
	Host  netip.AddrPort `json:"host"`
	Bytes int64          `json:"bytes"`           // that are on the host now
	Had   int64          `json:"had"`             // that were there before
	Error string         `json:"error,omitempty"` // empty: it has the file
}

// control is a connection for messages. Send may be called from any goroutine, Receive from one.
type control struct {
	conn rdma.Conn
	in   [messages][]byte
	next []rdma.Completion

	mu    sync.Mutex
	under int // sends without a completion
}

// post gives a queue pair the receives of a control connection.
func (c *control) post(qp rdma.QP) error {
	for i := range c.in {
		c.in[i] = make([]byte, messageLen)
		if _, err := qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: c.in[i]}); err != nil {
			return err
		}
	}
	return nil
}

func (c *control) reap() error {
	var done [16]rdma.Completion
	for {
		n := c.conn.QP().SendCQ().Poll(done[:])
		if n == 0 {
			return nil
		}
		for _, d := range done[:n] {
			c.under--
			if d.Status != rdma.StatusOK {
				return fmt.Errorf("control connection: %w", rdma.StatusError(d.Status))
			}
		}
	}
}

// send sends a message. It does not wait for its arrival.
func (c *control) send(m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > messageLen {
		return fmt.Errorf("control connection: a message of %d bytes (at most %d)", len(text), messageLen)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reap(); err != nil {
		return err
	}
	if c.under >= messages {
		return errors.New("control connection: the peer accepts no messages")
	}
	if _, err := c.conn.QP().PostSend(rdma.SendWR{Op: rdma.OpSend, Local: text}); err != nil {
		return fmt.Errorf("control connection: %w", err)
	}
	c.under++
	return nil
}

// receive waits for the next message.
func (c *control) receive(ctx context.Context) (message, error) {
	var m message
	for len(c.next) == 0 {
		done := make([]rdma.Completion, messages)
		if n := c.conn.QP().RecvCQ().Poll(done); n > 0 {
			c.next = done[:n]
			break
		}
		if err := c.conn.QP().RecvCQ().Wait(ctx); err != nil {
			return m, err
		}
	}
	d := c.next[0]
	c.next = c.next[1:]
	if d.Status != rdma.StatusOK {
		return m, fmt.Errorf("control connection: %w", errors.Join(c.conn.Err(), rdma.StatusError(d.Status)))
	}
	if err := json.Unmarshal(c.in[d.ID][:d.Len], &m); err != nil {
		return m, fmt.Errorf("control connection: %w", err)
	}
	_, err := c.conn.QP().PostRecv(rdma.RecvWR{ID: d.ID, Local: c.in[d.ID]})
	return m, err
}

// greet is the request for a control connection, for a transfer.
func greet(s private.Secret, id uint64) *private.Request {
	return &private.Request{Form: private.FormPeer, Kind: kindControl, Cluster: s.Cluster, Version: version, Term: id}
}

// why is what the peer has said about a refusal.
func why(err error) error {
	if r, ok := proof.Why(err); ok {
		return fmt.Errorf("refused: %s", r.Text)
	}
	var refused *rdma.RejectedError
	if errors.As(err, &refused) && refused.Reason == cm.ReasonInvalidServiceID {
		return errors.New("no program listens there [is p4ce cast --receive running?]")
	}
	return err
}
