package consensus

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// Bounds say how large a world is: how often things may happen in one run.
type Bounds struct {
	Servers  int    // ids from 0
	Entries  int    // proposals
	Large    int    // bytes of a record; default 1
	Barriers int    // read barriers
	Cuts     int    // servers that are cut off, one by one
	Loses    int    // connections that end for no reason
	Torn     int    // WRITEs that end half-way, with their connection
	Crashes  int    // processes that end; their memory is lost
	Victims  string // ids of servers that may be cut off or crash; default all
	Beats    int    // times that all see who lives
	Times    int    // times that 25 ms pass for one server
	Misses   int    // copies of WRITEs to a group that are lost
	Groups   int    // groups that can be formed, beside that of the beginning
	Switch   bool   // there is one, and the first leader begins accelerated
	Join     bool   // server number Servers has caught up, and may be made a member
	Remove   string // ids of servers that may be removed
	Batch    bool   // several completions may be reported at once, beside one
	Late     bool   // what was posted on a connection may be executed when it has ended
	Split    bool   // READs, and WRITEs to election regions, are executed and reported in two steps
	Lag      bool   // entries are applied in a step of its own
	Order    bool   // what is due happens in one order, except for what is held up
	Holds    int    // with Order: connections and servers that are held up, until they are let go on
	Durable  bool   // promises and entries are on disk before they count
	Weak     string // rule that is not followed, as package sim names it
	Bare     bool   // cores run no warm-up: everything happens in the search
}

var weak = map[string]mu.Weakness{
	"": mu.Sound, "majority": mu.WeakMajority, "term-reuse": mu.WeakTermReuse, "others-value": mu.WeakOthersValue, "ring": mu.WeakRing,
	"no-revoke": mu.WeakNoRevoke, "first-found": mu.WeakFirstFound, "amnesia": mu.WeakAmnesia, "group-size": mu.WeakGroupSize,
	"commit-ahead": mu.WeakCommitAhead, "no-incarnation": mu.WeakNoIncarnation,
}

// ParseBounds reads what String writes: "servers=3 entries=2 batch".
func ParseBounds(text string) (Bounds, error) {
	var b Bounds
	v := reflect.ValueOf(&b).Elem()
	for _, word := range strings.Fields(text) {
		name, value, given := strings.Cut(word, "=")
		f := v.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) && strings.ToLower(name) == name })
		if !f.IsValid() {
			return b, fmt.Errorf("%q: no such bound (there are: %s)", name, names(v.Type()))
		}
		switch f.Kind() {
		case reflect.Bool:
			if given {
				return b, fmt.Errorf("%s: takes no value", name)
			}
			f.SetBool(true)
		case reflect.Int:
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > 200 && name != "large" {
				return b, fmt.Errorf("%s=%s: want a number from 0 to 200", name, value)
			}
			f.SetInt(int64(n))
		default:
			f.SetString(value)
		}
	}
	if b.Servers == 0 {
		b.Servers = 3
	}
	if b.Servers > 7 {
		return b, fmt.Errorf("servers=%d: want 1 to 7", b.Servers)
	}
	if _, ok := weak[b.Weak]; !ok {
		return b, fmt.Errorf("weak=%s: no such rule", b.Weak)
	}
	for _, r := range b.Remove + b.Victims {
		if r < '0' || int(r-'0') > b.Servers {
			return b, fmt.Errorf("remove=%s victims=%s: want ids of servers", b.Remove, b.Victims)
		}
	}
	return b, nil
}

func names(t reflect.Type) string {
	var s []string
	for i := range t.NumField() {
		s = append(s, strings.ToLower(t.Field(i).Name))
	}
	return strings.Join(s, ", ")
}

func (b Bounds) String() string {
	v := reflect.ValueOf(b)
	var words []string
	for i := range v.NumField() {
		name, f := strings.ToLower(v.Type().Field(i).Name), v.Field(i)
		switch {
		case f.IsZero():
		case f.Kind() == reflect.Bool:
			words = append(words, name)
		default:
			words = append(words, fmt.Sprintf("%s=%v", name, f))
		}
	}
	return strings.Join(words, " ")
}
