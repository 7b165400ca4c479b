package p4rt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"
)

// TestArbitration runs the scenarios of testdata/arbitration: one command per
// client action, the notices that follow as output. The names are those of the
// public lists (p4lang/PI, sonic-pins).
func TestArbitration(t *testing.T) {
	datadriven.Walk(t, "testdata/arbitration", func(t *testing.T, path string) {
		arb := newArbiter()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			show := func(list []notice, err error) {
				if err != nil {
					fmt.Fprintf(&out, "stream ends: %s\n", status.Code(err))
				}
				for _, n := range list {
					e := "none"
					if n.election != nil {
						e = fmt.Sprintf("%d.%d", n.election.high, n.election.low)
					}
					fmt.Fprintf(&out, "-> client %d: %s, election %s\n", n.to, n.code, e)
				}
			}
			for _, line := range strings.Split(d.Input, "\n") {
				f := strings.Fields(line)
				if len(f) == 0 {
					continue
				}
				if len(d.Input) > 0 && strings.Contains(d.Input, "\n") {
					fmt.Fprintln(&out, line)
				}
				var c clientID
				fmt.Sscan(f[1], &c)
				var id *electionID
				role := ""
				for _, arg := range f[2:] {
					k, v, _ := strings.Cut(arg, "=")
					switch k {
					case "id":
						id = &electionID{}
						if _, err := fmt.Sscanf(v, "%d.%d", &id.high, &id.low); err != nil {
							t.Fatalf("%s: %v", arg, err)
						}
					case "role":
						role = v
					}
				}
				switch f[0] {
				case "update":
					show(arb.update(c, role, id))
				case "leave":
					show(arb.leave(c), nil)
				case "write":
					fmt.Fprintln(&out, status.Code(arb.mayWrite(role, id)))
				default:
					t.Fatalf("unknown command %q", f[0])
				}
			}
			return out.String()
		})
	})
}

// TestArbitrationInvariants checks the invariants of arbiter after random
// histories.
func TestArbitrationInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newArbiter()
		told := map[clientID]codes.Code{} // what each client believes
		highest := map[string]electionID{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			c := clientID(rapid.IntRange(1, 5).Draw(t, "client"))
			var list []notice
			if rapid.IntRange(0, 4).Draw(t, "leave") == 0 {
				list = a.leave(c)
				delete(told, c)
			} else {
				role := rapid.SampledFrom([]string{"", "r"}).Draw(t, "role")
				var id *electionID
				if rapid.IntRange(0, 5).Draw(t, "has id") > 0 {
					id = &electionID{0, rapid.Uint64Range(0, 5).Draw(t, "id")}
				}
				var err error
				if list, err = a.update(c, role, id); err != nil {
					list = append(list, a.leave(c)...) // the server ends the stream
					delete(told, c)
				} else if h, ok := highest[role]; id != nil && (!ok || id.compare(h) > 0) {
					highest[role] = *id
				}
			}
			for _, n := range list {
				told[n.to] = n.code
			}
			for name, r := range a.roles {
				if r.primary != 0 && (r.members[r.primary] == nil || *r.members[r.primary] != highest[name]) {
					t.Fatalf("role %q: primary %d does not have the highest id %v", name, r.primary, highest[name])
				}
				for c := range r.members {
					want := r.notice(name, c).code
					if told[c] != want {
						t.Fatalf("role %q: client %d was told %s, is %s", name, c, told[c], want)
					}
				}
			}
		}
	})
}
