package stf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
)

// settle compares what came out with what was expected, port by port in order,
// and the digests, and forgets all of them.
func (r *runner) settle() {
	var ports []int
	for p := range r.outs {
		ports = append(ports, p)
	}
	for p := range r.expect {
		if _, ok := r.outs[p]; !ok {
			ports = append(ports, p)
		}
	}
	slices.Sort(ports)
	for _, p := range ports {
		outs, exps := r.outs[p], r.expect[p]
		for i, e := range exps {
			if i >= len(outs) {
				r.fail(e.line(), "port %d: expected a packet, got none%s", p, elsewhere(r.outs, p))
				continue
			}
			if !matches(e, outs[i].frame) {
				r.fail(e.line(), "%s", r.difference(p, e, outs[i]))
			}
		}
		for _, o := range outs[min(len(exps), len(outs)):] {
			r.fail(o.line, "port %d: unexpected packet of %d bytes:\n%s", p, len(o.frame), strings.TrimRight(dump("got", o.frame, nil, nil), "\n"))
		}
	}
	clear(r.outs)
	clear(r.expect)
	r.settleDigests()
}

// elsewhere says which ports did get packets.
func elsewhere(outs map[int][]received, not int) string {
	var ports []string
	for p, o := range outs {
		if p != not && len(o) > 0 {
			ports = append(ports, fmt.Sprint(p))
		}
	}
	if len(ports) == 0 {
		return ""
	}
	slices.Sort(ports)
	return " (packets left on port " + strings.Join(ports, ", ") + ")"
}

func matches(e *Expect, got []byte) bool {
	if e.Any {
		return true
	}
	if len(got) < len(e.Data) || e.Exact && len(got) != len(e.Data) {
		return false
	}
	return len(wrong(e, got)) == 0
}

// wrong lists the offsets at which a packet is not as expected.
func wrong(e *Expect, got []byte) []int {
	var out []int
	for i := range e.Data {
		if i >= len(got) || got[i]&e.Mask[i] != e.Data[i] {
			out = append(out, i)
		}
	}
	if e.Exact {
		for i := len(e.Data); i < len(got); i++ {
			out = append(out, i)
		}
	}
	return out
}

// difference describes a packet that is not the expected one: the fields that
// differ, then both packets with the differing bytes marked.
func (r *runner) difference(port int, e *Expect, got received) string {
	var b strings.Builder
	fmt.Fprintf(&b, "port %d: the packet sent at line %d came out different", port, got.line)
	switch {
	case len(got.frame) < len(e.Data):
		fmt.Fprintf(&b, " (%d bytes, expected %d)", len(got.frame), len(e.Data))
	case e.Exact && len(got.frame) != len(e.Data):
		fmt.Fprintf(&b, " (%d bytes, expected %d)", len(got.frame), len(e.Data))
	}
	b.WriteString(":\n")
	bad := wrong(e, got.frame)
	layout := layoutOf(r.prog, got.frame, dataplane.Port(port) == r.sw.CPUPort(), uint64(port))
	last := ""
	for _, i := range bad {
		where, span := layout.at(i)
		if where == last {
			continue
		}
		last = where
		fmt.Fprintf(&b, "    %s: expected %s, got %s\n", where, nibbles(e, span), hexOf(got.frame, span))
	}
	b.WriteString(dump("expected", e.Data, e.Mask, bad))
	b.WriteString(dump("got", got.frame, nil, bad))
	return strings.TrimRight(b.String(), "\n")
}

// span is a range of bytes.
type span struct{ from, to int }

func nibbles(e *Expect, s span) string {
	var b strings.Builder
	for i := s.from; i < s.to; i++ {
		if i >= len(e.Data) {
			b.WriteString("--")
			continue
		}
		b.WriteString(masked(e.Data[i], e.Mask[i]))
	}
	return b.String()
}

func masked(v, m byte) string {
	s := []byte(fmt.Sprintf("%02x", v))
	if m&0xf0 == 0 {
		s[0] = '*'
	}
	if m&0x0f == 0 {
		s[1] = '*'
	}
	return string(s)
}

func hexOf(b []byte, s span) string {
	var out strings.Builder
	for i := s.from; i < s.to; i++ {
		if i >= len(b) {
			out.WriteString("--")
			continue
		}
		fmt.Fprintf(&out, "%02x", b[i])
	}
	return out.String()
}

// dump shows bytes in rows of 16, with a line of carets under those listed.
func dump(title string, data, mask []byte, bad []int) string {
	var b strings.Builder
	isBad := map[int]bool{}
	for _, i := range bad {
		isBad[i] = true
	}
	for row := 0; row < len(data) || row == 0; row += 16 {
		fmt.Fprintf(&b, "    %-8s %04x ", title, row)
		marks := strings.Repeat(" ", 18)
		any := false
		for i := row; i < row+16 && i < len(data); i++ {
			if mask != nil {
				b.WriteString(" " + masked(data[i], mask[i]))
			} else {
				fmt.Fprintf(&b, " %02x", data[i])
			}
			if isBad[i] {
				marks += " ^^"
				any = true
			} else {
				marks += "   "
			}
		}
		b.WriteByte('\n')
		if any {
			b.WriteString(strings.TrimRight(marks, " ") + "\n")
		}
	}
	return b.String()
}
