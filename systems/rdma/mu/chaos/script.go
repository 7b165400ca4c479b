package chaos

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// option is a word of the cluster command: at points to its place in Options. A number is from lo to hi, if that is not 0.
type option struct {
	key    string
	at     any
	lo, hi int
}

// options are those of the cluster command. The first four are always said.
func (o *Options) options() []option {
	return []option{
		{"servers", &o.Servers, 1, mu.MaxServers}, {"seed", &o.Seed, 0, 0}, {"log", &o.LogSize, 0, 0}, {"routes", &o.Routes, 1, mu.Routes},
		{"clusters", &o.Clusters, 1, 9}, {"groups", &o.Groups, 0, 0}, {"delay", &o.Delay, 0, 0}, {"request", &o.Request, 0, 0},
		{"lease", &o.Lease, 0, 0}, {"gens", &o.Gens, 0, 0}, {"switch", &o.Switch, 0, 0}, {"eager", &o.Eager, 0, 0}, {"durable", &o.Durable, 0, 0},
		{"loss", &o.Loss, 0, 0}, {"miss", &o.GroupMiss, 0, 0}, {"skew", &o.Skew, 0, 0}, {"batch", &o.Batch, 0, 0},
	}
}

// set reads a value.
func (f option) set(v string) (err error) {
	switch at := f.at.(type) {
	case *bool:
		*at = true
	case *int:
		if *at, err = strconv.Atoi(v); err == nil && f.hi > 0 && (*at < f.lo || *at > f.hi) {
			err = fmt.Errorf("%d (want %d to %d)", *at, f.lo, f.hi)
		}
	case *uint64:
		*at, err = strconv.ParseUint(v, 10, 64)
	case *float64:
		*at, err = strconv.ParseFloat(v, 64)
	case *time.Duration:
		*at, err = time.ParseDuration(v)
	}
	return err
}

// String is the command that makes a world with these options.
func (o Options) String() string {
	s := "cluster"
	for i, f := range o.options() {
		switch v := reflect.ValueOf(f.at).Elem(); {
		case i >= 4 && v.IsZero():
		case v.Kind() == reflect.Bool:
			s += " " + f.key
		default:
			s += fmt.Sprintf(" %s=%v", f.key, v)
		}
	}
	return s
}

// ParseOptions reads a cluster command.
func ParseOptions(line string) (Options, error) {
	o := Options{Servers: 3, LogSize: 8192, Routes: mu.Routes}
	c, err := parseCommand(line)
	if err != nil || c.name != "cluster" || len(c.args) > 0 {
		return o, fmt.Errorf("%q is no cluster command (want cluster servers=N seed=N …)", line)
	}
	all := o.options()
	for key, v := range c.keys {
		i := slices.IndexFunc(all, func(f option) bool { return f.key == key })
		if i < 0 {
			return o, fmt.Errorf("%s: unknown option", key)
		}
		if err := all[i].set(v); err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
	}
	return o, nil
}

// command is a line of a script: a name, arguments, and options with or without a
// value.
type command struct {
	name string
	args []string
	keys map[string]string

	id   int     // of the server that the first argument names, if the command is one of ofServer
	s    *server // that
	says string  // what it has to say beside the trace
}

// arg is the only argument, or the last of so many.
func (c *command) arg(n int, what string) (string, error) {
	if len(c.args) != n {
		return "", fmt.Errorf("%s: a %s is missing", c.name, what)
	}
	return c.args[n-1], nil
}

// duration is such an argument that is one.
func (c *command) duration(n int) (time.Duration, error) {
	text, err := c.arg(n, "duration")
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(text)
}

func parseCommand(line string) (command, error) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return command{}, errors.New("no command")
	}
	c := command{name: f[0], keys: map[string]string{}}
	for _, a := range f[1:] {
		if key, v, ok := strings.Cut(a, "="); ok {
			c.keys[key] = v
		} else if (a == "switch" || a == "eager" || a == "durable") && c.name == "cluster" || a == "oneway" || a == "disk" {
			c.keys[a] = ""
		} else {
			c.args = append(c.args, a)
		}
	}
	return c, nil
}

