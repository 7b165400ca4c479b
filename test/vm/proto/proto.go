// Package proto is what a test and the agent in its guest say to each other over
// a virtio serial port: a stream of frames, several commands at a time.
//
//	host -> guest   Start {id, command}   Stdin, StdinEnd, Signal {id}
//	guest -> host   Ready   Stdout, Stderr, Exit {id}
//
// A frame is kind (1 byte), id of the command (4 bytes), length (4 bytes), both
// big-endian, and the data. Ids are chosen by the host and not used again.
package proto

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Port is the name of the virtio serial port.
const Port = "p4ce.guest"

// Kind says what a frame is about.
type Kind uint8

// The kinds of frames.
const (
	Ready    Kind = iota + 1 // the guest serves commands
	Start                    // data: Command as JSON
	Stdin                    // data: for the command
	StdinEnd                 // the command sees the end of its input
	Signal                   // data: one byte, the signal's number
	Stdout                   // data: from the command
	Stderr                   // data: from the command
	Exit                     // data: Status as JSON; the last frame of its id
)

// MaxData is the most data that one frame carries; longer streams are cut.
const MaxData = 32 << 10

// Frame is one message.
type Frame struct {
	Kind Kind
	ID   uint32
	Data []byte
}

// Command is what to run. Args[0] is looked for in the guest's PATH.
type Command struct {
	Args []string `json:"args"`
	Env  []string `json:"env,omitempty"` // added to the agent's own
}

// Status is how a command ended.
type Status struct {
	Code   int    `json:"code"`             // exit code; -1 when it did not exit
	Signal string `json:"signal,omitempty"` // what ended it
	Error  string `json:"error,omitempty"`  // why it could not be started
}

const headerLen = 9

// Write writes a frame with one call of w.Write.
func Write(w io.Writer, f Frame) error {
	if len(f.Data) > MaxData {
		return fmt.Errorf("frame of %d bytes (at most %d fit)", len(f.Data), MaxData)
	}
	b := make([]byte, headerLen, headerLen+len(f.Data))
	b[0] = byte(f.Kind)
	binary.BigEndian.PutUint32(b[1:], f.ID)
	binary.BigEndian.PutUint32(b[5:], uint32(len(f.Data)))
	_, err := w.Write(append(b, f.Data...))
	return err
}

// Read reads a frame. At the end of the stream, between frames, it returns
// io.EOF.
func Read(r io.Reader) (Frame, error) {
	var h [headerLen]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: Kind(h[0]), ID: binary.BigEndian.Uint32(h[1:])}
	n := binary.BigEndian.Uint32(h[5:])
	if f.Kind < Ready || f.Kind > Exit || n > MaxData {
		return Frame{}, fmt.Errorf("no frame: kind %d, %d bytes", f.Kind, n)
	}
	f.Data = make([]byte, n)
	if _, err := io.ReadFull(r, f.Data); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	return f, nil
}
