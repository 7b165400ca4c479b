// Package bell lets a thread wait for a socket, for others in its process, and for a time, in one
// system call and with the kernel's resolution of time.
package bell

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Bell is what others ring. One goroutine waits; any goroutine rings. Its file is closed when nobody
// can reach it any more.
type Bell struct {
	fd    int
	rung  atomic.Bool // so that a bell that was rung is not rung again
	fds   [2]unix.PollFd
	limit unix.Timespec
	count [8]byte
}

// one is what a ring adds to the eventfd, in the host's byte order.
var one = binary.NativeEndian.AppendUint64(nil, 1)

// New makes a bell.
func New() (*Bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	b := &Bell{fd: fd}
	runtime.AddCleanup(b, func(fd int) { _ = unix.Close(fd) }, fd)
	return b, nil
}

// Ring ends the Wait that is under way, or the next one.
func (b *Bell) Ring() {
	if b.rung.Swap(true) {
		return
	}
	// It cannot be full: Wait empties it.
	_, _ = unix.Write(b.fd, one)
}

// Wait waits until the socket fd can be read (fd < 0: there is none), Ring is called, or d has passed
// (d < 0: it never does). A signal may end it early.
func (b *Bell) Wait(fd int, d time.Duration) error {
	b.fds = [2]unix.PollFd{{Fd: int32(b.fd), Events: unix.POLLIN}, {Fd: int32(fd), Events: unix.POLLIN}}
	var limit *unix.Timespec
	if d >= 0 {
		// By default, the kernel wakes a thread up to 50 us late. The goroutine may be on another thread each time.
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
		b.limit = unix.NsecToTimespec(int64(d))
		limit = &b.limit
	}
	_, err := unix.Ppoll(b.fds[:], limit, nil)
	if b.fds[0].Revents != 0 {
		// Before the flag: who rings after it was cleared is not swallowed.
		_, _ = unix.Read(b.fd, b.count[:])
		b.rung.Store(false)
	}
	if errors.Is(err, unix.EINTR) {
		return nil // as if the time had passed
	}
	return os.NewSyscallError("ppoll", err)
}