// server returns the server that the i-th argument names; leader is the one that
// leads.
func (w *World) serverArg(c command, i int) (int, error) {
	if i >= len(c.args) {
		return 0, fmt.Errorf("%s: a server is missing", c.name)
	}
	if c.args[i] == "leader" {
		if l := w.Leader(); l >= 0 {
			return l, nil
		}
		return 0, errors.New("there is no leader")
	}
	id, err := strconv.Atoi(c.args[i])
	if err != nil || id < 0 || id > mu.MaxID {
		return 0, fmt.Errorf("%s: %q is no server", c.name, c.args[i])
	}
	if w.servers[id] == nil && c.name != "learner" {
		return 0, fmt.Errorf("%s: there is no server %d", c.name, id)
	}
	return id, nil
}

// settleTime is how long until may take, in simulated time.
const settleTime = 5 * time.Second

// Do executes one line of a script. Documentation of the commands is in doc.go. The
// result is what the command has to say beside the trace.
func (w *World) Do(line string) (string, error) {
	if at, rest, ok := strings.Cut(line, " "); ok && len(at) == 2 && at[0] == '@' {
		n := int(at[1] - '0')
		if n < 2 || n > len(w.clusters) {
			return "", fmt.Errorf("there is no cluster %s", at[1:])
		}
		return w.clusters[n-1].Do(rest)
	}
	c, err := parseCommand(line)
	if err != nil {
		return "", err
	}
	do := commands[c.name]
	if do == nil || c.name == "heal" && len(c.args) > 0 {
		if do = ofServer[c.name]; do == nil {
			return "", fmt.Errorf("%q is no command", c.name)
		}
		if c.id, err = w.serverArg(c, 0); err != nil {
			return "", err
		}
		c.s = w.servers[c.id]
	}
	err = do(w, &c)
	return c.says, err
}

// commands are those without a server.
var commands = map[string]func(w *World, c *command) error{
	"run": func(w *World, c *command) error {
		d, err := c.duration(1)
		if err != nil {
			return err
		}
		return ignoreViolation(w.Run(d))
	},
	"until":      (*World).until,
	"power":      func(w *World, _ *command) error { w.PowerLoss(); return nil },
	"settle":     (*World).settle,
	"set":        (*World).set,
	"switch":     (*World).device,
	"controller": (*World).device,
	"loss":       func(w *World, c *command) error { return c.probability(&w.opt.Loss) },
	"miss-rate":  func(w *World, c *command) error { return c.probability(&w.opt.GroupMiss) },
	"heal": func(w *World, _ *command) error {
		clear(w.cut)
		w.tracef(nobody, "all networks are whole again")
		return nil
	},
	"status": func(w *World, c *command) error { c.says = w.statusText(); return nil },
	"decided": func(w *World, c *command) error {
		if want := record(strings.Join(c.args, " ")); !w.hasDecided(want) {
			w.violate("%s is not decided", name(want))
		}
		return nil
	},
	"confirmed": func(w *World, _ *command) error {
		w.each(func(s *server) {
			if len(s.barriers) > 0 {
				w.violate("%d read barriers of server %d have not been confirmed", len(s.barriers), s.id)
			}
		})
		return nil
	},
}

