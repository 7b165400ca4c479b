package rdma

import (
	"errors"
	"fmt"
)

// Op is the kind of a work request.
type Op uint8

// The operations. OpRecv and OpRecvWriteImm appear in completions of posted
// receives only.
const (
	OpWrite Op = iota + 1
	OpWriteImm
	OpSend
	OpSendImm
	OpRead
	OpCompareSwap
	OpFetchAdd
	OpRecv
	OpRecvWriteImm
)

var opNames = [...]string{
	OpWrite: "write", OpWriteImm: "write-imm", OpSend: "send", OpSendImm: "send-imm", OpRead: "read",
	OpCompareSwap: "compare-swap", OpFetchAdd: "fetch-add", OpRecv: "recv", OpRecvWriteImm: "recv-write-imm",
}

func (o Op) String() string {
	if int(o) < len(opNames) && opNames[o] != "" {
		return opNames[o]
	}
	return fmt.Sprintf("op %d", uint8(o))
}

// Fetches reports whether the responder sends data back.
func (o Op) Fetches() bool { return o == OpRead || o == OpCompareSwap || o == OpFetchAdd }

// ConsumesRecv reports whether the operation needs a receive at the responder.
func (o Op) ConsumesRecv() bool { return o == OpSend || o == OpSendImm || o == OpWriteImm }

// SendWR is a work request of the requester.
//
// Local is the data to send, or where the data of a READ (any length) or atomic
// (8 bytes, host byte order) go. It must stay untouched from the post to the
// completion: a retransmission reads it again. Being a Go slice it carries its
// own bounds, so it needs no key.
type SendWR struct {
	ID    uint64 // returned in the completion
	Op    Op
	Local []byte

	VA   uint64 // WRITE, READ, atomics: address at the peer
	RKey uint32

	Imm              uint32
	SwapAdd, Compare uint64 // atomics

	Solicited  bool
	Unsignaled bool // no completion unless it fails
}

// RecvWR is a buffer for one SEND, or the notification of one WRITE with
// immediate data.
type RecvWR struct {
	ID    uint64
	Local []byte // must stay untouched until the completion
}

// Status says how a work request ended.
type Status uint8

// The ways a work request can end.
const (
	StatusOK Status = iota
	StatusFlushed
	StatusRetryExceeded
	StatusRNRRetryExceeded
	StatusRemoteInvalidRequest
	StatusRemoteAccess
	StatusRemoteOperation
	StatusBadResponse
	StatusLocalLength
	StatusLocal
)

var statusText = [...]string{
	StatusOK:                   "ok",
	StatusFlushed:              "flushed (the queue pair failed or was closed before the operation ended)",
	StatusRetryExceeded:        "transport retries exceeded (the peer does not answer)",
	StatusRNRRetryExceeded:     "receiver-not-ready retries exceeded (the peer has posted no receive)",
	StatusRemoteInvalidRequest: "remote invalid request (the peer does not allow the operation on this connection)",
	StatusRemoteAccess:         "remote access error (the memory key, bounds or rights do not match the peer's)",
	StatusRemoteOperation:      "remote operational error",
	StatusBadResponse:          "bad response from the peer",
	StatusLocalLength:          "message longer than the posted receive",
	StatusLocal:                "local error (the RDMA device refuses the request or its buffer)",
}

func (s Status) String() string {
	if int(s) < len(statusText) {
		return statusText[s]
	}
	return fmt.Sprintf("status %d", uint8(s))
}

// Err returns nil for StatusOK and an error for every other status.
func (s Status) Err() error {
	if s == StatusOK {
		return nil
	}
	return StatusError(s)
}

// StatusError is a Status other than StatusOK as an error.
type StatusError Status

func (e StatusError) Error() string { return Status(e).String() }

// Completion reports the end of a work request.
type Completion struct {
	ID     uint64
	QPN    uint32
	Op     Op
	Status Status
	HasImm bool
	Imm    uint32
	Len    int // bytes received (receives), fetched or sent
}

// Errors of the post functions.
var (
	ErrQueueFull = errors.New("queue pair: queue is full (poll completions)")
	ErrNotReady  = errors.New("queue pair: not connected")
	ErrRequest   = errors.New("queue pair: malformed work request")
	ErrTooLong   = errors.New("queue pair: message too long")
)
