package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/paxos"
)

// kept is a host whose store is on disk: a server of p4ce kv --log paxos. Clients are connections to it, each of which waits for its
// answer.
type kept struct {
	idle chan *connection
	all  []*connection
}

// keep connects the clients of a server, once it is ready.
func keep(ctx context.Context, at *kvserver.Server) (k *kept, err error) {
	if _, err := at.Await(ctx, 0, func(e kvserver.Event) bool { return e.Event == "ready" }); err != nil {
		return nil, err
	}
	k = &kept{idle: make(chan *connection, MaxWindow)}
	for range MaxWindow {
		conn, err := at.Dial(ctx)
		if err != nil {
			return k, errors.Join(err, k.Close())
		}
		x := &connection{conn: conn, in: bufio.NewReader(conn), asks: make(chan ask, 1)}
		go x.run(k.idle)
		k.all = append(k.all, x)
		k.idle <- x
	}
	return k, nil
}

// Close ends the clients.
func (k *kept) Close() (err error) {
	for _, x := range k.all {
		close(x.asks)
		err = errors.Join(err, x.conn.Close())
	}
	return err
}

// submit has a connection that is idle execute "put KEY VALUE" or "get KEY".
func (k *kept) submit(value string, done func(answer string, err error)) error {
	select {
	case x := <-k.idle:
		x.asks <- ask{value, done}
		return nil
	default:
		return paxos.ErrWindow
	}
}

// connection is one of a client.
type connection struct {
	conn net.Conn
	in   *bufio.Reader
	asks chan ask
}

type ask struct {
	value string
	done  func(answer string, err error)
}

func (x *connection) run(idle chan<- *connection) {
	for a := range x.asks {
		answer, err := x.ask(a.value)
		idle <- x // before done, which may lead to the next one
		a.done(answer, err)
	}
}

// ask executes a command. The answer to a put, and to a get of nothing, is empty.
func (x *connection) ask(value string) (string, error) {
	words := strings.Fields(value)
	words[0] = map[string]string{"put": "SET", "get": "GET"}[words[0]]
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	if _, err := io.WriteString(x.conn, text); err != nil {
		return "", err
	}
	line, err := x.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	switch line = strings.TrimSuffix(line, "\r\n"); {
	case line == "+OK" || line == "$-1":
		return "", nil
	case !strings.HasPrefix(line, "$"):
		return "", fmt.Errorf("%s: %s", value, line)
	}
	n, err := strconv.Atoi(line[1:])
	if err != nil || n < 0 || n > 1<<20 {
		return "", fmt.Errorf("%s: %s", value, line)
	}
	b := make([]byte, n+len("\r\n"))
	_, err = io.ReadFull(x.in, b)
	return string(b[:n]), err
}

// inMemory reports whether a folder is on a file system without a disk.
func inMemory(dir string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return false
	}
	return st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC
}
