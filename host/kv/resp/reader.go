package resp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tidwall/redcon"
)

// Reader is the reader of a connection for redcon. It returns only complete requests of limited
// length with correct framing. That limits memory and time, because redcon keeps everything until a
// request is complete, and each time examines it from the beginning.
//
// Requests are those of RESP (*2, $3, GET, $1, k), and lines of words, as people type them. A request
// whose number of arguments is not positive is ignored, as in Redis.
type Reader struct {
	r     io.Reader
	limit int // bytes of a request
	// Strict is for a connection of nobody: requests are short, and are returned one at a time,
	// because each may authenticate.
	Strict bool
	// Grow requests n bytes more of memory, or returns them.
	Grow func(n int) error

	buf   []byte
	out   int // bytes that were returned to the caller
	whole int // end of the last complete request
	err   error

	// The request that begins at whole.
	at   int // how far it has been examined
	args int // arguments that are still missing; -1: its first line is not complete
}

// Limits of a request.
const (
	maxArgs   = 1 << 20
	MaxInline = 64 << 10
	maxLength = 32 // of a line with a length
	// For a connection of nobody.
	strictArgs  = 10
	strictLimit = 16 << 10
	// minBuffer is the initial buffer of a connection. It grows with requests up to the limit.
	minBuffer = 16 << 10
	// KeptBuffer is how much of it is kept while nothing arrives.
	KeptBuffer = 256 << 10
)

// Error is an error by the client, which is told.
type Error struct{ Text string }

func (e *Error) Error() string { return "Protocol error: " + e.Text }

// ErrHTTP ends a connection whose client is a browser, or another server that was made to send
// commands in the body of a request (Redis: cross protocol scripting). It is not answered.
var ErrHTTP = errors.New("the client speaks HTTP")

// NewReader returns the reader of a connection, for requests of so many bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: r, limit: limit, args: -1, Grow: func(int) error { return nil }}
}

// most returns the limit of a request.
func (f *Reader) most() int {
	if f.Strict {
		return min(f.limit, strictLimit)
	}
	return f.limit
}

// Read implements io.Reader. In the bytes that it returns, a typed line is only at the beginning: when
// redcon finds an error in a line, it forgets the requests before it.
func (f *Reader) Read(p []byte) (int, error) {
	for f.out == f.whole {
		if err := f.scan(); err != nil {
			f.err = err
		}
		if f.out < f.whole {
			break
		}
		if f.err != nil {
			return 0, f.err
		}
		if f.err = f.room(); f.err == nil {
			f.fill()
		}
	}
	n := copy(p, f.buf[f.out:f.whole])
	f.out += n
	return n, nil
}

// room makes room for more bytes.
func (f *Reader) room() error {
	if f.out > 0 {
		n := copy(f.buf, f.buf[f.out:])
		f.buf = f.buf[:n]
		f.at -= f.out
		f.out, f.whole = 0, 0
		if n == 0 && cap(f.buf) > KeptBuffer {
			_ = f.Grow(-2 * cap(f.buf))
			f.buf = nil // it was a long one
		}
	}
	if len(f.buf) == cap(f.buf) {
		size := max(2*cap(f.buf), minBuffer)
		// redcon has another such buffer.
		if err := f.Grow(2 * (size - cap(f.buf))); err != nil {
			return err
		}
		b := make([]byte, len(f.buf), size)
		copy(b, f.buf)
		f.buf = b
	}
	return nil
}

// fill reads once.
func (f *Reader) fill() {
	n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
	f.buf = f.buf[:len(f.buf)+n]
	f.err = err
}

