package check

import (
	"context"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/host/verbs"
	"github.com/p4ce/p4ce/link/nic"
)

// Facts is what is known about a machine that may become a server.
type Facts struct {
	Machine    doctor.Machine  `json:"machine"`
	Interfaces []nic.Interface `json:"interfaces"`
	Devices    []Device        `json:"rdma_devices"`
	Built      bool            `json:"verbs"`        // this binary has the verbs provider
	RDMACM     string          `json:"rdma_cm"`      // why /dev/infiniband/rdma_cm cannot be opened, "" if it can
	Packet     string          `json:"packet"`       // why no AF_PACKET socket can be made, "" if one can
	XSK        string          `json:"xsk"`          // the same for AF_XDP
	DevErr     string          `json:"device_error"` // why the RDMA devices are not known, "" if they are
	// Configfs is the GID type that rdma_cm takes, by device, where it can be read.
	Configfs map[string]string `json:"default_gid_types"`
}

// Device is an RDMA device, and what it said when it was tried.
type Device struct {
	verbs.DeviceInfo
	// Report is what the device can do, nil when it was not tried. Err is why it
	// could not be.
	Report *verbs.Report `json:"report,omitempty"`
	Err    string        `json:"err,omitempty"`
}

// Gather asks the kernel. Devices with an IPv4 address are tried, if this binary can:
// they are opened, and connected to themselves. The interfaces are those to be
// judged.
func Gather(ctx context.Context, m doctor.Machine, ifs []nic.Interface) Facts {
	f := Facts{Machine: m, Interfaces: ifs, Built: verbs.Built, Configfs: map[string]string{}}
	devs, err := verbs.Devices(verbs.Sysfs())
	if err != nil {
		f.DevErr = err.Error()
	}
	for _, d := range devs {
		x := Device{DeviceInfo: d}
		if verbs.Built && hasAddress(d) {
			r, err := verbs.Probe(ctx, verbs.Options{Device: d.Name})
			if err != nil {
				x.Err = err.Error()
			} else {
				x.Report = &r
			}
		}
		f.Devices = append(f.Devices, x)
		if b, err := os.ReadFile("/sys/kernel/config/rdma_cm/" + d.Name + "/ports/1/default_roce_mode"); err == nil {
			f.Configfs[d.Name] = string(b)
		}
	}
	if c, err := os.OpenFile("/dev/infiniband/rdma_cm", os.O_RDWR, 0); err != nil {
		f.RDMACM = err.Error()
	} else {
		_ = c.Close()
	}
	f.Packet, f.XSK = text(doctor.TrySocket(unix.AF_PACKET)), text(doctor.TrySocket(unix.AF_XDP))
	return f
}

// address returns the GID that connections would use, and whether there is one.
func address(d verbs.DeviceInfo) (verbs.GID, verbs.PortInfo, bool) {
	for _, p := range d.Ports {
		for _, g := range p.GIDs {
			if p.LinkLayer == "Ethernet" && g.Addr.Is4() && g.Type == verbs.RoCEv2 && g.Addr != netip.IPv4Unspecified() {
				return g, p, true
			}
		}
	}
	return verbs.GID{}, verbs.PortInfo{}, false
}

func hasAddress(d verbs.DeviceInfo) bool {
	_, _, ok := address(d)
	return ok
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
