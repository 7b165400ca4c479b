package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
)

// serverStatus is what one server says about itself. What a log does not have is empty.
type serverStatus struct {
	Address  string `json:"address"`          // where it serves clients
	ID       string `json:"id,omitempty"`     // in the cluster
	Role     string `json:"role,omitempty"`   // leader, follower, candidate; master or slave if the log has no roles
	State    string `json:"state,omitempty"`  // full, recovering
	Mode     string `json:"mode,omitempty"`   // how the leader replicates: direct, accelerated
	Term     string `json:"term,omitempty"`   // ROUND.ID
	Leader   string `json:"leader,omitempty"` // where the leader serves clients
	Records  uint64 `json:"records"`          // that it has applied
	Keys     uint64 `json:"keys"`             // that it has
	Clients  uint64 `json:"clients"`          // that are connected
	Commands uint64 `json:"commands"`         // that it has executed
	Uptime   uint64 `json:"uptime_seconds"`
	Version  string `json:"version,omitempty"` // of p4ce
	Disk     string `json:"disk,omitempty"`    // ok, or what is wrong
	Error    string `json:"error,omitempty"`   // why it does not answer
}

// storeStatus is the state of a store.
type storeStatus struct {
	Well    bool           `json:"well"`          // all servers are there, and up to date, and one leads
	Why     string         `json:"why,omitempty"` // it is not
	Servers []serverStatus `json:"servers"`
}

func statusCommand() *cobra.Command {
	var r remote
	var servers []string
	var wait, watch time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "status --server ADDRESS...",
		Short: "Show the servers of a store, and whether all is well",
		Long: `Show the servers of a store in one table: who leads, who is up to date, how much each has.

One server is enough, if its log knows the others (--log mu). Name all servers of a store on another log.

Exit status: 0 when all servers answer, are up to date, and one of them leads; otherwise 1.`,
		Example: `  p4ce kv status --server 10.0.0.11:6379
  p4ce kv status --server 10.0.0.11:6379 --watch
  p4ce kv status --server 10.0.0.11:6379 --wait 1m && run-the-migration`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(servers) == 0 {
				return cli.Usagef("--server is missing: want a server of the store")
			}
			if watch < 0 || wait < 0 || watch > 0 && wait > 0 {
				return cli.Usagef("--watch and --wait: one of them, of more than 0 s")
			}
			if err := r.prepare(); err != nil {
				return err
			}
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			if wait > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, wait)
				defer cancel()
			}
			var before *storeStatus
			for last := time.Now(); ; {
				st := r.status(ctx, servers)
				now := time.Now()
				if wait > 0 && !st.Well && ctx.Err() == nil {
					sleep(ctx, 200*time.Millisecond)
					if ctx.Err() == nil {
						continue
					}
				}
				var text bytes.Buffer
				if err := printStatus(&text, &st, before, now.Sub(last), asJSON); err != nil {
					return err
				}
				if err := cli.Show(out, text.Bytes(), watch > 0 && !asJSON); err != nil {
					return err
				}
				if watch == 0 {
					if !st.Well {
						return cli.ErrFailed
					}
					return nil
				}
				before, last = &st, now
				if sleep(ctx, watch); ctx.Err() != nil {
					return nil
				}
			}
		},
	}
	f := c.Flags()
	f.StringArrayVar(&servers, "server", nil, "a server of the store: HOST:PORT or unix:PATH (repeat for each)")
	f.DurationVar(&watch, "watch", 0, "show it again and again, this often, with commands per second")
	f.Lookup("watch").NoOptDefVal = "2s"
	f.DurationVar(&wait, "wait", 0, "wait for at most this long until all is well")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	r.flags(c)
	return c
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// status asks all servers at once: those that are named, and those that they name.
func (r *remote) status(ctx context.Context, servers []string) storeStatus {
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := map[string]serverStatus{}
	ids := map[string]string{} // of members, by address
	var ask func(addr string)
	ask = func(addr string) {
		if _, known := all[addr]; known {
			return
		}
		all[addr] = serverStatus{}
		wg.Go(func() {
			s, members := r.ask(ctx, addr)
			mu.Lock()
			defer mu.Unlock()
			all[addr] = s
			for id, at := range members {
				if ids[at] = id; s.ID == id {
					ids[addr] = id // it may be named in another way
				}
				if s.ID != id || at == addr {
					ask(at)
				}
			}
		})
	}
	mu.Lock()
	for _, addr := range servers {
		ask(addr)
	}
	mu.Unlock()
	wg.Wait()
	st := storeStatus{}
	seen := map[string]bool{}
	for _, addr := range slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if d := strings.Compare(ids[a], ids[b]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}) {
		s := all[addr]
		if s.ID == "" {
			s.ID = ids[addr]
		}
		if s.ID != "" && seen[s.ID] {
			continue // it has several addresses
		}
		seen[s.ID] = true
		st.Servers = append(st.Servers, s)
	}
	st.judge()
	return st
}

