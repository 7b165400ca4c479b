// Package cpu limits and reads the CPU time of processes, for benchmarks in which a
// server's CPU is to be what limits it.
//
// A Quota is a group of the kernel's cpu controller (cgroup v2, or v1 where that is
// mounted) with a bandwidth limit. Where there is no such controller, a process can be
// pinned to one CPU instead, which limits it less.
package cpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Time is the CPU time that a process has used by now, all its threads. (Work of the
// network's soft interrupts is not in it where the kernel accounts for it apart, as it does
// with CONFIG_IRQ_TIME_ACCOUNTING.)
func Time(pid int) (time.Duration, error) {
	// The clock of a process's CPU time: clock_getcpuclockid(3), CPUCLOCK_SCHED.
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, fmt.Errorf("CPU time of process %d: %w (has it ended?)", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// Thread is the CPU time that this thread has used: what else runs on the machine does not count.
func Thread() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("CPU time of a thread: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// period is how often the quota is given anew. A process that has used it up stands
// still until then: far less than a retransmission takes.
const period = 10 * time.Millisecond

// MinQuota is the least quota the kernel takes in CPUs: 1 ms per period.
const MinQuota = 0.1

// ErrNoController says that there is no cpu controller to be had.
var ErrNoController = errors.New("this machine offers no cgroup with a cpu controller")

// Quota is a group of processes with a limit.
type Quota struct{ dir string }

// NewQuota makes a group whose processes may use so many CPUs together, such as 0.25.
func NewQuota(name string, cpus float64) (*Quota, error) {
	return newQuota("/proc/self/mounts", name, cpus)
}

func newQuota(mounts, name string, cpus float64) (*Quota, error) {
	if cpus < MinQuota {
		return nil, fmt.Errorf("a quota of %g CPUs: the kernel takes no less than %g", cpus, MinQuota)
	}
	b, err := os.ReadFile(mounts)
	if err != nil {
		return nil, err
	}
	root, v2 := controller(string(b), func(dir string) bool {
		c, _ := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
		return slices.Contains(strings.Fields(string(c)), "cpu")
	})
	if root == "" {
		return nil, ErrNoController
	}
	q := &Quota{filepath.Join(root, name)}
	us := strconv.Itoa(int(cpus * float64(period.Microseconds())))
	per := strconv.Itoa(int(period.Microseconds()))
	files := [][2]string{{"cpu.cfs_period_us", per}, {"cpu.cfs_quota_us", us}}
	if v2 {
		if err := os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+cpu"), 0); err != nil {
			return nil, fmt.Errorf("%w that we may use: %w", ErrNoController, err)
		}
		files = [][2]string{{"cpu.max", us + " " + per}}
	}
	if err := os.Mkdir(q.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w that we may use: %w", ErrNoController, err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(q.dir, f[0]), []byte(f[1]), 0); err != nil {
			return nil, errors.Join(fmt.Errorf("quota of %g CPUs: %w", cpus, err), os.Remove(q.dir))
		}
	}
	return q, nil
}

// controller finds, in a list of mounts, the one with the cpu controller.
func controller(mounts string, unified func(dir string) bool) (dir string, v2 bool) {
	for l := range strings.Lines(mounts) {
		f := strings.Fields(l)
		if len(f) < 4 {
			continue
		}
		switch {
		case f[2] == "cgroup2" && unified(f[1]):
			return f[1], true
		case f[2] == "cgroup" && slices.Contains(strings.Split(f[3], ","), "cpu"):
			dir = f[1]
		}
	}
	return dir, false
}

// Available finds out whether a quota can be had, by making one.
func Available() error {
	q, err := NewQuota(fmt.Sprintf("p4ce-bench-try-%d", os.Getpid()), MinQuota)
	if err != nil {
		return err
	}
	return q.Close()
}

// Add puts a process into the group.
func (q *Quota) Add(pid int) error {
	return os.WriteFile(filepath.Join(q.dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

// Close removes the group. Its processes must have ended.
func (q *Quota) Close() error { return os.Remove(q.dir) }

// Pin lets a process run on one CPU only: on the last of those that we may use.
func Pin(pid int) (on int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return 0, err
	}
	on = -1
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			on = i
		}
	}
	set.Zero()
	set.Set(on)
	// Threads that are made later have what their makers have.
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return 0, err
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, unix.ESRCH) {
			return 0, fmt.Errorf("pin process %d to CPU %d: %w", pid, on, err)
		}
	}
	return on, nil
}

// Usable are the CPUs that this process may use.
func Usable() (out []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			out = append(out, i)
		}
	}
	return out, nil
}

// On runs a function on a CPU.
func On(cpu int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("run on CPU %d: %w", cpu, err)
	}
	defer unix.SchedSetaffinity(0, &before)
	return f()
}
