package farewell

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/packet"
)

// Farewell is what a process has to say when it dies. Any goroutine may call its methods.
type Farewell struct {
	command func() (*exec.Cmd, error)

	lock    sync.Mutex
	failed  error // it could not be started
	memory  memory
	free    []int
	alive   *os.File // the herald sees it close, too
	release func()
	ended   chan struct{} // the herald has
}

// New returns a Farewell. command makes the command that calls Run; it is started with the first
// interface.
func New(command func() (*exec.Cmd, error)) *Farewell { return &Farewell{command: command} }

// Voice sends on one interface.
type Voice struct {
	f     *Farewell
	index int
}

// On returns the voice on an interface of the current network namespace, the same for all interfaces
// of a Farewell. It needs CAP_NET_RAW.
func (f *Farewell) On(iface string) (*Voice, error) {
	ifi, err := net.InterfaceByName(iface)
	if err != nil {
		return nil, fmt.Errorf("farewell on %s: %w", iface, err)
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.memory == nil && f.failed == nil {
		f.failed = f.start()
	}
	if f.failed != nil {
		return nil, fmt.Errorf("farewell on %s: %w", iface, f.failed)
	}
	return &Voice{f, ifi.Index}, nil
}

// start starts the herald.
func (f *Farewell) start() (err error) {
	var closers []func()
	undo := func(c func()) { closers = append(closers, c) }
	defer func() {
		if err != nil {
			for _, c := range slices.Backward(closers) {
				c()
			}
		}
	}()
	m, file, err := newMemory()
	if err != nil {
		return err
	}
	defer file.Close()
	undo(func() { _ = unix.Munmap(m) })
	socket, err := packet.OpenSender()
	if err != nil {
		return err
	}
	defer socket.Close()
	theirs, alive, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	defer theirs.Close()
	undo(func() { _ = alive.Close() })
	cmd, err := f.command()
	if err != nil {
		return err
	}
	release, err := own(m)
	if err != nil {
		return err
	}
	undo(release)
	cmd.ExtraFiles = []*os.File{file, socket, theirs}
	// It outlives what ends the process, a terminal's interrupt as well.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // an end before ours is as if there had been no herald
		close(ended)
	}()
	f.memory, f.alive, f.release, f.ended = m, alive, release, ended
	for i := slots - 1; i >= 0; i-- {
		f.free = append(f.free, i)
	}
	return nil
}

// newMemory makes the memory that is shared, and the file by which the herald maps it.
func newMemory() (memory, *os.File, error) {
	fd, err := unix.MemfdCreate("farewell", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "memory")
	var mapped []byte
	if err = file.Truncate(size); err == nil {
		mapped, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("memory: %w", err)
	}
	m := memory(mapped)
	m.header().version = version
	return m, file, nil
}

// Keep has a frame sent when the process dies. It returns a name for Drop, and false when there is
// no room.
func (v *Voice) Keep(frame []byte) (id int, ok bool) {
	f := v.f
	f.lock.Lock()
	defer f.lock.Unlock()
	if len(frame) == 0 || len(frame) > maxFrame || len(f.free) == 0 {
		return 0, false
	}
	n := len(f.free) - 1
	id = f.free[n]
	f.free = f.free[:n]
	f.memory.put(id, v.index, frame)
	return id, true
}

// Drop forgets a frame. It may be used once for each that Keep has taken.
func (v *Voice) Drop(id int) {
	f := v.f
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.memory != nil {
		f.memory.clear(id)
		f.free = append(f.free, id)
	}
}

// Close ends the herald, which sends nothing. No voice is used any more.
func (f *Farewell) Close() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.memory == nil {
		return nil
	}
	f.release()
	<-f.ended
	err := f.alive.Close()
	m := f.memory
	f.memory, f.free = nil, nil
	if e := unix.Munmap(m); err == nil {
		err = e
	}
	return err
}