// ofServer are those whose first argument is a server.
var ofServer = map[string]func(w *World, c *command) error{
	"propose": func(w *World, c *command) error {
		records := make([]string, 0, len(c.args))
		for _, a := range c.args[1:] {
			records = append(records, record(a))
		}
		w.Propose(c.id, records...)
		return nil
	},
	"crash": func(w *World, c *command) error {
		_, disk := c.keys["disk"]
		w.Crash(c.id, disk)
		return nil
	},
	"copy": func(_ *World, c *command) error { c.s.kept = &copied{c.s.disk, c.s.journal.clone()}; return nil },
	"restore": func(w *World, c *command) error {
		s := c.s
		if s.up || s.kept == nil {
			return fmt.Errorf("server %d runs, or has no copy", s.id)
		}
		w.Stats.Restored++
		s.rememberDisk()
		s.disk, s.journal = s.kept.disk, s.kept.journal.clone()
		w.tracef(s.id, "has the disk of before, up to position %d", s.disk.pos)
		return nil
	},
	"stop": func(w *World, c *command) error {
		if rig.Has(w.members(), c.id) {
			return fmt.Errorf("server %d is a member (remove it first)", c.id)
		}
		w.Stop(c.id)
		return nil
	},
	"cut":  (*World).cutOrHeal,
	"heal": (*World).cutOrHeal,
	"slow": func(w *World, c *command) (err error) {
		if c.s.slow, err = c.duration(2); err == nil {
			w.tracef(c.id, "takes up to %v to apply something", c.s.slow)
		}
		return err
	},
	"barrier": always((*World).Barrier),
	"restart": always((*World).Restart),
	"pause":   always((*World).Pause),
	"resume":  always((*World).Resume),
	"corrupt": always((*World).Corrupt),
	"stray":   always((*World).Stray),
	"miss":    func(_ *World, c *command) error { c.s.miss++; return nil },
	"learner": func(w *World, c *command) error { return w.Learner(c.id) },
	"join":    func(w *World, c *command) error { return w.Join(c.id) },
	"remove":  func(w *World, c *command) error { return w.Remove(c.id) },
	"log":     func(_ *World, c *command) error { c.says = c.s.logText(); return nil },
}

// always is a command that a server never refuses.
func always(do func(w *World, id int)) func(*World, *command) error {
	return func(w *World, c *command) error {
		do(w, c.id)
		return nil
	}
}

// probability sets one.
func (c *command) probability(p *float64) error {
	text, err := c.arg(1, "probability")
	if err == nil {
		*p, err = strconv.ParseFloat(text, 64)
	}
	return err
}

// ignoreViolation drops an error that the trace has.
func ignoreViolation(err error) error {
	var v *Violation
	if errors.As(err, &v) {
		return nil
	}
	return err
}

// device has something happen to the switch or its controller.
func (w *World) device(c *command) error {
	what := strings.Join(c.args, " ")
	do := map[string]func(){
		"switch down":     w.SwitchDown,
		"switch up":       w.SwitchUp,
		"switch restart":  func() { w.SwitchDown(); w.SwitchUp() },
		"controller down": func() { w.Controller(false) },
		"controller up":   func() { w.Controller(true) },
	}[c.name+" "+what]
	if do == nil {
		return fmt.Errorf("%s: %q is no command", c.name, what)
	}
	do()
	return nil
}

// set changes a setting of all servers, which each has when it starts again.
func (w *World) set(c *command) error {
	for key, v := range c.keys {
		var err error
		switch key {
		case "lease":
			w.opt.Lease, err = time.ParseDuration(v)
		case "durable":
			var durable bool
			durable, err = strconv.ParseBool(v)
			w.each(func(s *server) {
				if s.up && err == nil {
					err = fmt.Errorf("server %d runs (all have it, or none has)", s.id)
				}
			})
			if err == nil {
				w.opt.Durable = durable
			}
		default:
			err = errors.New("is no setting")
		}
		if err != nil {
			return fmt.Errorf("set %s: %w", key, err)
		}
		w.Stats.Settings++
		w.tracef(nobody, "servers that start have %s=%s", key, v)
	}
	return nil
}

// settle ends faults: all, or those of the servers that core names.
func (w *World) settle(c *command) error {
	value := strings.Join(c.args, " ")
	text, ok := c.keys["core"]
	if !ok {
		return ignoreViolation(w.Settle(value))
	}
	var core []int
	for _, f := range strings.Split(text, ",") {
		id, err := strconv.Atoi(f)
		if err != nil || id < 0 || id > mu.MaxID || w.servers[id] == nil || w.servers[id].gone {
			return fmt.Errorf("settle: %q is no server", f)
		}
		core = append(core, id)
	}
	return ignoreViolation(w.SettleCore(value, core))
}

