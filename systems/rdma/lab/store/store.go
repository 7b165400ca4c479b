// Package store runs a replicated store in a lab: the switch with its controller, and p4ce kv
// processes, which clients reach by Unix sockets. It can add a second network. It also breaks what
// it runs, for the end-to-end tests, the fault tests and the benchmark of failover times. It has
// the requirements of package lab.
package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// Options say what to run.
type Options struct {
	Binary  string // p4ce
	Dir     string // for sockets and data; must have a short path
	Servers int
	Spare   int    // of these, that are not members and not started: see Join
	Others  int    // hosts on further ports of the switch, for StartBeside and for strangers
	Switch  bool   // servers know the switch: accelerated mode
	Second  bool   // a second network
	ID      uint64 // of the cluster, default 1
	Token   uint64 // of the cluster
	// Password, if there is one, has servers serve clients at port ClientPort of their hosts' addresses, where everybody on
	// the network reaches them, in place of unix sockets, and ask for it.
	Password string
	Flags    []string
	Log      io.Writer // what all processes log; nil discards
	// Logs says where what a server logs goes, in all its lives; nil: to Log.
	Logs func(i int) io.Writer
	// Cluster is passed on to package cluster; what says where is filled in.
	Cluster cluster.Options
}

// Store is a running store. Its methods may be called by any goroutine, but for each
// server one at a time.
type Store struct {
	*cluster.Cluster
	Lab    *lab.Lab
	opts   Options
	first  int  // its first host
	beside bool // the lab and the switch are another store's

	mu      sync.Mutex
	servers []*kvserver.Server
	past    [][]kvserver.Event // of earlier lives, by server
	formed  map[string]bool
}

