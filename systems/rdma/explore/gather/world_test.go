package gather

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/sim/explore"
)

func search(t *testing.T, bounds string, programs fs.FS) (*Model, *explore.Result) {
	t.Helper()
	b, err := ParseBounds(bounds)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(b, programs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explore.Search(m, explore.Options{Workers: 1, Time: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d states, depth %d, %v, %.0f states/s", b, r.States, r.Depth, r.Time.Round(time.Millisecond), r.Rate())
	if r.Violation != nil {
		var chart strings.Builder
		if explore.Chart(&chart, m, r.Violation) == nil {
			t.Error("the violation does not come again")
		}
		t.Logf("\n%s", chart.String())
	}
	return m, r
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	for _, k := range Kept {
		if k.Large {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			m, r := search(t, k.Bounds, p4.FS)
			switch missed := explore.Missed(m, r.Reached); {
			case r.Violation != nil:
				t.Error(r.Violation.Err)
			case !r.Complete:
				t.Errorf("not complete: %s", r.Why)
			case len(missed) > 0:
				t.Errorf("never reached: %q", missed)
			}
		})
	}
}

// edited is a file system in which some text is replaced.
type edited struct {
	fs.FS
	t        *testing.T
	file     string
	old, new string
}

func (e edited) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(e.FS, name)
	if err != nil || name != e.file {
		return b, err
	}
	if strings.Count(string(b), e.old) == 0 {
		e.t.Errorf("%s no longer has %q", name, e.old)
	}
	return []byte(strings.Replace(string(b), e.old, e.new, 1)), nil
}

// TestBrokenRules breaks the program, once for every property.
func TestBrokenRules(t *testing.T) {
	long.Test(t)
	for _, c := range []struct{ name, bounds, file, old, new, want string }{
		{"an ACK counts whatever its PSN", "sends=12 ahead=1 f=1", "rdma/slots.p4",
			"if ((int<32>)(psn - md.p) >= 0 && (int<32>)(psn - md.edge) <= 0) {", "if ((int<32>)(md.p - md.p) >= 0) {", "slot"},
		{"a slot that is left behind is not out", "sends=20 losses=1 ahead=1 flight=1", "rdma/slots.p4", "held.lost = 1;", "", "is not out"},
		{"a NAK is passed on as it is", "sends=3 losses=1", "rdma/gather.p4", "hdr.bridge.psn = md.committed + PSN_ONE;", "hdr.bridge.psn = md.p + PSN_ONE;", "for done"},
		{"an ACK goes on without a quorum", "sends=3 losses=1", "rdma/gather.p4",
			"(CLASS_ACK, 1, 1, 1, _, _, _, _, _, _, _, _) : answer_ack();", "(CLASS_ACK, 1, _, _, _, _, _, _, _, _, _, _) : answer_ack();", "for done"},
		{"one replica's credits are not looked at", "sends=3 losses=1", "rdma/gather.p4", "md.credit0 = min(md.credit0, md.credit1);", "", "credits"},
		{"the ICRC of ACKs is not checked", "sends=2 probes", "rdma/group.p4", "(ROLE_GATHER, RC_ACK, _, 0, _) : damaged();", "", "flipped bit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, r := search(t, c.bounds, edited{p4.FS, t, c.file, c.old, c.new}); r.Violation == nil || !strings.Contains(r.Violation.Err.Error(), c.want) {
				t.Errorf("got %v, want %q", r.Violation, c.want)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	for _, k := range Kept {
		if b, err := ParseBounds(k.Bounds); err != nil {
			t.Error(err)
		} else if again, err := ParseBounds(b.String()); err != nil || again != b {
			t.Errorf("%s becomes %s, %v", k.Bounds, b, err)
		}
	}
	for _, text := range []string{"sends", "sends=x", "probes=1", "f=0", "f=4", "ahead=5", "flight=0", "groups=2", "no=1"} {
		if _, err := ParseBounds(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