// cutOrHeal changes what passes between one server and another, or all others.
func (w *World) cutOrHeal(c *command) error {
	id := c.id
	var others []int
	if len(c.args) > 1 {
		o, err := w.serverArg(*c, 1)
		if err != nil {
			return err
		}
		others = append(others, o)
	} else {
		w.each(func(o *server) {
			if o.id != id {
				others = append(others, o.id)
			}
		})
	}
	first, last := 0, w.opt.Routes-1
	where := ""
	if r, ok := c.keys["route"]; ok {
		n, err := strconv.Atoi(r)
		if err != nil || n < 0 || n > last {
			return fmt.Errorf("%s: %q is no route", c.name, r)
		}
		first, last = n, n
		where = " on route " + r
	}
	_, oneway := c.keys["oneway"]
	f, verb := w.Cut, "do not reach each other"
	if oneway {
		verb = "do not hear it"
	}
	if c.name == "heal" {
		f, verb = w.Heal, "reach each other again"
	}
	for _, o := range others {
		for r := first; r <= last; r++ {
			f(id, o, r)
			if !oneway {
				f(o, id, r)
			}
		}
	}
	w.tracef(id, "and %v %s%s", others, verb, where)
	return nil
}

// conditions are what until can wait for: of the server that its second argument names, nil if there is none.
var conditions = map[string]func(w *World, s *server, arg string) bool{
	// A server leads, or a certain one.
	"leader": func(w *World, s *server, _ string) bool { l := w.Leader(); return l >= 0 && (s == nil || l == s.id) },
	// The leader is in a mode.
	"mode": func(w *World, _ *server, mode string) bool {
		l := w.Leader()
		return l >= 0 && w.Status(l).Mode.String() == mode
	},
	"full": func(_ *World, s *server, _ string) bool { return s.up && s.core.Status().State == mu.Full },
	// A server has applied what all others have.
	"applied": func(w *World, s *server, _ string) bool {
		ok := true
		w.each(func(o *server) { ok = ok && (!o.up || s != nil && o.machine.index <= s.machine.index) })
		return ok
	},
	// A learner can become a member.
	"ready": func(w *World, s *server, _ string) bool {
		l := w.Leader()
		return l >= 0 && w.servers[l].core.CaughtUp(mu.ID(s.id))
	},
	"member":  func(w *World, s *server, _ string) bool { return rig.Has(w.members(), s.id) },
	"removed": func(w *World, s *server, _ string) bool { return !rig.Has(w.members(), s.id) },
	// The server that changed the membership reports that it is done.
	"answered": func(w *World, _ *server, _ string) bool {
		return w.changer != nil && w.changer.up && w.changer.answered()
	},
}

// until lets time pass until something is so.
func (w *World) until(c *command) error {
	what := strings.Join(c.args, " ")
	kind, arg, _ := strings.Cut(what, " ")
	cond := conditions[kind]
	if cond == nil {
		return fmt.Errorf("until: %q is no condition", what)
	}
	var s *server
	if arg != "" && kind != "mode" {
		id, err := w.serverArg(command{name: "until " + kind, args: c.args[1:]}, 0)
		if err != nil {
			return err
		}
		s = w.servers[id]
	}
	every := time.Millisecond
	if kind == "answered" {
		every = time.Microsecond // what comes next in the script shall come at once
	}
	if !w.runUntil(settleTime, every, func() bool { return cond(w, s, arg) }) && w.failed == nil {
		return fmt.Errorf("%s: not within %v", what, settleTime)
	}
	return nil
}

// record makes a record of its name: v+100 is v, filled up with 100 bytes.
func record(name string) string {
	if head, fill, ok := strings.Cut(name, "+"); ok {
		if n, err := strconv.Atoi(fill); err == nil && n >= 0 && n < 1<<20 {
			return head + string(make([]byte, n))
		}
	}
	return name
}

