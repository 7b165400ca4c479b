package report

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/commit"
)

// Machine is where a run was made.
type Machine struct {
	CPU        string     `json:"cpu"`
	Cores      int        `json:"cores"` // that this process may use
	Kernel     string     `json:"kernel"`
	Go         string     `json:"go"`
	Commit     string     `json:"commit"` // "+" at the end: with changes; "?": that of a folder (package commit)
	LoadBefore [3]float64 `json:"load_before"`
	LoadAfter  [3]float64 `json:"load_after"`
	Stolen     float64    `json:"stolen"`      // CPUs, by the hypervisor
	Others     float64    `json:"others"`      // CPUs, used by processes that are not of the run
	OthersThen float64    `json:"others_then"` // the same, in the second before it
}

// facts are those that do not change.
func (m Machine) facts() string {
	return fmt.Sprintf("%s, %d cores, Linux %s, commit %s", m.CPU, m.Cores, m.Kernel, m.Commit)
}

// String has the facts, and what the machine did, in one line.
func (m Machine) String() string {
	return fmt.Sprintf("%s, load %.2f before and %.2f after, others used %.2f CPUs before and %.2f meanwhile, %.2f stolen",
		m.facts(), m.LoadBefore[0], m.LoadAfter[0], m.OthersThen, m.Others, m.Stolen)
}

// What a clean run may have beside it. The load is not among it: its mean decays so slowly
// that it is that of what we have measured ourselves just before.
const (
	maxOthers = 0.05 // CPUs per core
	maxStolen = 0.01 // CPUs per core
)

// disturbed says what was beside a run, and just before it.
func (m Machine) disturbed(before, meanwhile []string) (out []string) {
	cores := float64(max(m.Cores, 1))
	over := func(what string, cpus, limit float64, who []string) {
		if cpus <= limit*cores {
			return
		}
		s := fmt.Sprintf(what, cpus)
		if len(who) > 0 {
			s += " (" + strings.Join(who, ", ") + ")"
		}
		out = append(out, fmt.Sprintf("%s; at most %.2f are allowed", s, limit*cores))
	}
	over("other processes used %.2f CPUs just before it", m.OthersThen, maxOthers, before)
	over("other processes used %.2f CPUs", m.Others, maxOthers, meanwhile)
	over("the hypervisor took %.2f CPUs", m.Stolen, maxStolen, nil)
	return out
}

// Run is a run that is under way, whose machine is looked at.
type Run struct {
	r      *Result
	before usage
	who    []string // used CPUs before it
}

func here() Machine {
	return Machine{CPU: cpuModel(), Cores: runtime.NumCPU(), Kernel: kernel(), Go: runtime.Version(), Commit: commit.Of()}
}

// BeginSimulated notes the machine, and that the run is in simulated time. Nothing has to
// be ended.
func (r *Result) BeginSimulated() {
	r.Machine, r.Start, r.Simulated = here(), time.Now(), true
}

// look is how long others are watched before a run.
const look = time.Second

// Begin notes the machine, sees for a second what others do there, and begins to watch
// that. Nothing of the run may be under way.
func (r *Result) Begin() (*Run, error) {
	r.Machine = here()
	var err error
	if r.Machine.LoadBefore, err = load(); err != nil {
		return nil, err
	}
	then, err := used()
	if err != nil {
		return nil, err
	}
	time.Sleep(look)
	now, err := used()
	if err != nil {
		return nil, err
	}
	run := &Run{r: r, before: now}
	r.Machine.OthersThen, _, run.who = now.since(then)
	r.Start = now.at
	return run, nil
}

// End notes what the machine did beside the run. The processes of the run must still be
// there, or have been waited for by those that are.
func (run *Run) End() error {
	r := run.r
	r.Took = time.Since(r.Start)
	after, err := used()
	if err != nil {
		return err
	}
	if r.Machine.LoadAfter, err = load(); err != nil {
		return err
	}
	var who []string
	r.Machine.Others, r.Machine.Stolen, who = after.since(run.before)
	r.Disturbed = r.Machine.disturbed(run.who, who)
	return nil
}