// Start builds the lab, and starts everything.
func Start(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	l, err := lab.New(o.Servers + o.Others)
	if err != nil {
		return nil, err
	}
	s := newStore(l, o)
	if err := s.start(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func newStore(l *lab.Lab, o Options) *Store {
	if o.ID == 0 {
		o.ID = 1
	}
	return &Store{Lab: l, opts: o, servers: make([]*kvserver.Server, o.Servers), past: make([][]kvserver.Event, o.Servers), formed: map[string]bool{}}
}

// StartBeside starts another store behind the same switch, on the hosts that follow those
// of this one. It ends before this one.
func (s *Store) StartBeside(o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	b := newStore(s.Lab, o)
	b.Cluster, b.first, b.beside = s.Cluster, s.first+s.Servers(), true
	if err := b.writeToken(); err != nil {
		return nil, err
	}
	for i := range b.initial() {
		if err := b.Restart(i); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// Host is a server's place in the lab.
func (s *Store) Host(i int) *lab.Host { return s.Lab.Hosts[s.first+i] }

func (s *Store) start(ctx context.Context) error {
	if s.opts.Second {
		if err := s.Lab.AddNetwork(); err != nil {
			return err
		}
	}
	c := s.opts.Cluster
	c.Lab, c.Binary, c.Dir, c.Log = s.Lab, s.opts.Binary, s.opts.Dir, s.opts.Log
	var err error
	if s.Cluster, err = cluster.Start(ctx, c); err != nil {
		return err
	}
	if err := s.writeToken(); err != nil {
		return err
	}
	for i := range s.initial() {
		if err := s.Restart(i); err != nil {
			return err
		}
	}
	return nil
}

// initial is the number of servers that the store begins with.
func (s *Store) initial() int { return s.opts.Servers - s.opts.Spare }

// member is a server as --member and CLUSTER ADD take it.
func (s *Store) member(i int) string {
	h := s.Host(i)
	addr := h.IP.String()
	if s.opts.Second {
		addr += "+" + h.SecondIP().String()
	}
	return fmt.Sprintf("%d=%s,server:%d", i, addr, 6379+i)
}

// Join starts a spare server and has the leader make it a member.
func (s *Store) Join(ctx context.Context, i int) error {
	if err := s.Restart(i); err != nil {
		return err
	}
	return s.atLeader(ctx, "CLUSTER ADD "+s.member(i))
}

// Remove has the leader take a server out of the membership.
func (s *Store) Remove(ctx context.Context, i int) error {
	return s.atLeader(ctx, fmt.Sprintf("CLUSTER REMOVE %d", i))
}

// atLeader sends a command to the leader, whoever that is by then. It sends it again while nobody leads, and while the
// server that is to be added does not answer yet.
func (s *Store) atLeader(ctx context.Context, command string) error {
	for {
		err := errNoLeader
		if i := s.Leader(); i >= 0 {
			err = s.Do(i, command)
		}
		again := func(reply string) bool { return strings.Contains(err.Error(), reply) }
		if err == nil || !errors.Is(err, errNoLeader) && !slices.ContainsFunc([]string{"READONLY", "MOVED", "CLUSTERDOWN", "does not answer"}, again) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", err, context.Cause(ctx))
		}
	}
}

var errNoLeader = errors.New("no server leads")

// Do sends a command whose reply is OK or an error.
func (s *Store) Do(i int, command string) error {
	conn, err := s.Dial(i)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintf(conn, "%s\r\n", command); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "+OK") {
		err = errors.New(strings.TrimSpace(line))
	}
	if err != nil {
		return fmt.Errorf("server %d: %s: %w", i, command, err)
	}
	return nil
}

// Close ends everything.
func (s *Store) Close() {
	if s.beside {
		for i := range s.servers {
			if v := s.Server(i); v != nil {
				v.Proc.Kill()
			}
		}
	} else {
		if s.Cluster != nil {
			s.Cluster.Close()
		}
		s.Lab.Close()
	}
}

// Servers is the number of servers.
func (s *Store) Servers() int { return len(s.servers) }

// Server is the present life of a server.
func (s *Store) Server(i int) *kvserver.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.servers[i]
}

// ClientPort is where servers with a password serve clients (TCP).
const ClientPort = 6379

// place is what a server is called, and how it is reached.
func (s *Store) place(i int) kvserver.Place {
	p := kvserver.Place{ID: i, Name: fmt.Sprintf("server %d", i), Socket: s.socket(i)}
	if s.opts.Password != "" {
		p.Connect = func(ctx context.Context) (net.Conn, error) { return s.connect(ctx, i) }
	}
	return p
}

// connect connects to a server with a password, from its own host, and says the password.
func (s *Store) connect(ctx context.Context, i int) (conn net.Conn, err error) {
	h := s.Host(i)
	err = s.Lab.InHost(h, func() (err error) {
		// One address, so it connects on this thread, and in its namespace.
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", netip.AddrPortFrom(h.IP, ClientPort).String())
		return err
	})
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	var reply [len("+OK\r\n")]byte
	if _, err = fmt.Fprintf(conn, "AUTH %s\r\n", s.opts.Password); err == nil {
		_, err = io.ReadFull(conn, reply[:])
	}
	if err == nil && string(reply[:]) != "+OK\r\n" {
		err = fmt.Errorf("AUTH: %q", reply)
	}
	if err != nil {
		conn.Close()
		// Nothing has been asked for: as if nobody had been there.
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	_ = conn.SetDeadline(time.Time{})
	return conn, nil
}

func (s *Store) socket(i int) string { return filepath.Join(s.opts.Dir, fmt.Sprintf("kv%d", i)) }

// token is the file with the store's secret.
func (s *Store) token() string { return filepath.Join(s.opts.Dir, "token") }

// users is the file with those who know the password.
func (s *Store) users() string { return filepath.Join(s.opts.Dir, "users") }

// writeToken writes both, once: servers may be reading them at any time after.
func (s *Store) writeToken() error {
	if s.opts.Password != "" {
		if err := os.WriteFile(s.users(), []byte(fmt.Sprintf("user default on >%s allkeys +@all\n", s.opts.Password)), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(s.token(), []byte(fmt.Sprint(s.opts.Token)), 0o600)
}

// Data is the folder of a server's data.
func (s *Store) Data(i int) string { return filepath.Join(s.opts.Dir, fmt.Sprintf("data%d", i)) }

// Restart starts a server; its data is still there.
func (s *Store) Restart(i int) error {
	o := &s.opts
	args := []string{
		o.Binary, "kv", "--id", fmt.Sprint(i), "--interface", lab.Interface,
		"--data", s.Data(i), "--cluster", fmt.Sprint(o.ID), "--token", "@" + s.token(), "--metrics", s.place(i).Metrics(),
	}
	if o.Password != "" {
		args = append(args, "--listen", netip.AddrPortFrom(s.Host(i).IP, ClientPort).String(), "--users", s.users())
	} else {
		args = append(args, "--listen", "unix:"+s.socket(i))
	}
	if o.Switch {
		args = append(args, "--switch", lab.SwitchIP.String())
	}
	if o.Second {
		args = append(args, "--second", lab.SecondInterface)
	}
	if i < s.initial() {
		for k := range s.initial() {
			args = append(args, "--member", s.member(k))
		}
	}
	log := o.Log
	if o.Logs != nil {
		log = o.Logs(i)
	}
	srv, err := kvserver.Start(s.Lab, s.Host(i), s.place(i), append(args, o.Flags...), log)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if old := s.servers[i]; old != nil {
		s.past[i] = append(s.past[i], old.Events()...)
	}
	s.servers[i] = srv
	s.mu.Unlock()
	return nil
}

// Kill ends a server without warning.
func (s *Store) Kill(i int) { s.Server(i).Proc.Kill() }

// Forget counts a server that was killed as one that is not there.
func (s *Store) Forget(i int) {
	s.mu.Lock()
	s.servers[i] = nil
	s.mu.Unlock()
}

// Pause stops a server's process, Resume lets it go on: see Server.
func (s *Store) Pause(i int) error  { return s.Server(i).Proc.Pause() }
func (s *Store) Resume(i int) error { return s.Server(i).Proc.Resume() }

// SwitchDown takes all links of the switch down, SwitchUp brings them back.
func (s *Store) SwitchDown() error { return s.setPorts(false) }
func (s *Store) SwitchUp() error   { return s.setPorts(true) }

func (s *Store) setPorts(up bool) error {
	for _, h := range s.Lab.Hosts {
		if err := s.Lab.SetPort(h, up); err != nil {
			return err
		}
	}
	return nil
}

// Dial connects to a server as a client.
func (s *Store) Dial(i int) (net.Conn, error) { return s.place(i).Dial(context.Background()) }

// Network and Address are for clients that dial themselves, without a password.
func (s *Store) Network() string      { return "unix" }
func (s *Store) Address(i int) string { return s.socket(i) }

// Digest returns the digest of a server's state, and the number of records in it.
func (s *Store) Digest(ctx context.Context, i int) (records uint64, sum string, err error) {
	return s.Server(i).Digest(ctx)
}

// Info returns a section of a server's INFO.
func (s *Store) Info(i int, section string) (map[string]string, error) {
	return s.place(i).Info(section)
}

// Leader returns the server that leads, by its own account, -1 if none does.
func (s *Store) Leader() int {
	best, term := -1, ""
	for i := range s.servers {
		if s.Server(i) == nil {
			continue
		}
		info, err := s.Info(i, "replication")
		if err == nil && info["server_role"] == "leader" && (len(info["term"]) > len(term) || len(info["term"]) == len(term) && info["term"] > term) {
			best, term = i, info["term"]
		}
	}
	return best
}

// Whole waits until one server leads, in the mode if one is given, all that run are
// full members, and the leader counts on all others. It returns the leader.
func (s *Store) Whole(ctx context.Context, mode string) (int, error) {
	for {
		leader, why := s.whole(mode)
		if leader >= 0 {
			return leader, nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return -1, fmt.Errorf("the store is not whole: %s: %w", why, context.Cause(ctx))
		}
	}
}

func (s *Store) whole(mode string) (leader int, why string) {
	leader, why = -1, "nobody leads"
	running := 0
	for i := range s.servers {
		if s.Server(i) == nil {
			continue
		}
		running++
	}
	for i := range s.servers {
		if s.Server(i) == nil {
			continue
		}
		info, err := s.Info(i, "replication")
		if err != nil {
			return -1, fmt.Sprintf("server %d: %v", i, err)
		}
		if info["server_state"] != "full" {
			return -1, fmt.Sprintf("server %d is %s", i, info["server_state"])
		}
		if info["server_role"] != "leader" {
			continue
		}
		if mode != "" && info["mode"] != mode || info["confirmed_peers"] != fmt.Sprint(running-1) {
			return -1, fmt.Sprintf("server %d leads in %s mode, with %s peers", i, info["mode"], info["confirmed_peers"])
		}
		leader = i
	}
	return leader, why
}

// Forming returns, for groups formed since the last call, the time from request to
// answer, and the part of it that was the controller's and the switch's own.
func (s *Store) Forming(ctx context.Context) (total, own []time.Duration, err error) {
	groups, err := s.Admin.Groups(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range groups {
		key := fmt.Sprint(g.Leader, " ", g.Term)
		if g.AwaitedSwitch == 0 || s.formed[key] {
			continue
		}
		s.formed[key] = true
		total, own = append(total, g.AwaitedReplicas+g.AwaitedSwitch), append(own, g.AwaitedSwitch)
	}
	return total, own, nil
}

// Changes returns how many terms somebody has asked for so far, and how often a leader has
// fallen back from accelerated to direct mode, as the servers have printed it.
func (s *Store) Changes() (terms, fallbacks int) {
	asked := map[kvserver.Term]bool{}
	for i := range s.servers {
		s.mu.Lock()
		events := append([]kvserver.Event(nil), s.past[i]...)
		v := s.servers[i]
		s.mu.Unlock()
		if v != nil {
			events = append(events, v.Events()...)
		}
		var last kvserver.Event
		for _, e := range events {
			if e.Event != "status" {
				continue
			}
			if e.Role == "candidate" || e.Role == "leader" {
				asked[e.Term] = true
			}
			if e.Role == "leader" && e.Mode == "direct" && last.Role == "leader" && last.Mode == "accelerated" && last.Term == e.Term {
				fallbacks++
			}
			last = e
		}
	}
	return len(asked), fallbacks
}
