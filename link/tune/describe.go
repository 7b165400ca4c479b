package tune

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/link/nic"
)

// Describe says what an interface is like, and what its driver wants of it.
func Describe(i nic.Interface) string {
	s := []string{i.Kind}
	if i.Driver != "" && i.Driver != i.Kind {
		s = append(s, "driver "+i.Driver)
	}
	s = append(s, fmt.Sprintf("mtu %d", i.MTU))
	switch {
	case i.Channels == 1:
		s = append(s, "1 queue")
	case i.Channels > 1:
		s = append(s, fmt.Sprintf("%d queues", i.Channels))
	}
	d, known := i.Known()
	switch {
	case i.FeatKnown && i.Features&(nic.FeatureBasic|nic.FeatureRedirect) != 0, !i.FeatKnown && d.Native != "":
		s = append(s, fmt.Sprintf("native XDP up to mtu %d", Limit(i)))
	default:
		return strings.Join(s, ", ")
	}
	if i.FeatKnown && i.Features&nic.FeatureZeroCopy != 0 || !i.FeatKnown && d.ZeroCopy != "" {
		s = append(s, "AF_XDP without a copy")
	}
	if !known {
		return strings.Join(s, ", ") + "; its driver is not in the table of docs/hardware.md"
	}
	if d.Needs != "" {
		s = append(s, "needs: "+d.Needs)
	}
	return strings.Join(s, ", ")
}

// Does is what to do about a lack, or that a program does it, in the words of who.
func (l Lack) Does(who string) string {
	if l.Level == Settable || l.Level == Wanted {
		return who + ": " + l.Mend
	}
	return l.Mend
}