// scan advances over the bytes that have arrived, and moves whole over the requests in them that may
// be returned together.
func (f *Reader) scan() error {
	for f.at < len(f.buf) {
		var err error
		switch {
		case f.args < 0 && f.whole > f.out && (f.Strict || f.buf[f.at] != '*'):
			return nil // a typed line, for instance, waits until the requests before it are gone
		case f.args < 0:
			err = f.first()
		case f.args == 0:
			f.whole, f.args = f.at, -1
			continue
		default:
			err = f.argument()
		}
		if errors.Is(err, errMore) {
			if len(f.buf)-f.whole > f.most() {
				return f.tooLong()
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	if f.args == 0 {
		f.whole, f.args = f.at, -1
	}
	return nil
}

// errMore says that the rest has not arrived.
var errMore = errors.New("incomplete")

func (f *Reader) tooLong() error {
	return &Error{fmt.Sprintf("request is too long (at most %d bytes)", f.most())}
}

// first examines the first line of a request.
func (f *Reader) first() error {
	line, end, err := f.line()
	if err != nil {
		return err
	}
	if f.buf[f.at] != '*' {
		if speaksHTTP(f.buf[f.at:end]) {
			return ErrHTTP
		}
		return f.typed(end)
	}
	n, ok := ParseInt(line)
	if !ok || n > maxArgs || f.Strict && n > strictArgs {
		return &Error{"invalid multibulk length"}
	}
	if n <= 0 { // redcon takes this for an error, and ignores an empty line
		for i := range line {
			line[i] = ' '
		}
		f.buf[f.at], f.at, f.args = ' ', end, 0
		return nil
	}
	f.at, f.args = end, int(n)
	return nil
}

// typed examines a typed line. redcon does not know all that Redis's quotes can contain, so it gets a line with quotes in
// the form of other requests.
func (f *Reader) typed(end int) error {
	f.args = 0
	line := f.buf[f.at:end]
	if !bytes.ContainsAny(line, `"'`) {
		f.at = end
		return nil
	}
	words, ok := split(line)
	if !ok {
		return &Error{"unbalanced quotes in request"}
	}
	if f.Strict && len(words) > strictArgs {
		return &Error{"invalid multibulk length"}
	}
	request := redcon.AppendArray(nil, len(words))
	for _, w := range words {
		request = redcon.AppendBulk(request, w)
	}
	was := cap(f.buf)
	f.buf = slices.Replace(f.buf, f.at, end, request...)
	f.at += len(request)
	return f.Grow(2 * (cap(f.buf) - was)) // redcon has another such buffer
}

// split splits a line into words, as Redis does. Between double quotes, \xHH, \n, \r, \t, \b and \a are bytes, and other
// characters behind \ themselves; between single quotes, \' is one. A quote ends a word.
func split(line []byte) (words [][]byte, ok bool) {
	space := func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' || c == 0 }
	for {
		for len(line) > 0 && space(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return words, true
		}
		word := []byte{}
		for len(line) > 0 && !space(line[0]) {
			c := line[0]
			if c != '"' && c != '\'' {
				word, line = append(word, c), line[1:]
				continue
			}
			var rest []byte
			if word, rest, ok = quoted(word, line[1:], c); !ok || len(rest) > 0 && !space(rest[0]) {
				return nil, false
			}
			line = rest
			break
		}
		words = append(words, word)
	}
}

// quoted appends what is before the closing quote to a word.
func quoted(word, line []byte, quote byte) (_, rest []byte, ok bool) {
	named := map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'a': '\a'}
	for len(line) > 0 {
		c := line[0]
		line = line[1:]
		switch {
		case c == quote:
			return word, line, true
		case c != '\\' || len(line) == 0 || quote == '\'' && line[0] != '\'':
			word = append(word, c)
			continue
		}
		c = line[0]
		line = line[1:]
		if quote == '"' && c == 'x' && len(line) >= 2 {
			if n, err := hex.DecodeString(string(line[:2])); err == nil {
				word, line = append(word, n[0]), line[2:]
				continue
			}
		}
		if n, is := named[c]; is && quote == '"' {
			c = n
		}
		word = append(word, c)
	}
	return nil, nil, false
}

// speaksHTTP reports whether a typed line is the first line of a POST, or the header that all requests
// have.
func speaksHTTP(line []byte) bool {
	const most = len("host:")
	line = bytes.TrimLeft(line, " ")
	low := bytes.ToLower(line[:min(len(line), most)])
	return bytes.HasPrefix(low, []byte("host:")) || bytes.HasPrefix(low, []byte("post")) && (len(line) == 4 || line[4] <= ' ')
}

// argument examines one argument.
func (f *Reader) argument() error {
	if c := f.buf[f.at]; c != '$' {
		return &Error{fmt.Sprintf("expected '$', got %q", c)}
	}
	line, end, err := f.line()
	if err != nil {
		return err
	}
	n, ok := ParseInt(line)
	if !ok || n < 0 {
		return &Error{"invalid bulk length"}
	}
	if n > int64(f.most()-(end-f.whole)-2) {
		return f.tooLong()
	}
	end += int(n)
	if end+2 > len(f.buf) {
		return errMore
	}
	if f.buf[end] != '\r' || f.buf[end+1] != '\n' {
		return &Error{"invalid bulk length"}
	}
	f.at = end + 2
	f.args--
	return nil
}

// line returns the line at f.at, without its first byte and its end, and the start of the next line.
func (f *Reader) line() ([]byte, int, error) {
	rest := f.buf[f.at:]
	typed := rest[0] != '*' && rest[0] != '$'
	limit := MaxInline
	if !typed {
		limit = maxLength
	}
	for i, c := range rest[:min(len(rest), limit)] {
		if c != '\n' {
			continue
		}
		if !typed && (i < 2 || rest[i-1] != '\r') {
			return nil, 0, &Error{"invalid length"}
		}
		return rest[1:max(i-1, 1)], f.at + i + 1, nil
	}
	if len(rest) >= limit {
		return nil, 0, &Error{"too big inline request"}
	}
	return nil, 0, errMore
}
