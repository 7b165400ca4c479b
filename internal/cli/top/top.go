package top

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/sock"
)

// Command is the command top.
func Command() *cobra.Command {
	t := table{views: Views}
	var every time.Duration
	var once, asJSON bool
	c := &cobra.Command{
		Use:   "top [ADDRESS...]",
		Short: "Show what switches, controllers and servers are doing, live",
		Long: `Show what switches, controllers and servers are doing, again and again: who leads and how, values and
packets per second, latencies, and what was dropped or has failed since the programs began, by reason.

Each ADDRESS is where a program serves /metrics: what its --metrics says, or the --admin of a controller,
without TLS (HOST:PORT or unix:PATH). Without one it is the controller of this machine. Rates and latencies are those of the time between two rows; - is unknown, or that
nothing happened. End it with Ctrl-C.`,
		Example: `  p4ce top 10.0.0.1:9560 10.0.0.1:9600 10.0.0.11:9390 10.0.0.12:9390 10.0.0.13:9390
  p4ce top --once --json 10.0.0.11:9390`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckEvery(every); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"unix:" + sock.Default("controller.sock")}
			}
			for _, a := range args {
				if network, _ := sock.Split(a); network != "unix" && !strings.Contains(a, ":") {
					return cli.Usagef("%s: want HOST:PORT or unix:PATH", a)
				}
			}
			return t.run(cmd.Context(), cmd.OutOrStdout(), args, every, once, asJSON)
		},
	}
	f := c.Flags()
	f.DurationVar(&every, "every", time.Second, "time between two tables")
	f.BoolVar(&once, "once", false, "show one table, of the first such time, and end; exit status 1 if a program does not answer")
	f.BoolVar(&asJSON, "json", false, "print JSON, an object per line; durations are in seconds")
	return c
}

// table is what is shown.
type table struct {
	views []View
	kinds map[string]*View // of the programs that have answered, by address
}

func (t *table) run(ctx context.Context, out io.Writer, addrs []string, every time.Duration, once, asJSON bool) error {
	t.kinds = map[string]*View{}
	tick := time.NewTicker(every)
	defer tick.Stop()
	before := ask(ctx, addrs, every)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := ask(ctx, addrs, every)
		if ctx.Err() != nil {
			return nil
		}
		spans := make([]span, len(addrs))
		failed := false
		for i := range addrs {
			spans[i] = span{before[i], now[i], now[i].at.Sub(before[i].at)}
			failed = failed || now[i].err != nil
		}
		var b bytes.Buffer
		if asJSON {
			if err := json.NewEncoder(&b).Encode(t.object(addrs, spans)); err != nil {
				return err
			}
		} else {
			t.text(&b, addrs, spans)
		}
		if err := cli.Show(out, b.Bytes(), !once && !asJSON); err != nil {
			return err
		}
		if once {
			if failed {
				return cli.ErrFailed
			}
			return nil
		}
		before = now
	}
}

// ask asks all programs at once.
func ask(ctx context.Context, addrs []string, patience time.Duration) []*scrape {
	ctx, cancel := context.WithTimeout(ctx, max(patience, 2*time.Second))
	defer cancel()
	all := make([]*scrape, len(addrs))
	var wg sync.WaitGroup
	for i, a := range addrs {
		wg.Go(func() {
			var b bytes.Buffer
			s := &scrape{}
			if s.err = cli.Get(ctx, a, "/metrics", &limited{w: &b}); s.err == nil {
				s.metrics, s.err = parse(&b)
			}
			s.at = time.Now()
			all[i] = s
		})
	}
	wg.Wait()
	return all
}

// most is how much a program may say, in bytes.
const most = 64 << 20

// limited refuses what is too much.
type limited struct {
	w io.Writer
	n int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.n += len(p); l.n > most {
		return 0, fmt.Errorf("it says more than %d MiB", most>>20)
	}
	return l.w.Write(p)
}

// parse reads what a program tells Prometheus, in Prometheus's text format.
func parse(r io.Reader) (map[string][]sample, error) {
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(r)
	if err != nil {
		return nil, err
	}
	all := map[string][]sample{}
	add := func(name string, labels map[string]string, v float64) {
		all[name] = append(all[name], sample{labels, v})
	}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				add(name, labels, m.GetCounter().GetValue())
			case dto.MetricType_GAUGE:
				add(name, labels, m.GetGauge().GetValue())
			case dto.MetricType_UNTYPED:
				add(name, labels, m.GetUntyped().GetValue())
			case dto.MetricType_HISTOGRAM:
				h := m.GetHistogram()
				add(name+"_sum", labels, h.GetSampleSum())
				add(name+"_count", labels, float64(h.GetSampleCount()))
				for _, b := range h.GetBucket() {
					with := map[string]string{"le": fmt.Sprint(b.GetUpperBound())}
					for k, v := range labels {
						with[k] = v
					}
					add(name+"_bucket", with, float64(b.GetCumulativeCount()))
				}
			}
		}
	}
	return all, nil
}

