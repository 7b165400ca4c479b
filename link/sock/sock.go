// Package sock connects programs of one machine: it opens unix sockets to which only their owner
// can connect.
//
//	switch --listen unix:p4rt.sock <--- controller --admin unix:admin.sock <--- p4ce status
package sock

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// umask is the process's: one at a time.
var umask sync.Mutex

// Listen listens on a unix socket, which has mode 0600 from the beginning: nobody but its owner (and
// root) can connect. A socket that a process has left there that was killed is replaced; with one that
// somebody listens on the error is EADDRINUSE. The socket is removed when the listener is closed.
func Listen(path string) (net.Listener, error) {
	if st, err := os.Lstat(path); err == nil && st.Mode()&os.ModeSocket != 0 {
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			c.Close()
		} else if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("stale socket: %w", err)
		}
	}
	if filepath.Dir(path) == folder() {
		if err := makeFolder(); err != nil {
			return nil, err
		}
	}
	umask.Lock()
	defer umask.Unlock()
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.Listen("unix", path)
}
