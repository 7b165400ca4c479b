package ctrl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/internal/metrics"
)

// adminTimeout bounds a request of the admin API.
const adminTimeout = 5 * time.Second

// maxBody is the longest body of a request, in bytes.
const maxBody = 1 << 16

// observe adds what only looks.
func (c *Controller) observe(mux *http.ServeMux) {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collector{c})
	metrics.Add(mux, reg, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, healthTimeout)
		defer cancel()
		return c.health(ctx)
	})
}

// healthTimeout is how long a loop may take to come round until the controller calls itself unwell.
const healthTimeout = 2 * time.Second

// health says what is wrong, a line each: loops that do not come round, and what they rest on, the switches among it.
func (c *Controller) health(ctx context.Context) error {
	list := c.sessions()
	answers := make([]error, len(list))
	var all sync.WaitGroup
	for i, s := range list {
		all.Go(func() { answers[i] = s.Answers(ctx) })
	}
	errs := []error{alive(ctx, list)}
	all.Wait()
	errs = append(errs, answers...)
	for _, s := range list {
		if err := s.App().Health(); err != nil {
			errs = append(errs, fmt.Errorf("switch %s: %w", s.Name(), err))
		}
	}
	for _, u := range c.units {
		errs = append(errs, u.health())
	}
	return errors.Join(errs...)
}

func (c *Controller) handler() http.Handler {
	mux := http.NewServeMux()
	c.observe(mux)
	api := func(pattern string, fn func(ctx context.Context, r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), adminTimeout)
			defer cancel()
			v, err := fn(ctx, r)
			w.Header().Set("Content-Type", "application/json")
			var own *admin.Error
			switch {
			case errors.As(err, &own):
				w.WriteHeader(own.Status)
				v = map[string]string{"error": own.Text}
				if own.Code != codes.OK {
					v = map[string]string{"error": own.Text, "code": own.Code.String()}
				}
			case errors.Is(err, session.ErrNoSuchPath):
				w.WriteHeader(http.StatusNotFound)
				v = map[string]string{"error": r.URL.Path + ": " + err.Error()}
			case err != nil:
				w.WriteHeader(http.StatusInternalServerError)
				v = map[string]string{"error": err.Error()}
			}
			_ = json.NewEncoder(w).Encode(v) // the client has gone
		})
	}
	api("GET /v1/status", func(ctx context.Context, _ *http.Request) (any, error) { return c.status(ctx) })
	api("GET /v1/{list...}", func(ctx context.Context, r *http.Request) (any, error) { return c.list(ctx, r.PathValue("list")) })
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		api(method+" /v1/switches/{switch}/{path...}", func(ctx context.Context, r *http.Request) (any, error) {
			s, err := c.find(r.PathValue("switch"))
			if err != nil {
				return nil, err
			}
			body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
			if err != nil {
				return nil, &admin.Error{Status: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("%s: %v", r.URL.Path, err)}
			}
			return s.App().Admin(ctx, r.Method, r.PathValue("path"), body)
		})
	}
	return mux
}

func (c *Controller) status(ctx context.Context) (*admin.Status, error) {
	out := &admin.Status{Switches: []admin.SwitchStatus{}}
	for _, s := range c.sessions() {
		st := admin.SwitchStatus{Name: s.Name(), Address: s.Address(), Program: s.App().Name()}
		var state any
		// A session whose term has just ended has no status. The others still have.
		if err := s.Ask(ctx, func() {
			now := s.State()
			st.Connected, st.Primary, st.InControl, st.Waiting, st.Down = now.Connected, now.Primary, now.InControl, now.Waiting, now.Down
			state = s.App().Status()
		}); err != nil && !errors.Is(err, session.ErrEnded) {
			return nil, err
		}
		var err error
		if st.State, err = json.Marshal(state); err != nil {
			return nil, fmt.Errorf("switch %s: status: %w", s.Name(), err)
		}
		out.Switches = append(out.Switches, st)
	}
	for _, u := range c.units {
		unit, backups := u.status()
		out.Units, out.Switches = append(out.Units, unit), append(out.Switches, backups...)
	}
	return out, nil
}

// elsewhere is an error when another controller serves switches of this one, which it would have to be asked about.
func (c *Controller) elsewhere() error {
	for _, u := range c.units {
		s, _ := u.status()
		if s.Here {
			continue
		}
		who := "no controller"
		if s.Holder != "" {
			who = fmt.Sprintf("controller %q", s.Holder)
		}
		return &admin.Error{Status: http.StatusServiceUnavailable, Code: codes.Unavailable,
			Text: fmt.Sprintf("this controller is a standby: %s serves %s now [ask there]", who, strings.Join(s.Switches, ", "))}
	}
	return nil
}

// list puts the lists together that the applications have at a path.
func (c *Controller) list(ctx context.Context, path string) (any, error) {
	if err := c.elsewhere(); err != nil {
		return nil, err
	}
	out := []json.RawMessage{}
	known := false
	for _, s := range c.sessions() {
		v, err := s.App().Admin(ctx, http.MethodGet, path, nil)
		if errors.Is(err, session.ErrNoSuchPath) {
			continue
		}
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		var part []json.RawMessage
		if json.Unmarshal(text, &part) != nil {
			continue // of one switch, not a list
		}
		known = true
		out = append(out, part...)
	}
	if !known {
		return nil, session.ErrNoSuchPath
	}
	return out, nil
}

// find resolves the name of a switch. "-" means the only one.
func (c *Controller) find(name string) (*session.Session, error) {
	all := c.sessions()
	for _, s := range all {
		if s.Name() == name || name == "-" && len(all) == 1 {
			return s, nil
		}
	}
	if err := c.elsewhere(); err != nil {
		return nil, err
	}
	return nil, &admin.Error{Status: http.StatusNotFound, Text: fmt.Sprintf("switch %q: this controller does not drive it", name)}
}

// isPrimary is 1 while this controller serves a unit for which others stand by.
var isPrimary = prometheus.NewDesc("p4ce_controller_office_held", "Whether this controller serves the switches of a unit (1) or not (0).", []string{"unit"}, nil)

// collector asks every session when it is scraped. What there is depends on the
// applications, so that it describes nothing beforehand.
type collector struct{ c *Controller }

// Describe implements prometheus.Collector.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m collector) Collect(ch chan<- prometheus.Metric) {
	for _, u := range m.c.units {
		held := 0.
		if s, _ := u.status(); s.Here {
			held = 1
		}
		ch <- prometheus.MustNewConstMetric(isPrimary, prometheus.GaugeValue, held, u.Name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	for _, s := range m.c.sessions() {
		var list []prometheus.Metric
		if err := s.Ask(ctx, func() { list = s.Metrics() }); err != nil {
			ch <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
			continue
		}
		for _, v := range list {
			ch <- v
		}
	}
}
