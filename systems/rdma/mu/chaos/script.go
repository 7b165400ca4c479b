package chaos

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// String is the command that makes a world with these options.
func (o Options) String() string {
	s := fmt.Sprintf("cluster servers=%d seed=%d log=%d routes=%d", o.Servers, o.Seed, o.LogSize, o.Routes)
	for _, f := range [...]struct {
		key string
		v   int
	}{{"clusters", o.Clusters}, {"groups", o.Groups}} {
		if f.v != 0 {
			s += fmt.Sprintf(" %s=%d", f.key, f.v)
		}
	}
	for _, f := range [...]struct {
		key string
		v   time.Duration
	}{{"delay", o.Delay}, {"request", o.Request}, {"lease", o.Lease}} {
		if f.v != 0 {
			s += fmt.Sprintf(" %s=%v", f.key, f.v)
		}
	}
	if o.Gens != 0 {
		s += fmt.Sprintf(" gens=%d", o.Gens)
	}
	if o.Switch {
		s += " switch"
	}
	if o.Eager {
		s += " eager"
	}
	if o.Durable {
		s += " durable"
	}
	for _, f := range [...]struct {
		key string
		v   float64
	}{{"loss", o.Loss}, {"miss", o.GroupMiss}, {"skew", o.Skew}, {"batch", o.Batch}} {
		if f.v != 0 {
			s += " " + f.key + "=" + strconv.FormatFloat(f.v, 'g', -1, 64)
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
	for key, v := range c.keys {
		switch key {
		case "servers":
			o.Servers, err = strconv.Atoi(v)
			if err == nil && (o.Servers < 1 || o.Servers > mu.MaxServers) {
				err = fmt.Errorf("%d (want 1 to %d)", o.Servers, mu.MaxServers)
			}
		case "seed":
			o.Seed, err = strconv.ParseUint(v, 10, 64)
		case "log":
			o.LogSize, err = strconv.Atoi(v)
		case "routes":
			o.Routes, err = strconv.Atoi(v)
			if err == nil && (o.Routes < 1 || o.Routes > mu.Routes) {
				err = fmt.Errorf("%d (want 1 to %d)", o.Routes, mu.Routes)
			}
		case "switch":
			o.Switch = true
		case "eager":
			o.Eager = true
		case "durable":
			o.Durable = true
		case "clusters":
			o.Clusters, err = strconv.Atoi(v)
			if err == nil && (o.Clusters < 1 || o.Clusters > 9) {
				err = fmt.Errorf("%d (want 1 to 9)", o.Clusters)
			}
		case "groups":
			o.Groups, err = strconv.Atoi(v)
		case "gens":
			o.Gens, err = strconv.Atoi(v)
		case "delay":
			o.Delay, err = time.ParseDuration(v)
		case "request":
			o.Request, err = time.ParseDuration(v)
		case "lease":
			o.Lease, err = time.ParseDuration(v)
		case "batch":
			o.Batch, err = strconv.ParseFloat(v, 64)
		case "loss":
			o.Loss, err = strconv.ParseFloat(v, 64)
		case "miss":
			o.GroupMiss, err = strconv.ParseFloat(v, 64)
		case "skew":
			o.Skew, err = strconv.ParseFloat(v, 64)
		default:
			err = errors.New("unknown option")
		}
		if err != nil {
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
	// Commands without a server.
	switch c.name {
	case "run":
		if len(c.args) != 1 {
			return "", errors.New("run: a duration is missing")
		}
		d, err := time.ParseDuration(c.args[0])
		if err != nil {
			return "", err
		}
		return "", ignoreViolation(w.Run(d))
	case "until":
		return "", w.until(c)
	case "power":
		w.PowerLoss()
		return "", nil
	case "settle":
		return "", w.settle(c)
	case "set":
		return "", w.set(c)
	case "switch", "controller":
		return "", w.device(c)
	case "loss", "miss-rate":
		if len(c.args) != 1 {
			return "", fmt.Errorf("%s: a probability is missing", c.name)
		}
		p, err := strconv.ParseFloat(c.args[0], 64)
		if c.name == "loss" {
			w.opt.Loss = p
		} else {
			w.opt.GroupMiss = p
		}
		return "", err
	case "heal":
		if len(c.args) == 0 {
			clear(w.cut)
			w.tracef(nobody, "all networks are whole again")
			return "", nil
		}
	case "status":
		return w.statusText(), nil
	case "decided":
		if want := record(strings.Join(c.args, " ")); !w.hasDecided(want) {
			w.violate("%s is not decided", name(want))
		}
		return "", nil
	case "confirmed":
		w.each(func(s *server) {
			if len(s.barriers) > 0 {
				w.violate("%d read barriers of server %d have not been confirmed", len(s.barriers), s.id)
			}
		})
		return "", nil
	}

	id, err := w.serverArg(c, 0)
	if err != nil {
		return "", err
	}
	s := w.servers[id]
	switch c.name {
	case "propose":
		records := make([]string, 0, len(c.args))
		for _, a := range c.args[1:] {
			records = append(records, record(a))
		}
		w.Propose(id, records...)
	case "barrier":
		w.Barrier(id)
	case "crash":
		_, disk := c.keys["disk"]
		w.Crash(id, disk)
	case "restart":
		w.Restart(id)
	case "copy":
		s.kept = &copied{s.disk, s.journal.clone()}
	case "restore":
		if s.up || s.kept == nil {
			return "", fmt.Errorf("server %d runs, or has no copy", id)
		}
		s.w.Stats.Restored++
		s.rememberDisk()
		s.disk, s.journal = s.kept.disk, s.kept.journal.clone()
		w.tracef(id, "has the disk of before, up to position %d", s.disk.pos)
	case "stop":
		if hasMember(w.members(), id) {
			return "", fmt.Errorf("server %d is a member (remove it first)", id)
		}
		w.Stop(id)
	case "pause":
		w.Pause(id)
	case "resume":
		w.Resume(id)
	case "cut", "heal":
		return "", w.cutOrHeal(c, id)
	case "slow":
		if len(c.args) != 2 {
			return "", errors.New("slow: a duration is missing")
		}
		if s.slow, err = time.ParseDuration(c.args[1]); err != nil {
			return "", err
		}
		w.tracef(id, "takes up to %v to apply something", s.slow)
	case "miss":
		s.miss++
	case "corrupt":
		w.Corrupt(id)
	case "stray":
		w.Stray(id)
	case "learner":
		return "", w.Learner(id)
	case "join":
		return "", w.Join(id)
	case "remove":
		return "", w.Remove(id)
	case "log":
		return s.logText(), nil
	default:
		return "", fmt.Errorf("%q is no command", c.name)
	}
	return "", nil
}

// ignoreViolation drops an error that the trace has.
func ignoreViolation(err error) error {
	var v *Violation
	if errors.As(err, &v) {
		return nil
	}
	return err
}

func (w *World) device(c command) error {
	what := strings.Join(c.args, " ")
	switch c.name + " " + what {
	case "switch down":
		w.SwitchDown()
	case "switch up":
		w.SwitchUp()
	case "switch restart":
		w.SwitchDown()
		w.SwitchUp()
	case "controller down":
		w.Controller(false)
	case "controller up":
		w.Controller(true)
	default:
		return fmt.Errorf("%s: %q is no command", c.name, what)
	}
	return nil
}

// set changes a setting of all servers, which each has when it starts again.
func (w *World) set(c command) error {
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
func (w *World) settle(c command) error {
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
func (w *World) cutOrHeal(c command, id int) error {
	var others []int
	if len(c.args) > 1 {
		o, err := w.serverArg(c, 1)
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

// until lets time pass until something is so.
func (w *World) until(c command) error {
	var cond func() bool
	every := time.Millisecond
	what := strings.Join(c.args, " ")
	rest := c
	rest.name, rest.args = "until "+c.args[0], c.args[1:]
	id := -1
	var s *server
	if len(rest.args) > 0 && c.args[0] != "mode" {
		var err error
		if id, err = w.serverArg(rest, 0); err != nil {
			return err
		}
		s = w.servers[id]
	}
	switch c.args[0] {
	case "leader": // a server leads, or a certain one
		cond = func() bool { l := w.Leader(); return l >= 0 && (id < 0 || l == id) }
	case "mode": // the leader is in a mode
		cond = func() bool {
			l := w.Leader()
			return l >= 0 && len(rest.args) > 0 && w.Status(l).Mode.String() == rest.args[0]
		}
	case "full":
		cond = func() bool { return s.up && s.core.Status().State == mu.Full }
	case "applied": // a server has applied what all others have
		cond = func() bool {
			ok := true
			w.each(func(o *server) { ok = ok && (!o.up || s != nil && o.machine.index <= s.machine.index) })
			return ok
		}
	case "ready": // a learner can become a member
		cond = func() bool { l := w.Leader(); return l >= 0 && w.servers[l].core.CaughtUp(mu.ID(id)) }
	case "member":
		cond = func() bool { return hasMember(w.members(), id) }
	case "removed":
		cond = func() bool { return !hasMember(w.members(), id) }
	case "answered": // the server that changed the membership reports that it is done
		every = time.Microsecond // what comes next in the script shall come at once
		cond = func() bool { return w.changer != nil && w.changer.up && w.changer.answered() }
	default:
		return fmt.Errorf("until: %q is no condition", what)
	}
	if !w.runUntil(settleTime, every, cond) && w.failed == nil {
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
		fmt.Fprintf(&b, ", %v, term %v, %d records, members %v", st.State, st.Term, s.machine.index, memberIDs(st.Members))
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
		e, ok := mu.Inspect(s.log.b, pos)
		if !ok || pos-s.machine.pos >= uint64(len(s.log.b)) {
			break
		}
		switch {
		case e.Skip:
			fmt.Fprintf(&b, "%6d  (end of the ring)\n", pos)
		case e.Members != nil:
			fmt.Fprintf(&b, "%6d  term %v  membership %v\n", pos, e.Term, memberIDs(e.Members))
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
