package farewell

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bits of a robust futex (linux/futex.h).
const (
	waiters   = 0x80000000
	ownerDied = 0x40000000
)

// own has a thread hold the futex of m until release is called, or the process dies.
func own(m memory) (release func(), err error) {
	held, stop, released := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		// The thread is this goroutine's until it ends, and ends with it.
		runtime.LockOSThread()
		urgent()
		h := m.header()
		h.node = uintptr(unsafe.Pointer(&h.list))
		h.list = robustList{first: uintptr(unsafe.Pointer(&h.node)), offset: int64(unsafe.Offsetof(h.owner)) - int64(unsafe.Offsetof(h.node))}
		// The kernel wakes only where somebody is said to wait.
		atomic.StoreUint32(&h.owner, uint32(unix.Gettid())|waiters)
		if err := setRobust(uintptr(unsafe.Pointer(&h.list))); err != nil {
			held <- err
			return
		}
		held <- nil
		<-stop
		_ = setRobust(0) // the kernel has taken a list before
		atomic.StoreUint32(&h.owner, 0)
		wake(&h.owner)
	}()
	if err := <-held; err != nil {
		return nil, fmt.Errorf("robust futex: %w", err)
	}
	return func() { close(stop); <-released }, nil
}

// setRobust tells the kernel of the thread's list of robust futexes; 0: there is none.
func setRobust(list uintptr) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SET_ROBUST_LIST, list, unsafe.Sizeof(robustList{}), 0); errno != 0 {
		return errno
	}
	return nil
}

// urgent has the calling thread run before others when there is something to do, which is once, and briefly, for
// both threads that use it: a busy machine is no reason to hear of a death late. Where it may not, it takes its turn.
// It is no realtime thread: the kernel refuses to move a process that has one to a cgroup with a CPU quota.
func urgent() { _ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20) }

// await waits until the owner has died, or let go, and reports which.
func await(m memory) (died bool) {
	word := &m.header().owner
	for {
		v := atomic.LoadUint32(word)
		if v&ownerDied != 0 || v == 0 {
			return v != 0
		}
		// It returns as well when the word has changed before, and when a signal comes.
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(v), 0, 0, 0)
	}
}

// Operations of futex(2), for a word that processes share.
const futexWait, futexWake = 0, 1

func wake(word *uint32) {
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1<<30, 0, 0, 0)
}

// declare says that the owner has died, in place of the kernel.
func declare(m memory) {
	word := &m.header().owner
	for {
		v := atomic.LoadUint32(word)
		if v == 0 || atomic.CompareAndSwapUint32(word, v, v|ownerDied) {
			break
		}
	}
	wake(word)
}