// judge says whether all is well.
func (st *storeStatus) judge() {
	var why []string
	leads, hasLeader := 0, false
	for _, s := range st.Servers {
		switch {
		case s.Error != "":
			why = append(why, s.name()+" does not answer")
		case s.State != "" && s.State != "full":
			why = append(why, s.name()+" is not up to date")
		}
		if s.Error == "" && s.Disk != "" && s.Disk != "ok" {
			why = append(why, s.name()+": its disk: "+s.Disk)
		}
		hasLeader = hasLeader || s.State != ""
		if s.Role == "leader" {
			leads++
		}
	}
	if hasLeader && leads != 1 {
		why = append(why, fmt.Sprintf("%d servers lead", leads))
	}
	st.Well, st.Why = len(why) == 0, strings.Join(why, "; ")
}

func (s *serverStatus) name() string {
	if s.ID != "" {
		return "server " + s.ID
	}
	return s.Address
}

// ask asks one server, and returns the members that it knows: addresses of clients by id.
func (r *remote) ask(ctx context.Context, addr string) (serverStatus, map[string]string) {
	s := serverStatus{Address: addr}
	c, err := r.dial(ctx, addr)
	if err != nil {
		s.Error = short(err, addr)
		return s, nil
	}
	defer c.Close()
	text, err := redis.String(redis.DoWithTimeout(c, dialTime, "INFO"))
	if err != nil {
		s.Error = short(err, addr)
		return s, nil
	}
	info := map[string]string{}
	members := map[string]string{}
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		info[k] = v
		if strings.HasPrefix(k, "member") {
			var id, client string
			for f := range strings.SplitSeq(v, ",") {
				if x, ok := strings.CutPrefix(f, "id="); ok {
					id = x
				} else if x, ok := strings.CutPrefix(f, "client="); ok {
					client = x
				}
			}
			if id != "" && client != "" {
				members[id] = client
			}
		}
	}
	s.ID, s.State, s.Mode, s.Term, s.Leader = info["server_id"], info["server_state"], info["mode"], info["term"], info["leader"]
	s.Role = info["server_role"]
	if s.Role == "" {
		s.Role = info["role"]
	}
	s.Version, s.Disk = info["p4ce_version"], info["disk"]
	info["keys"] = strings.TrimPrefix(info["db0"], "keys=")
	for name, to := range map[string]*uint64{"records": &s.Records, "connected_clients": &s.Clients, "total_commands_processed": &s.Commands, "uptime_in_seconds": &s.Uptime, "keys": &s.Keys} {
		*to, _ = strconv.ParseUint(info[name], 10, 64)
	}
	if s.Role != "leader" && s.Mode != "" {
		s.Mode = "" // it does not replicate
	}
	return s, members
}

// short is an error without the address, which is beside it.
func short(err error, addr string) string {
	var said redis.Error
	if errors.As(err, &said) {
		return string(said)
	}
	return strings.TrimPrefix(err.Error(), "server "+addr+": ")
}

func printStatus(w io.Writer, st, before *storeStatus, since time.Duration, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		if before == nil {
			e.SetIndent("", "  ")
		}
		return e.Encode(st)
	}
	was := map[string]uint64{}
	if before != nil {
		for _, s := range before.Servers {
			was[s.Address] = s.Commands
		}
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "ID\tADDRESS\tROLE\tSTATE\tMODE\tTERM\tRECORDS\tKEYS\tCLIENTS\tUP\tVERSION"
	if before != nil {
		head += "\tCOMMANDS/S"
	}
	fmt.Fprintln(tab, head)
	for _, s := range st.Servers {
		if s.Error != "" {
			fmt.Fprintf(tab, "%s\t%s\tdoes not answer: %s\n", dash(s.ID), s.Address, s.Error)
			continue
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%v\t%s", dash(s.ID), s.Address, s.Role, dash(s.State), dash(s.Mode), dash(s.Term),
			s.Records, s.Keys, s.Clients, time.Duration(s.Uptime)*time.Second, s.Version)
		if before != nil {
			rate := "-"
			if b, ok := was[s.Address]; ok && s.Commands >= b && since > 0 {
				rate = fmt.Sprintf("%.0f", float64(s.Commands-b)/since.Seconds())
			}
			fmt.Fprintf(tab, "\t%s", rate)
		}
		fmt.Fprintln(tab)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	if !st.Well {
		fmt.Fprintf(w, "\nNot well: %s.\n", st.Why)
	}
	return nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
