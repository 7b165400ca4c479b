package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Sysfs is where the kernel shows its RDMA devices.
func Sysfs() fs.FS { return os.DirFS("/sys/class/infiniband") }

// RoCEv2 is the GID type that rdma_cm and this project use.
const RoCEv2 = "RoCE v2"

// DeviceInfo is an RDMA device as sysfs shows it.
type DeviceInfo struct {
	Name   string     `json:"name"`
	Driver string     `json:"driver,omitempty"` // kernel module; "rdma_rxe" for rxe, "" when not known
	Ports  []PortInfo `json:"ports"`
}

// PortInfo is a port of a device.
type PortInfo struct {
	Number    int    `json:"number"`
	LinkLayer string `json:"link_layer"` // "Ethernet" or "InfiniBand"
	State     string `json:"state"`      // "ACTIVE", "DOWN", ...
	GIDs      []GID  `json:"gids"`       // the entries in use
}

// GID is an entry of a port's GID table.
type GID struct {
	Index     int        `json:"index"`
	Addr      netip.Addr `json:"addr"`      // IPv6, or IPv4 where it is mapped
	Type      string     `json:"type"`      // RoCEv2, or "IB/RoCE v1"
	Interface string     `json:"interface"` // the network interface
}

// Devices reads what Sysfs shows. A machine without RDMA devices gives none.
func Devices(sysfs fs.FS) ([]DeviceInfo, error) {
	names, err := readDir(sysfs, ".")
	if err != nil {
		return nil, fmt.Errorf("rdma devices: %w", err)
	}
	var devs []DeviceInfo
	for _, name := range names {
		d := DeviceInfo{Name: name, Driver: driver(sysfs, name)}
		ports, err := readDir(sysfs, path.Join(name, "ports"))
		if err != nil {
			return nil, fmt.Errorf("rdma device %s: %w", name, err)
		}
		for _, p := range ports {
			n, err := strconv.Atoi(p)
			if err != nil {
				continue
			}
			dir := path.Join(name, "ports", p)
			port := PortInfo{Number: n, LinkLayer: read(sysfs, path.Join(dir, "link_layer"))}
			// "4: ACTIVE"
			_, port.State, _ = strings.Cut(read(sysfs, path.Join(dir, "state")), ": ")
			if port.GIDs, err = gids(sysfs, dir); err != nil {
				return nil, fmt.Errorf("rdma device %s port %d: %w", name, n, err)
			}
			d.Ports = append(d.Ports, port)
		}
		slices.SortFunc(d.Ports, func(a, b PortInfo) int { return a.Number - b.Number })
		devs = append(devs, d)
	}
	return devs, nil
}

// emptyGIDs is how many empty entries in a row are taken for the end of a GID
// table. The kernel uses the first empty entry, and a table may have a thousand.
const emptyGIDs = 64

// gids reads the GID table of a port. An entry that is not in use reads as zero,
// or cannot be read.
func gids(sysfs fs.FS, dir string) ([]GID, error) {
	names, err := readDir(sysfs, path.Join(dir, "gids"))
	if err != nil {
		return nil, err
	}
	var indexes []int
	for _, name := range names {
		if i, err := strconv.Atoi(name); err == nil {
			indexes = append(indexes, i)
		}
	}
	slices.Sort(indexes)
	var out []GID
	empty := 0
	for _, i := range indexes {
		name := strconv.Itoa(i)
		a, err := netip.ParseAddr(read(sysfs, path.Join(dir, "gids", name)))
		if err != nil || a.IsUnspecified() {
			if empty++; empty == emptyGIDs {
				break
			}
			continue
		}
		empty = 0
		out = append(out, GID{
			Index: i, Addr: a.Unmap(), Type: read(sysfs, path.Join(dir, "gid_attrs/types", name)),
			Interface: read(sysfs, path.Join(dir, "gid_attrs/ndevs", name)),
		})
	}
	return out, nil
}

func driver(sysfs fs.FS, name string) string {
	if link, err := fs.ReadLink(sysfs, path.Join(name, "device/driver")); err == nil {
		return path.Base(link)
	}
	// rxe has no bus device, but says which interface it lies on.
	if read(sysfs, path.Join(name, "parent")) != "" {
		return "rdma_rxe"
	}
	return ""
}

