package farewell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/packet"
)

// Files that the herald is started with.
const (
	memoryFile = 3 + iota
	socketFile
	aliveFile
)

// pauses is how long the herald waits between its rounds: a frame may be lost.
var pauses = [...]time.Duration{0, time.Millisecond, 4 * time.Millisecond}

// Run is the herald. It returns when it has sent what was to be sent, or when the process has let go.
// It must be started by a Farewell.
func Run() error {
	// What ends the process is not to end the herald before it has spoken.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	mapped, err := unix.Mmap(memoryFile, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("farewell: memory: %w (only a server starts this)", err)
	}
	m := memory(mapped)
	if err := m.check(); err != nil {
		return fmt.Errorf("farewell: %w", err)
	}
	alive := os.NewFile(aliveFile, "alive")
	if alive == nil {
		return errors.New("farewell: no pipe (only a server starts this)")
	}
	go func() { // in case the kernel had no list of the owner's
		_, _ = io.Copy(io.Discard, alive)
		declare(m)
	}()
	runtime.LockOSThread()
	urgent()
	if !await(m) {
		return nil
	}
	var errs []error
	for _, pause := range pauses {
		time.Sleep(pause)
		for iface, frame := range m.frames() {
			errs = append(errs, packet.SendOn(socketFile, iface, frame))
		}
	}
	return errors.Join(errs...)
}
