package kv

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Users are the users of a store and their rights. They are written as in Redis's ACL files, one user
// per line:
//
//	user alice on #<SHA-256 of the password, 64 hex digits> ~app:* +@read +@write
//	user ops on >a-password-in-clear allkeys +@all
//	user default on nopass ~public:* +@read
//
// Rules apply from left to right. There are on, off, nopass, resetpass, >PASSWORD, #HASH, ~PATTERN,
// allkeys, resetkeys, +COMMAND, -COMMAND, +@CATEGORY, -@CATEGORY, allcommands, nocommands and reset.
// The categories are read, write, admin, dangerous (admin, FLUSHALL, FLUSHDB, INFO, KEYS and ROLE),
// connection, transaction and all. A user
// begins as "off nocommands +@connection", without keys. A new connection belongs to "default", if
// that user is on and nopass. Otherwise it belongs to nobody, and may send AUTH and QUIT.
//
// A user that has a key's pattern may read and write the key, as far as the user's commands allow
// that. SCAN returns the keys that match the user's patterns.
type Users struct{ byName map[string]*user }

type user struct {
	name   string
	on     bool
	nopass bool
	hashes [][sha256.Size]byte
	keys   [][]byte // patterns
	all    bool     // all keys
	may    powerSet
}

// Powers are what a rule can give or take: commands, and for some commands a part that is in another
// category.
var powers = func() []power {
	var all []power
	for i := range commands {
		c := &commands[i]
		p := power{name: c.name}
		for _, f := range strings.Fields(c.flags) {
			switch f {
			case "readonly":
				p.categories = append(p.categories, "read")
			case "write":
				p.categories = append(p.categories, "write")
			case "admin":
				p.categories = append(p.categories, "admin", "dangerous")
			case "dangerous":
				p.categories = append(p.categories, "dangerous")
			}
		}
		switch {
		case c.group == "connection" || c.name == "command":
			p.categories = append(p.categories, "connection")
		case c.group == "transactions":
			p.categories = append(p.categories, "transaction")
		}
		all = append(all, p)
	}
	return append(all,
		power{"acl|whoami", []string{"connection"}}, power{"acl|cat", []string{"connection"}},
		power{"cluster|slots", []string{"connection"}}, power{"cluster|shards", []string{"connection"}}, power{"cluster|nodes", []string{"connection"}},
		power{"client|list", []string{"admin", "dangerous"}}, power{"client|kill", []string{"admin", "dangerous"}})
}()

type power struct {
	name       string
	categories []string
}

// powerSet has a bit for each of powers.
type powerSet [2]uint64

func onePower(i int) (s powerSet) {
	s[i/64] = 1 << (i % 64)
	return s
}

func (s powerSet) with(o powerSet) powerSet    { return powerSet{s[0] | o[0], s[1] | o[1]} }
func (s powerSet) without(o powerSet) powerSet { return powerSet{s[0] &^ o[0], s[1] &^ o[1]} }
func (s powerSet) meets(o powerSet) bool       { return s[0]&o[0]|s[1]&o[1] != 0 }

// powerOf is the set of one power.
var powerOf = func() map[string]powerSet {
	m := map[string]powerSet{}
	for i, p := range powers {
		m[p.name] = onePower(i)
	}
	return m
}()

// categories are sets of powers.
var categories = func() map[string]powerSet {
	m := map[string]powerSet{}
	for i, p := range powers {
		for _, c := range append(p.categories, "all") {
			m[c] = m[c].with(onePower(i))
		}
	}
	return m
}()

// everybody is the user of all connections when there are no users: it may do everything.
var everybody = &user{name: defaultUser, on: true, nopass: true, all: true, may: categories["all"]}

const (
	defaultUser = "default"
	// maxUsers limits a file, and maxUserLine a line.
	maxUsers    = 10000
	maxUserLine = 64 << 10
)

