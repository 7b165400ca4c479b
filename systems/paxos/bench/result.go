package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cilium/ebpf/rlimit"

	"github.com/p4ce/p4ce/bench/report"
)

// Roles that are measured by themselves.
const (
	Forwarding = "forwarding alone"
	Leader     = "leader"
	Leader3    = "leader, 3 copies" // to as many acceptors
	Acceptor   = "acceptor"
	Learner    = "learner"
	AllRoles   = "all roles in one"
)

// Metrics of a role in the kernel.
const (
	PerMessage = "CPU time of a message"
	Ingress    = "of it the ingress"
	Egress     = "of it the egress, each copy"
	PerSecond  = "messages on one core"
)

// Metrics of whole systems.
const (
	Most        = "values decided, at most"
	MostTail    = "p99 then"
	Cost        = "CPU time of a value"
	LightMedian = "p50 at the light load"
	LightTail   = "p99 at the light load"
	Gap         = "longest silence"
	Median      = "latency (p50)"
	Tail        = "latency (p99)"
	Served      = "values decided"
	Within      = "decided within"
	Decided     = "values decided"
)

const (
	byHand     = "C by hand"
	inP4       = "P4"
	asPrograms = "programs"
	atPorts    = "programs by AF_XDP" // without the kernel's UDP, as hosts at switches
	inSwitches = "switches"
	inTwo      = "two switches"                // the paper's testbed: three acceptors
	inOneThree = "one switch, three acceptors" // that fail together: for the comparison, and not for use
	inOne      = "one switch, one acceptor"    // for what all roles of a value take in one place

	inApplications = "several applications"
	inForwarding   = "with traffic"
)

// wantedRoles are messages per microsecond of one core; the paper's DPDK has 5.5, 0.95 and
// 0.65 (table II).
var wantedRoles = []struct {
	role string
	rate float64
}{{Leader, 5.5}, {Leader3, 5.5}, {Acceptor, 5}, {Learner, 5}}

// onDisk is the workload whose store is on disk: LevelDB's part of the paper's figure 7.
const onDisk = "store on disk"

// paperDisk is the paper's most messages per second with LevelDB, of two Tofinos and of libpaxos, and its light load (section VII-B).
var paperDisk = struct{ switches, software, light float64 }{112e3, 54e3, 24e3}

// bestOf is the case of the most values of all windows; a case is named by its window.
const bestOf = " best"

const (
	costOf     = "echo" // the workload whose CPU time is measured
	costWindow = 64     // and the values under way then
	wantedMost = 4      // times the programs' rate
	wantedGap  = 50     // ms
	cdfRate    = 24000  // values per second: the paper's light load
)

// Options say what to measure.
type Options struct {
	Binary      string // p4ce
	Dir         string // for what networks need
	Repetitions int
	Runs        int   // of a program, per repetition
	Windows     []int // values under way, each in turn
	For         time.Duration
	Rates       []float64 // offered, values per second
	XDP         bool      // hosts at switches send and receive by AF_XDP, not by packet sockets
	Log         io.Writer // of all processes; nil: nowhere
	Progress    func(format string, args ...any)
}

// wire is how hosts at switches send and receive.
func (o Options) wire() string {
	if o.XDP {
		return "AF_XDP"
	}
	return "packet sockets"
}

// Results are of a run: that of the command, with all verdicts, and three that have an axis each.
type Results struct{ Main, Load, CDF, Outage *report.Result }

