package tune

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/nic"
)

// Tuned is an interface that somebody uses. The zero value is one that nothing was changed of.
type Tuned struct {
	name  string
	index int
	net   *handles
	kept  *record
	set   []string
}

// handles work in the network namespace that they were made in, on any thread.
type handles struct {
	e *ethtool.Ethtool
	h *netlink.Handle
}

// Take has an interface of the caller's network namespace ready for a use. It changes what the use needs and says so in
// the log, and fails if something is missing that it does not change, with the command that does. The caller closes it.
func Take(i nic.Interface, u Use, log *slog.Logger) (*Tuned, error) {
	lacks := Lacks(i, u, runtime.NumCPU())
	if err := Refuse(i.Name, lacks); err != nil {
		return nil, err
	}
	for _, l := range lacks {
		if l.Level == Worse {
			log.Warn("interface: "+l.What+": "+l.Found, "interface", i.Name, "mend", l.Mend)
		}
	}
	lacks = slices.DeleteFunc(lacks, func(l Lack) bool { return l.Level != Settable && l.Level != Wanted })
	t := &Tuned{name: i.Name}
	if len(lacks) == 0 && !recorded(i.Index) {
		return t, nil
	}
	var err error
	if t.net, err = open(); err != nil {
		return nil, fmt.Errorf("interface %s: %w", i.Name, err)
	}
	t.index = i.Index
	t.kept = takeRecord(i.Index, log)
	for _, l := range lacks {
		if err := t.mend(i, l); err != nil {
			if l.Level == Settable {
				t.Close()
				return nil, fmt.Errorf("interface %s: %s: %s, and it cannot be set: %w (%s)", i.Name, l.What, l.Found, err, l.Mend)
			}
			log.Warn("interface: "+l.What+": "+l.Found+", and it cannot be set", "interface", i.Name, "mend", l.Mend, "err", err)
			continue
		}
		t.set = append(t.set, l.Mend)
	}
	t.kept.write(log)
	if len(t.set) > 0 {
		log.Info("interface set up; it is put back at the end", "interface", i.Name, "set", strings.Join(t.set, "; "))
	}
	return t, nil
}

// Refuse returns an error that names what hinders a use, nil if nothing does.
func Refuse(name string, lacks []Lack) error {
	var all []error
	for _, l := range lacks {
		if l.Level == Hinders {
			all = append(all, fmt.Errorf("interface %s: %s", name, l))
		}
	}
	return errors.Join(all...)
}

func open() (*handles, error) {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return nil, err
	}
	h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("netlink: %w", err)
	}
	return &handles{e, h}, nil
}

func (n *handles) close() {
	n.e.Close()
	n.h.Close()
}

// mend changes what an interface lacks, and remembers what was there.
func (t *Tuned) mend(i nic.Interface, l Lack) error {
	switch {
	case l.up:
		t.kept.Down = true
		return t.link(t.net.h.LinkSetUp)
	case l.promisc:
		t.kept.Choosy = true
		return t.link(t.net.h.SetPromiscOn)
	}
	if err := t.net.e.Change(t.name, l.features); err != nil {
		return err
	}
	for f, want := range l.features {
		if _, ok := t.kept.Features[f]; !ok {
			t.kept.Features[f] = !want
		}
	}
	return nil
}

func (t *Tuned) link(f func(netlink.Link) error) error {
	l, err := t.net.h.LinkByName(t.name)
	if err != nil {
		return err
	}
	return f(l)
}

// Close puts back what was changed, unless another program relies on it, or the interface has gone. Closing twice is harmless.
func (t *Tuned) Close() error { return t.end(true) }

// Leave ends the use, and leaves the interface as it is, because something that outlives the program goes on using it.
func (t *Tuned) Leave() { _ = t.end(false) }

func (t *Tuned) end(back bool) error {
	if t == nil || t.net == nil {
		return nil
	}
	defer func() {
		t.net.close()
		t.net = nil
	}()
	if !back || !t.kept.last() {
		t.kept.leave()
		return nil
	}
	defer t.kept.remove()
	l, err := t.net.h.LinkByName(t.name)
	if err != nil || l.Attrs().Index != t.index {
		return nil // it has gone, and what was changed with it
	}
	var errs []error
	if f := t.kept.Features; len(f) > 0 {
		errs = append(errs, t.net.e.Change(t.name, maps.Clone(f)))
	}
	if t.kept.Choosy {
		errs = append(errs, t.net.h.SetPromiscOff(l))
	}
	if t.kept.Down {
		errs = append(errs, t.net.h.LinkSetDown(l))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("interface %s: put back what was changed: %w", t.name, err)
	}
	return nil
}

// Restore puts back what programs that have ended have left changed of an interface of the caller's network namespace.
func Restore(index int, log *slog.Logger) error {
	if !recorded(index) {
		return nil
	}
	l, err := netlink.LinkByIndex(index)
	if err != nil {
		return nil // it has gone
	}
	t := &Tuned{name: l.Attrs().Name, index: index}
	if t.net, err = open(); err != nil {
		return fmt.Errorf("interface %s: %w", t.name, err)
	}
	t.kept = takeRecord(index, log)
	return t.Close()
}
