package certs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/link/files"
)

// Rights are what clients may do, by the common names of their certificates: a file with a line for
// each.
//
//	client monitor read
//	client routing write ipv4_lpm pre packet-out
//	client controller write
//
// Who may write may read. What may be written are names, or patterns with * and ?; without any it is everything.
// The file is looked at again at most once a second; a file that cannot be read any more, or has an
// error, is logged, and what there was goes on.
type Rights struct {
	file string
	log  *slog.Logger
	mu   sync.Mutex
	seen time.Time
	is   version
	of   map[string]right
}

type right struct {
	write bool
	what  []string // patterns; none: everything
}

// ReadRights reads a file of rights.
func ReadRights(file string, log *slog.Logger) (*Rights, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Rights{file: file, log: log, seen: time.Now()}
	return r, r.read()
}

func (r *Rights) read() error {
	is, err := versionOf(r.file)
	if err != nil {
		return fmt.Errorf("rights: %w", err)
	}
	if is == r.is {
		return nil
	}
	text, err := files.Read(r.file, files.Settings)
	if err != nil {
		return fmt.Errorf("rights: %w", err)
	}
	of, err := parseRights(string(text))
	if err != nil {
		return fmt.Errorf("rights: %s: %w", r.file, err)
	}
	r.is, r.of = is, of
	return nil
}

func parseRights(text string) (map[string]right, error) {
	of := map[string]right{}
	for n, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 3 || words[0] != "client" || words[2] != "read" && words[2] != "write" || words[2] == "read" && len(words) > 3 {
			return nil, fmt.Errorf("line %d: want client NAME read, or client NAME write [PATTERN...]", n+1)
		}
		if _, twice := of[words[1]]; twice {
			return nil, fmt.Errorf("line %d: client %s is given twice", n+1, words[1])
		}
		for _, p := range words[3:] {
			if _, err := path.Match(p, ""); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", n+1, p, err)
			}
		}
		of[words[1]] = right{words[2] == "write", words[3:]}
	}
	if len(of) == 0 {
		return nil, fmt.Errorf("no client has any rights")
	}
	return of, nil
}

func (r *Rights) now() map[string]right {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := time.Now(); t.Sub(r.seen) >= every {
		r.seen = t
		if err := r.read(); err != nil {
			r.log.Error("rights could not be reloaded; the previous ones stay in use", "error", err)
		}
	}
	return r.of
}

// Name is who has certificates of a connection: the common name of the first.
func Name(certs []*x509.Certificate) string {
	if len(certs) == 0 {
		return ""
	}
	return certs[0].Subject.CommonName
}

// NameOf is who a connection is from.
func NameOf(s *tls.ConnectionState) string {
	if s == nil {
		return ""
	}
	return Name(s.PeerCertificates)
}

// MayRead reports whether a client may read.
func (r *Rights) MayRead(name string) bool {
	_, ok := r.now()[name]
	return ok && name != ""
}

// MayWrite reports whether a client may write something.
func (r *Rights) MayWrite(name string) bool { return name != "" && r.now()[name].write }

// May reports whether a client may write what has a name.
func (r *Rights) May(name, what string) bool {
	x, ok := r.now()[name]
	if !ok || name == "" || !x.write {
		return false
	}
	for _, p := range x.what {
		if yes, _ := path.Match(p, what); yes {
			return true
		}
	}
	return len(x.what) == 0
}