// kind is the view that has a program; nil: none.
func (t *table) kind(addr string, s *scrape) *View {
	for i := range t.views {
		if _, ok := s.metrics[t.views[i].Of]; ok {
			t.kinds[addr] = &t.views[i]
		}
	}
	return t.kinds[addr] // what it was when it answered
}

// change is a cell of a counter that has counted something.
type change struct {
	At        string   `json:"at"`
	Counter   string   `json:"counter"`
	Labels    string   `json:"labels,omitempty"`
	PerSecond *float64 `json:"per_second,omitempty"` // absent: unknown
	Total     float64  `json:"total"`
}

func changes(addr string, v *View, s span) (list []change) {
	for _, name := range v.Changes {
		was := map[string]float64{}
		for _, x := range s.before.metrics[name] {
			was[x.id()] = x.value
		}
		for _, x := range s.now.metrics[name] {
			if x.value == 0 {
				continue
			}
			c := change{At: addr, Counter: name, Labels: x.id(), Total: x.value}
			if more := x.value - was[x.id()]; more >= 0 && s.before.err == nil && s.length > 0 {
				rate := more / s.length.Seconds()
				c.PerSecond = &rate
			}
			list = append(list, c)
		}
	}
	return list
}

type object struct {
	Time     time.Time `json:"time"`
	Programs []program `json:"programs"`
	Changes  []change  `json:"changes"`
}

type program struct {
	At     string         `json:"at"`
	Kind   string         `json:"kind,omitempty"`
	Error  string         `json:"error,omitempty"`
	Values map[string]any `json:"values,omitempty"` // what is unknown is absent
}

func (t *table) object(addrs []string, spans []span) object {
	o := object{Time: time.Now().UTC(), Changes: []change{}}
	for i, a := range addrs {
		s := spans[i]
		p := program{At: a}
		v := t.kind(a, s.now)
		if v != nil {
			p.Kind = v.Name
		}
		switch {
		case s.now.err != nil:
			p.Error = s.now.err.Error()
		case v != nil:
			p.Values = map[string]any{}
			for _, c := range v.Columns {
				switch n, text, ok := c.value(s); {
				case !ok:
				case text != "":
					p.Values[c.Key()] = text
				default:
					p.Values[c.Key()] = n
				}
			}
			o.Changes = append(o.Changes, changes(a, v, s)...)
		}
		o.Programs = append(o.Programs, p)
	}
	return o
}

func (t *table) text(w io.Writer, addrs []string, spans []span) {
	fmt.Fprintf(w, "p4ce top  %s\n", time.Now().Format(time.TimeOnly))
	shown := map[string]bool{}
	var all []change
	for k := range t.views {
		v := &t.views[k]
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		begun := false
		for i, a := range addrs {
			if t.kind(a, spans[i].now) != v {
				continue
			}
			shown[a] = true
			if !begun {
				begun = true
				fmt.Fprintf(w, "\n")
				fmt.Fprint(tab, strings.ToUpper(v.Name))
				for _, c := range v.Columns {
					fmt.Fprint(tab, "\t", strings.ToUpper(c.Name))
				}
				fmt.Fprintln(tab)
			}
			fmt.Fprint(tab, a)
			if err := spans[i].now.err; err != nil {
				fmt.Fprintf(tab, "\tdoes not answer: %v\n", err)
				continue
			}
			for _, c := range v.Columns {
				fmt.Fprint(tab, "\t", c.text(spans[i]))
			}
			fmt.Fprintln(tab)
			all = append(all, changes(a, v, spans[i])...)
		}
		tab.Flush()
	}
	for i, a := range addrs {
		switch err := spans[i].now.err; {
		case shown[a]:
		case err != nil:
			fmt.Fprintf(w, "\n%s does not answer: %v\n", a, err)
		default:
			fmt.Fprintf(w, "\n%s has /metrics, but of no program that this command knows\n", a)
		}
	}
	if len(all) > 0 {
		fmt.Fprintln(w)
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tab, "DROPPED, FAILED, CHANGED\tAT\tPER S\tTOTAL")
		for _, c := range all {
			rate := "-"
			if c.PerSecond != nil {
				rate = scaled(*c.PerSecond)
			}
			name := c.Counter
			if c.Labels != "" {
				name += "{" + c.Labels + "}"
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", name, c.At, rate, scaled(c.Total))
		}
		tab.Flush()
	}
}
