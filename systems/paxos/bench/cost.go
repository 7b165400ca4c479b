package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/cpu"
)

// Who uses CPU time in a system.
const (
	theHosts  = "hosts"
	theLeader = "leader"
	anyVoter  = "an acceptor"
	theTally  = "learner" // its switch is between all others
	servers   = "all servers"
	machine   = "everything"
)

var parties = []string{theHosts, theLeader, anyVoter, theTally, servers, machine}

// roleOf is who a switch or a process is. The learner's switch is between all others, too; where there
// are only one or two, it is everybody.
var roleOf = map[string]string{
	"l": theLeader, "a1": anyVoter, "a2": anyVoter, "a3": anyVoter, "t": theTally,
	"pl": theLeader, "pa1": anyVoter, "pa2": anyVoter, "pa3": anyVoter, "pt": theTally,
}

// stats has the kernel measure the time of eBPF programs, which makes them a little slower.
func stats() (io.Closer, error) {
	c, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	if err != nil {
		return nil, fmt.Errorf("run time of eBPF programs: %w", err)
	}
	return c, nil
}

// used is the CPU time that each part of a system has used by now. A switch is its XDP programs
// (under stats). Who sends a packet walks its way through all of them, in this process or in the kernel's
// ksoftirqd: what remains of that, with the driver and the copies, is charged to the hosts. A server
// is what is no switch.
func (s *system) used() (map[string]time.Duration, error) {
	own, err := cpu.Time(os.Getpid())
	if err != nil {
		return nil, err
	}
	soft, err := softirqs()
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{theHosts: own + soft}
	var forwards time.Duration
	var errs []error
	if s.programs != nil {
		for name, pid := range s.programs.PIDs() {
			t, err := cpu.Time(pid)
			errs = append(errs, err)
			out[roleOf[name]] += t
		}
	}
	if s.network != nil {
		for name, pid := range s.network.PIDs() {
			t, err := xdpTime(pid)
			errs = append(errs, err)
			out[theHosts] -= t
			switch {
			case s.programs != nil: // it only forwards, which is no server's time
				forwards += t
			case s.name == inTwo || s.name == inOneThree:
				out[theTally] += t // each has several roles
			case s.name == inOne && name != "t": // it does nothing
			default:
				out[roleOf[name]] += t
			}
		}
	}
	roles := out[theLeader] + out[anyVoter] + out[theTally]
	out[servers], out[machine] = out[theHosts], out[theHosts]+roles+forwards
	if s.programs != nil {
		out[servers] += roles
	}
	if _, there := out[anyVoter]; there {
		out[anyVoter] /= acceptors
	}
	return out, errors.Join(errs...)
}

// xdpTime is how long the eBPF programs of a process have run.
func xdpTime(pid int) (sum time.Duration, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	if err != nil {
		return 0, err
	}
	seen := map[ebpf.ProgramID]bool{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // closed meanwhile
		}
		_, line, ok := bytes.Cut(b, []byte("prog_id:"))
		var id ebpf.ProgramID
		if _, err := fmt.Sscan(string(line), &id); !ok || err != nil || seen[id] {
			continue
		}
		seen[id] = true
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			return 0, fmt.Errorf("program %d of process %d: %w", id, pid, err)
		}
		st, err := p.Stats()
		p.Close()
		if err != nil {
			return 0, fmt.Errorf("program %d of process %d: %w", id, pid, err)
		}
		sum += st.Runtime
	}
	if len(seen) == 0 {
		return 0, fmt.Errorf("process %d has no eBPF programs", pid)
	}
	return sum, nil
}

// softirqs is the CPU time of the kernel's threads for soft interrupts.
func softirqs() (sum time.Duration, err error) {
	dirs, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return 0, err
	}
	for _, d := range dirs {
		b, err := os.ReadFile(d)
		if err != nil || !strings.HasPrefix(string(b), "ksoftirqd/") {
			continue // another, or it has ended
		}
		if b, err = os.ReadFile(filepath.Join(filepath.Dir(d), "schedstat")); err != nil {
			return 0, err
		}
		var ns int64
		if _, err := fmt.Sscan(string(b), &ns); err != nil {
			return 0, fmt.Errorf("%s: %w", d, err)
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}
