package halves

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// serve is the goroutine of the slow half.
func (t *Target) serve(interval time.Duration) {
	defer close(t.done)
	if interval > 0 {
		// A sleep of the kernel ends in microseconds, one of Go's runtime in a millisecond. The slack of timers is this
		// thread's, which ends with the goroutine: the lock is not released.
		runtime.LockOSThread()
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0)
	}
	begin := time.Now()
	for {
		select {
		case <-t.wake:
		case <-t.stop:
			return
		}
		if interval > 0 {
			ts := unix.NsecToTimespec(int64(interval - time.Since(begin)%interval))
			_ = unix.Nanosleep(&ts, nil) // a signal ends it early
		}
		t.Work(uint64(time.Since(begin)), t.PacketOut)
	}
}