// name is the name of a record, in short if it is long.
func name(record string) string {
	head := strings.TrimRight(record, "\x00")
	const long = 40
	if head = strings.ReplaceAll(head, "\x00", "·"); len(head) > long {
		return fmt.Sprintf("%s…[%d bytes, %d of them 0]", head[:8], len(record), strings.Count(record, "\x00"))
	}
	if fill := len(record) - len(head); fill > 0 {
		head += fmt.Sprintf("+%d", fill)
	}
	return head
}

// statusText has a line per server.
func (w *World) statusText() string {
	var b strings.Builder
	for _, s := range w.servers {
		switch {
		case s == nil:
			continue
		case s.gone:
			fmt.Fprintf(&b, "%d: gone\n", s.id)
			continue
		case !s.up:
			fmt.Fprintf(&b, "%d: down, %d records on disk\n", s.id, s.disk.index)
			continue
		}
		st := s.core.Status()
		fmt.Fprintf(&b, "%d: %v", s.id, st.Role)
		if st.Role == mu.Leader {
			fmt.Fprintf(&b, ", %v", st.Mode)
		}
		fmt.Fprintf(&b, ", %v, term %v, %d records, members %v", st.State, st.Term, s.machine.index, rig.IDs(st.Members))
		if s.held {
			b.WriteString(", paused")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// logText has a line per entry that a server has not applied, and one per run of
// those before it that its ring still has.
func (s *server) logText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "applied up to position %d\n", s.machine.pos)
	for pos := s.machine.pos; ; {
		e, ok := mu.Inspect(s.log, pos)
		if !ok || pos-s.machine.pos >= uint64(len(s.log)) {
			break
		}
		switch {
		case e.Skip:
			fmt.Fprintf(&b, "%6d  (end of the ring)\n", pos)
		case e.Members != nil:
			fmt.Fprintf(&b, "%6d  term %v  membership %v\n", pos, e.Term, rig.IDs(e.Members))
		default:
			fmt.Fprintf(&b, "%6d  term %v  record %d  %s\n", pos, e.Term, e.Index, name(string(e.Record)))
		}
		pos = e.End
	}
	return b.String()
}

// RunScript makes a world of the first line and executes the others. It ends at the
// first violation. A line that cannot be executed is left out; World.Undone says why.
func RunScript(lines []string, change func(*Options)) (*World, error) {
	if len(lines) == 0 {
		return nil, errors.New("the script is empty")
	}
	o, err := ParseOptions(lines[0])
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&o)
	}
	w := New(o)
	for i, line := range lines[1:] {
		if w.failed != nil {
			break
		}
		if _, err := w.Do(line); err != nil {
			w.tracef(nobody, "line %d (%s): %v", i+2, line, err)
			if w.Undone == nil {
				w.Undone = map[int]error{}
			}
			w.Undone[i+2] = err
		}
	}
	return w, nil
}

var number = regexp.MustCompile(`\d+`)

// Shrink drops lines of a script that violates something as long as the rest still
// does, trying at most so many scripts.
func Shrink(lines []string, tries int) []string {
	kind := "" // of the failure: a shorter script that fails in another way shows something else
	fails := func(l []string) bool {
		tries--
		w, err := RunScript(l, nil)
		if err != nil || w.failed == nil {
			return false
		}
		k := number.ReplaceAllString(w.failed.Error(), "N")
		if kind == "" {
			kind = k
		}
		return k == kind
	}
	if !fails(lines) {
		return lines
	}
	for size := len(lines) / 2; size >= 1; {
		smaller := false
		for at := 1; at < len(lines) && tries > 0; {
			shorter := slices.Delete(slices.Clone(lines), at, min(at+size, len(lines)))
			if fails(shorter) {
				lines, smaller = shorter, true
			} else {
				at += size
			}
		}
		if tries <= 0 {
			break
		}
		if !smaller || size > len(lines)/2 {
			size /= 2
		}
	}
	return lines
}