func readDir(sysfs fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(sysfs, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// read returns the content of a file without white space around it, "" when it
// cannot be read.
func read(sysfs fs.FS, name string) string {
	b, err := fs.ReadFile(sysfs, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Choice is the device, port and GID that Options ask for.
type Choice struct {
	Device DeviceInfo
	Port   PortInfo
	GID    GID
}

// Select finds what o asks for among devs.
func Select(devs []DeviceInfo, o Options) (Choice, error) {
	o.setDefaults()
	if o.Addr.IsValid() && !o.Addr.Is4() {
		return Choice{}, fmt.Errorf("address %v is not IPv4", o.Addr)
	}
	if len(devs) == 0 {
		return Choice{}, errors.New("rdma: this machine has no RDMA device (no driver loaded; for software RDMA: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev INTERFACE)")
	}
	var found []Choice
	var why []error
	for _, d := range devs {
		if o.Device != "" && d.Name != o.Device {
			continue
		}
		c, err := pick(d, o)
		if err != nil {
			why = append(why, err)
			continue
		}
		found = append(found, c)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Choice{}, fmt.Errorf("rdma: several devices fit: %s (name one)", names(found))
	case len(why) == 0:
		var have []string
		for _, d := range devs {
			have = append(have, d.Name)
		}
		return Choice{}, fmt.Errorf("rdma device %s does not exist (there is %s)", o.Device, strings.Join(have, ", "))
	}
	return Choice{}, errors.Join(why...)
}

func names(cs []Choice) string {
	var s []string
	for _, c := range cs {
		s = append(s, fmt.Sprintf("%s (%v)", c.Device.Name, c.GID.Addr))
	}
	return strings.Join(s, ", ")
}

// pick finds the port and GID of one device.
func pick(d DeviceInfo, o Options) (Choice, error) {
	i := slices.IndexFunc(d.Ports, func(p PortInfo) bool { return p.Number == o.Port })
	if i < 0 {
		return Choice{}, fmt.Errorf("rdma device %s has no port %d (it has %d)", d.Name, o.Port, len(d.Ports))
	}
	p := d.Ports[i]
	if p.LinkLayer != "Ethernet" {
		return Choice{}, fmt.Errorf("rdma device %s port %d is %s (RoCE needs Ethernet; some NICs can switch to it, mlxconfig LINK_TYPE)", d.Name, p.Number, p.LinkLayer)
	}
	if p.State != "ACTIVE" {
		return Choice{}, fmt.Errorf("rdma device %s port %d is %s (bring its network interface up)", d.Name, p.Number, cmp.Or(p.State, "in an unknown state"))
	}
	c := Choice{Device: d, Port: p}
	if o.GIDIndex > 0 {
		i := slices.IndexFunc(p.GIDs, func(g GID) bool { return g.Index == o.GIDIndex })
		if i < 0 {
			return Choice{}, fmt.Errorf("rdma device %s port %d: GID index %d is empty", d.Name, p.Number, o.GIDIndex)
		}
		c.GID = p.GIDs[i]
		switch {
		case !c.GID.Addr.Is4():
			return Choice{}, fmt.Errorf("rdma device %s port %d: GID index %d is %v, not an IPv4 address", d.Name, p.Number, c.GID.Index, c.GID.Addr)
		case c.GID.Type != RoCEv2:
			return Choice{}, fmt.Errorf("rdma device %s port %d: GID index %d is of type %q (want %q)", d.Name, p.Number, c.GID.Index, c.GID.Type, RoCEv2)
		case o.Addr.IsValid() && o.Addr != c.GID.Addr:
			return Choice{}, fmt.Errorf("rdma device %s port %d: GID index %d is %v, not %v", d.Name, p.Number, c.GID.Index, c.GID.Addr, o.Addr)
		}
		return c, nil
	}
	for _, g := range p.GIDs {
		if g.Addr.Is4() && g.Type == RoCEv2 && (!o.Addr.IsValid() || g.Addr == o.Addr) {
			c.GID = g
			return c, nil
		}
	}
	what := "an IPv4 address"
	if o.Addr.IsValid() {
		what = o.Addr.String()
	}
	return Choice{}, fmt.Errorf("rdma device %s port %d: no GID of type %s has %s (give its network interface the address)", d.Name, p.Number, RoCEv2, what)
}
