package resp

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/tidwall/redcon"
)

// LingerTime is how long a client may continue to send after an error that ends its connection, so
// that the error reaches it.
const LingerTime = time.Second

// Requests reads the requests of a connection.
type Requests struct {
	from  *Reader
	in    *bufio.Reader
	r     *redcon.Reader
	large bool // there was a long one
}

// NewRequests reads them from a Reader.
func NewRequests(from *Reader) *Requests {
	in := bufio.NewReader(from)
	return &Requests{from: from, in: in, r: redcon.NewReader(in)} // which takes possession of it unchanged
}

// Next waits for requests, and returns all that have arrived. They are valid until the next call.
func (q *Requests) Next() ([]redcon.Command, error) {
	if q.large && q.from.out == q.from.whole && q.in.Buffered() == 0 {
		// r holds nothing, not even a part of a request, so it does not need the buffer.
		q.r, q.large = redcon.NewReader(q.in), false
	}
	list, err := q.r.ReadCommands()
	size := 0
	for i := range list {
		size += len(list[i].Raw)
	}
	q.large = q.large || size > KeptBuffer
	return list, err
}

// Told returns what a client is to be told of an error by which its connection ends, if it is one by the client.
func Told(err error) (text string, ok bool) {
	// redcon's errors of this kind have no type of their own.
	if text := err.Error(); len(text) > len(told) && text[:len(told)] == told {
		return "ERR " + OneLine(text), true
	}
	return "", false
}

const told = "Protocol error: "

// TellPlain tells a client that it has to speak TLS, if that is why its connection ends: err is that of the handshake, or of
// the first read. It reports whether it was.
func TellPlain(err error) bool {
	var h tls.RecordHeaderError
	if !errors.As(err, &h) || h.Conn == nil { // Conn: the first bytes are no handshake, and nothing has been written
		return false
	}
	_ = h.Conn.SetWriteDeadline(time.Now().Add(LingerTime))
	if _, err := h.Conn.Write([]byte("-ERR this port speaks TLS (redis-cli --tls)\r\n")); err == nil {
		Linger(h.Conn)
	}
	return true
}

// Linger has what was sent reach a client: what it continues to send is read for a while, because closing at once could discard
// the last reply.
func Linger(conn net.Conn) {
	if t, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = t.CloseWrite()
	}
	_ = conn.SetReadDeadline(time.Now().Add(LingerTime))
	_, _ = io.Copy(io.Discard, conn)
}

// Refuse tells a client that there are too many, and closes its connection.
func Refuse(conn net.Conn) {
	_ = conn.SetWriteDeadline(time.Now().Add(LingerTime))
	_, _ = conn.Write([]byte("-ERR max number of clients reached\r\n"))
	_ = conn.Close()
}

// Accept gives each connection to take, until the listener fails, or until ctx is done: then it returns nil.
func Accept(ctx context.Context, l net.Listener, log *slog.Logger, take func(net.Conn)) error {
	pause := time.Duration(0)
	for {
		conn, err := l.Accept()
		var temporary interface{ Temporary() bool }
		switch {
		case err == nil:
			pause = 0
			take(conn)
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &temporary) && temporary.Temporary(): // out of file descriptors, for example
			log.Warn("accept", "error", err)
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil
			}
		default:
			return err
		}
	}
}
