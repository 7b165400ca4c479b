package tune

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/nic"
)

// Refused says why the kernel does not run a program in the driver of an interface, from the error that attaching it gave.
// (The kernel says more only to who asks by netlink.)
func Refused(i nic.Interface, err error) error {
	why := "does the driver have XDP, and is the interface free of another program?"
	switch {
	case errors.Is(err, unix.EBUSY):
		why = fmt.Sprintf("another program has it; end that, or: ip link set %s xdp off", i.Name)
	case errors.Is(err, unix.ERANGE) && i.Kind == "veth":
		why = fmt.Sprintf("the MTU of its other end is too large; there: ip link set INTERFACE mtu %d", MaxMTU)
	case errors.Is(err, unix.ENOSPC) && i.Kind == "veth":
		why = fmt.Sprintf("its other end sends by more queues than it receives by, %d; there: ethtool -L INTERFACE tx %d", i.Queues, i.Queues)
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EINVAL):
		why = fmt.Sprintf("its driver, %s, has no native XDP, or refuses it with these settings: dmesg may say why", i.Driver)
	}
	return fmt.Errorf("attach in native mode: %w (%s)", err, why)
}