// hertz is the unit of times in /proc, USER_HZ, on every architecture that Linux has today.
const hertz = 100

// usage is CPU time used up to an instant, in 1/hertz seconds.
type usage struct {
	at           time.Time
	busy, stolen float64 // of the machine: in processes; by the hypervisor
	procs        map[int]proc
}

// proc is a process, from its stat.
type proc struct {
	name   string
	parent int
	ours   bool    // a process of the run: we, and those under us
	kernel bool    // a thread of the kernel
	own    float64 // used by itself
	all    float64 // and by its children that have ended
}

// since returns what others than us used, and what was stolen, in CPUs, and the names of
// the largest of the others.
func (u usage) since(before usage) (others, stolen float64, who []string) {
	span := u.at.Sub(before.at).Seconds() * hertz
	if span <= 0 {
		return 0, 0, nil
	}
	busy := u.busy - before.busy
	type user struct {
		name string
		cpus float64
	}
	var users []user
	var seen float64
	for pid, p := range u.procs {
		if p.ours || p.kernel { // the kernel's threads move our packets
			busy -= p.all - before.procs[pid].all
			continue
		}
		// Packets are not in what the machine is said to be busy with, but where the kernel counts by
		// ticks they are in what processes are said to have used: ours may seem to be more than all.
		seen += max(0, p.own-before.procs[pid].own)
		if c := (p.own - before.procs[pid].own) / span; c >= 0.02 {
			users = append(users, user{p.name, c})
		}
	}
	slices.SortFunc(users, func(a, b user) int { return int(1000 * (b.cpus - a.cpus)) })
	for _, x := range users[:min(3, len(users))] {
		who = append(who, fmt.Sprintf("%s %.2f", x.name, x.cpus))
	}
	return max(0, busy, seen) / span, max(0, (u.stolen-before.stolen)/span), who
}

func used() (usage, error) {
	u := usage{at: time.Now(), procs: map[int]proc{}}
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return u, err
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	f := strings.Fields(string(line)) // cpu user nice system idle iowait irq softirq steal: proc(5)
	if len(f) < 9 {
		return u, fmt.Errorf("/proc/stat: %q is not what proc(5) says", line)
	}
	// Without irq and softirq, which are packets.
	u.busy = number(f[1]) + number(f[2]) + number(f[3])
	u.stolen = number(f[8])
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return u, err
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		if b, err := os.ReadFile("/proc/" + d.Name() + "/stat"); err == nil { // else it has ended
			if p, ok := parseProc(string(b)); ok {
				u.procs[pid] = p
			}
		}
	}
	u.mark(os.Getpid())
	return u, nil
}

// parseProc reads /proc/PID/stat: proc(5), fields 2, 4 and 14 to 17.
func parseProc(s string) (proc, bool) {
	open, end := strings.IndexByte(s, '('), strings.LastIndexByte(s, ')') // a name may hold anything
	if open < 0 || end < open {
		return proc{}, false
	}
	f := strings.Fields(s[end+1:])
	if len(f) < 15 {
		return proc{}, false
	}
	own := number(f[11]) + number(f[12])
	return proc{name: s[open+1 : end], parent: int(number(f[1])), own: own, all: own + number(f[13]) + number(f[14])}, true
}

// mark finds the processes under a process, and the threads of the kernel, which are
// under process 2.
func (u usage) mark(self int) {
	for pid, p := range u.procs {
		for at, n := pid, 0; at > 0 && n < 64; n++ {
			p.ours = p.ours || at == self
			p.kernel = p.kernel || at == 2
			at = u.procs[at].parent
		}
		u.procs[pid] = p
	}
}

func number(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

func load() (out [3]float64, err error) {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return out, err
	}
	f := strings.Fields(string(b))
	for i := range min(len(out), len(f)) {
		out[i] = number(f[i])
	}
	return out, nil
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return runtime.GOARCH // the others have no such line
}
