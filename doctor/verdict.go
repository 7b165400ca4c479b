package doctor

import (
	"fmt"
	"io"
	"strings"
)

// Level says how bad a finding is.
type Level uint8

// The levels.
const (
	OK      Level = iota // nothing to do
	Warning              // it works, but not as well as it could, or not always
	Missing              // it does not work
)

var levels = [...]string{OK: "ok", Warning: "warning", Missing: "missing"}

func (l Level) String() string { return levels[l] }

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is one thing that was looked at.
type Finding struct {
	Level Level  `json:"level"`
	What  string `json:"what"`           // was looked at: "kernel", "eth1 mtu"
	Found string `json:"found"`          // in plain words
	Mend  string `json:"mend,omitempty"` // what to change; "" when nothing is wrong or can be done
}

// Verdict is what was found for one role.
type Verdict struct {
	Role     string    `json:"role"`     // "switch", "server"
	Possible bool      `json:"possible"` // the machine can have the role, as it is
	Summary  string    `json:"summary"`
	Findings []Finding `json:"findings"`
}

// Add adds a finding.
func (v *Verdict) Add(l Level, what, mend, found string, args ...any) {
	v.Findings = append(v.Findings, Finding{Level: l, What: what, Found: fmt.Sprintf(found, args...), Mend: mend})
}

// Worst returns the worst level of all findings.
func (v *Verdict) Worst() Level {
	worst := OK
	for _, f := range v.Findings {
		worst = max(worst, f.Level)
	}
	return worst
}

// Write prints the verdict for people.
func (v *Verdict) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", v.Role, v.Summary)
	width := 0
	for _, f := range v.Findings {
		width = max(width, len(f.What))
	}
	for _, f := range v.Findings {
		fmt.Fprintf(w, "  %-7s  %-*s  %s\n", f.Level, width, f.What, f.Found)
		for l := range strings.Lines(f.Mend) {
			fmt.Fprintf(w, "  %7s  %*s  -> %s\n", "", width, "", strings.TrimSpace(l))
		}
	}
}

// Asked is what was asked for of a server; what it lacks, the server lacks.
type Asked struct {
	Interfaces bool   // the interfaces in the facts were named
	Verbs      bool   // an RDMA device is to be used
	Device     string // which one; "" means any
}