// New describes a run.
func New(o Options) *Results {
	r := &report.Result{Name: "paxos", Title: "Paxos in switches", Systems: []string{byHand, inP4, asPrograms, atPorts, inSwitches, inTwo, inOneThree, inOne},
		Metrics: []report.Metric{
			{Name: PerMessage, Unit: "ns"}, {Name: Ingress, Unit: "ns"}, {Name: Egress, Unit: "ns"}, {Name: PerSecond, Unit: "M/s"},
			{Name: Most, Unit: "1/s"}, {Name: MostTail, Unit: "us"}, {Name: Cost, Unit: "us"}, {Name: LightMedian, Unit: "us"}, {Name: LightTail, Unit: "us"},
			{Name: Gap, Unit: "ms", NoRatio: true},
		}}
	for _, f := range faults {
		r.Systems = append(r.Systems, f.name)
	}
	r.Set("repetitions", o.Repetitions)
	r.Set("runs of a program", o.Runs)
	r.Set("message", fmt.Sprintf("%d B", frameSize))
	r.Set("proposers", "two hosts; one where a rate is offered")
	r.Set("values under way when CPU time is measured", costWindow)
	r.Set("each load for", o.For)
	r.Set("hosts at switches", o.wire())
	r.Set("programs", "UDP sockets on the loopback")
	r.Set(atPorts, "the same programs at ports of a switch that only forwards; they send and receive as hosts at switches do")
	r.Set(onDisk, "p4ce kv --log paxos on two hosts, in the folder for temporary files; clients at Unix sockets")
	r.Set("light load", fmt.Sprintf("%d values/s; %s: %.0f %% of what the programs decide at most, as in the paper", cdfRate, onDisk, 100*paperDisk.light/paperDisk.software))
	r.Set("load when something fails", fmt.Sprintf("%d values/s", outageRate))
	all := &Results{r, loadResult(), cdfResult(), outageResult()}
	for _, x := range []*report.Result{all.Load, all.CDF, all.Outage} {
		x.Settings = r.Settings
	}
	return all
}

// Ready says why this machine cannot measure.
func Ready() error {
	if os.Geteuid() != 0 {
		return errors.New("this measurement runs XDP programs in network namespaces, which needs root")
	}
	return nil
}

// prepare is what every measurement begins with.
func (o *Options) prepare() error {
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	if err := Ready(); err != nil {
		return err
	}
	return rlimit.RemoveMemlock()
}

// Measure measures everything, systems in turns.
func Measure(ctx context.Context, o Options) (*Results, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	all := New(o)
	run, err := all.Main.Begin()
	if err != nil {
		return nil, err
	}
	if err := measureRoles(ctx, o, all.Main); err != nil {
		return nil, err
	}
	if err := measureWhole(ctx, o, all.Main, all.Load, all.CDF); err != nil {
		return nil, err
	}
	if err := measureKept(ctx, o, all.Main, all.Load, all.CDF); err != nil {
		return nil, err
	}
	if err := measureOutages(ctx, o, all.Main, all.Outage); err != nil {
		return nil, err
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	judgeRoles(all.Main)
	judgeWhole(all.Main)
	judgeOutages(all.Main)
	for _, x := range []*report.Result{all.Load, all.CDF, all.Outage} {
		x.Start, x.Took, x.Machine, x.Disturbed = all.Main.Start, all.Main.Took, all.Main.Machine, all.Main.Disturbed
	}
	return all, nil
}

// Write writes the tables to w, and all files and figures into a folder.
func (a *Results) Write(w io.Writer, dir string) error {
	err := a.Main.Write(w, dir,
		report.Figure{Name: "paxos-roles", Title: "CPU time of a message, by role (one core)", Metric: PerMessage},
		report.Figure{Name: "paxos-rate", Title: "Values decided per second, at most, by workload and window", Metric: Most},
		report.Figure{Name: "paxos-cost", Title: "CPU time of a value, by who uses it", Metric: Cost})
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	return errors.Join(
		a.Load.Write(w, dir, report.Figure{Name: "paxos-load", Title: "Time until a value is decided, p99, by the offered rate", Metric: Tail, LogX: true, LogY: true}),
		a.CDF.Files(dir, report.Figure{Name: "paxos-cdf", Title: fmt.Sprintf("Values decided within a time, at %d values/s", cdfRate), Metric: Within, LogY: true}),
		a.Outage.Files(dir, report.Figure{Name: "paxos-outage", Title: "Values decided around a fault", Metric: Decided}))
}

// judgeRoles compares with the targets.
func judgeRoles(r *report.Result) {
	for _, w := range wantedRoles {
		r.Above(fmt.Sprintf("%s, messages on one core", w.role), report.Point{Metric: PerSecond, Case: w.role}, inP4, w.rate)
	}
}