// ParseUsers reads users. An error names the line.
func ParseUsers(text []byte) (*Users, error) {
	u := &Users{byName: map[string]*user{}}
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, maxUserLine)
	n := 0
	for in.Scan() {
		n++
		words := strings.Fields(in.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if words[0] != "user" || len(words) < 2 {
			return nil, fmt.Errorf("users, line %d: want user NAME RULES", n)
		}
		x := &user{name: words[1], may: categories["connection"]}
		if u.byName[x.name] != nil {
			return nil, fmt.Errorf("users, line %d: user %s is given twice", n, x.name)
		}
		for i, rule := range words[2:] {
			if err := x.rule(rule); err != nil {
				return nil, fmt.Errorf("users, line %d: user %s: rule %d: %w", n, x.name, i+1, err)
			}
		}
		if u.byName[x.name] = x; len(u.byName) > maxUsers {
			return nil, fmt.Errorf("users, line %d: more than %d users", n, maxUsers)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("users, line %d: %w", n+1, err)
	}
	if len(u.byName) == 0 {
		return nil, fmt.Errorf("users: none given")
	}
	return u, nil
}

// rule applies a rule. An error does not contain a password.
func (x *user) rule(s string) error {
	switch s {
	case "on", "off":
		x.on = s == "on"
		return nil
	case "nopass":
		x.nopass, x.hashes = true, nil
		return nil
	case "resetpass":
		x.nopass, x.hashes = false, nil
		return nil
	case "allkeys":
		x.all = true
		return nil
	case "resetkeys":
		x.all, x.keys = false, nil
		return nil
	case "allcommands":
		x.may = categories["all"]
		return nil
	case "nocommands":
		x.may = powerSet{}
		return nil
	case "reset":
		*x = user{name: x.name, may: categories["connection"]}
		return nil
	case "resetchannels", "allchannels", "&*", "sanitize-payload", "skip-sanitize-payload":
		return nil // Redis writes these; channels and payloads do not exist here
	}
	switch s[0] {
	case '>':
		x.password(sha256.Sum256([]byte(s[1:])))
		return nil
	case '#':
		b, err := hex.DecodeString(s[1:])
		if err != nil || len(b) != sha256.Size {
			return fmt.Errorf("want a SHA-256 after #: %d hex digits", 2*sha256.Size)
		}
		x.password([sha256.Size]byte(b))
		return nil
	case '~':
		if s == "~*" {
			x.all = true
		}
		x.keys = append(x.keys, []byte(s[1:]))
		return nil
	case '+', '-':
		name := strings.ToLower(s[1:])
		bits, ok := powerOf[name]
		if c, is := strings.CutPrefix(name, "@"); is {
			if bits, ok = categories[c]; !ok {
				return fmt.Errorf("%s: unknown category [categories: %s]", s, strings.Join(slices.Sorted(maps.Keys(categories)), ", "))
			}
		}
		if !ok {
			return fmt.Errorf("%s: unknown command", s)
		}
		if s[0] == '+' {
			x.may = x.may.with(bits)
		} else {
			x.may = x.may.without(bits)
		}
		return nil
	}
	if strings.ContainsRune("%&(<!", rune(s[0])) {
		return fmt.Errorf("%.1s... is a rule of Redis that is not supported", s)
	}
	return fmt.Errorf("unknown rule %.16q", s)
}

func (x *user) password(hash [sha256.Size]byte) {
	x.nopass = false
	if !slices.Contains(x.hashes, hash) {
		x.hashes = append(x.hashes, hash)
	}
}

// nobody takes the place of a user that does not exist, so that the comparison takes as long.
var nobody = &user{hashes: make([][sha256.Size]byte, 1)}

// login returns the user with this name and password, or nil.
func (u *Users) login(name string, password []byte) *user {
	x := u.byName[name]
	if x == nil {
		x = nobody
	}
	hash := sha256.Sum256(password)
	right := 0
	for i := range x.hashes {
		right |= subtle.ConstantTimeCompare(hash[:], x.hashes[i][:])
	}
	if x.on && (x.nopass || right == 1) {
		return x
	}
	return nil
}

// begins returns the user of a connection that has sent nothing, or nil for nobody. name is that of
// its client certificate, if it has one.
func (u *Users) begins(name string) *user {
	if u == nil {
		return everybody
	}
	if x := u.byName[name]; name != "" && x != nil && x.on {
		return x
	}
	if x := u.byName[defaultUser]; x != nil && x.on && x.nopass {
		return x
	}
	return nil
}

// again returns what a user is after these users have replaced others. It returns nil if the user is
// gone, or has other passwords.
func (u *Users) again(old *user) *user {
	if old == nil || u == nil {
		return nil
	}
	x := u.byName[old.name]
	if x == nil || !x.on || x.nopass != old.nopass || !slices.Equal(x.hashes, old.hashes) {
		return nil
	}
	return x
}

// has reports whether a user may use a key.
func (x *user) has(key []byte) bool {
	if x.all {
		return true
	}
	return slices.ContainsFunc(x.keys, func(p []byte) bool { return globMatch(p, key) })
}

// String returns a line of ACL LIST.
func (x *user) String() string {
	words := []string{"user", x.name, "off"}
	if x.on {
		words[2] = "on"
	}
	if x.nopass {
		words = append(words, "nopass")
	}
	for _, h := range x.hashes {
		words = append(words, "#"+hex.EncodeToString(h[:]))
	}
	if x.all {
		words = append(words, "~*")
	} else {
		for _, k := range x.keys {
			words = append(words, "~"+string(k))
		}
	}
	if x.may == categories["all"] {
		return strings.Join(append(words, "+@all"), " ")
	}
	words = append(words, "nocommands")
	for i, p := range powers {
		if x.may.meets(onePower(i)) {
			words = append(words, "+"+p.name)
		}
	}
	return strings.Join(words, " ")
}

// list returns the lines of all users, in the order of their names.
func (u *Users) list() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(u.byName)) {
		lines = append(lines, u.byName[name].String())
	}
	return lines
}
