package lab

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Thread has the packets of all links processed by threads of the kernel's, one for each end
// (threaded NAPI, Linux 5.12 and later). Otherwise it is whoever sends a packet who walks its
// whole way, through the switch and back, in soft interrupts of the system call: fewer
// wake-ups, but the work of the network is charged to its users. It is for measuring what
// they use themselves.
func (l *Lab) Thread() error {
	for _, h := range l.Hosts {
		// There must be something to make a thread of: what GRO or an XDP program brings.
		if err := inside(l.portNS(h), func() error { return features(h.PortInterface(), map[string]bool{"rx-gro": true}) }); err != nil {
			return fmt.Errorf("%s: GRO on: %w", h.PortInterface(), err)
		}
		if err := thread(l.portNS(h), h.PortInterface()); err != nil {
			return err
		}
		if err := thread(h.ns, Interface); err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
	return nil
}

func thread(ns netns.NsHandle, iface string) error {
	return withSysfs(ns, func() error {
		err := os.WriteFile("/sys/class/net/"+iface+"/threaded", []byte("1"), 0)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("threaded NAPI on %s: this kernel has none (Linux 5.12 and later)", iface)
		}
		if err != nil {
			return fmt.Errorf("threaded NAPI on %s: %w", iface, err)
		}
		return nil
	})
}

// withSysfs runs f on a thread in a network namespace, where /sys shows its interfaces: sysfs
// shows those of the namespace that has mounted it.
func withSysfs(ns netns.NsHandle, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread is not given back
		done <- func() error {
			if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
				return fmt.Errorf("new mount namespace: %w", err)
			}
			if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
				return fmt.Errorf("mount namespace: private mounts: %w", err)
			}
			if err := netns.Set(ns); err != nil {
				return fmt.Errorf("enter network namespace: %w", err)
			}
			if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
				return fmt.Errorf("mount sysfs: %w", err)
			}
			return f()
		}()
	}()
	return <-done
}
