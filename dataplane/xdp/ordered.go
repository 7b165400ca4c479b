package xdp

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/files"
)

// A program may promise its neighbours that what leaves by a port leaves in the order in which the program
// has seen it (@ordered in front of its package). Two CPUs break that: what one has redirected is on the wire
// only at the end of its poll, and another one that reads a register raised for it may overtake it. So one CPU
// polls all ports of such a program, the CPU port as well, since what comes by it may say what has left before it:
// each port has a thread of the kernel's (threaded NAPI, Linux 5.12 and later), and all threads run on that CPU, before
// programs.
// Two queues of a port break it, too: the program sees what has come by one of them before what came earlier by the
// other one.

// pollByOne has the queues of a port polled by the CPU that polls the others'. On a machine with one CPU
// nothing is to be done.
func (t *Target) pollByOne(pt *port) error {
	if pt.about.Queues > 1 {
		return fmt.Errorf("port %d (%s): the program needs packets in the order in which they come, and the interface receives by %d queues [ethtool -L %s combined 1, or rx 1]",
			pt.info.Port, pt.ifi.Name, pt.about.Queues, pt.ifi.Name)
	}
	cpu, several, err := pollingCPU()
	if err != nil || !several {
		return err
	}
	const want = "the program needs all ports polled by one CPU"
	if err := threaded(pt.ifi.Name); err != nil {
		return fmt.Errorf("port %d (%s): %s: %w", pt.info.Port, pt.ifi.Name, want, err)
	}
	threads, err := pollers(pt.ifi.Index)
	for i := 0; len(threads) == 0 && err == nil && i < 50; i++ { // they are being made
		time.Sleep(time.Duration(i) * time.Millisecond)
		threads, err = pollers(pt.ifi.Index)
	}
	if len(threads) == 0 && err == nil {
		err = errors.New("threads of the queues: the kernel names none")
	}
	if err != nil {
		return fmt.Errorf("port %d (%s): %s: %w", pt.info.Port, pt.ifi.Name, want, err)
	}
	var set unix.CPUSet
	set.Set(cpu)
	for _, pid := range threads {
		err := unix.SchedSetaffinity(pid, &set)
		if err == nil {
			err = unix.Setpriority(unix.PRIO_PROCESS, pid, first)
		}
		if err != nil {
			return fmt.Errorf("port %d (%s): %s: thread %d: %w", pt.info.Port, pt.ifi.Name, want, pid, err)
		}
	}
	return nil
}

// first is the nice value of the threads: others of a switch's ports are polled before any program runs, and so are these. On a CPU that is
// shared with ten programs they would wait for tens of milliseconds, and everybody for them.
const first = -20

// pollingCPU is the CPU that polls the ports of this process, of those that it may run on; several says that
// there are others.
func pollingCPU() (cpu int, several bool, err error) {
	var may unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &may); err != nil {
		return 0, false, fmt.Errorf("CPUs of this process: %w", err)
	}
	var list []int
	for i := range len(may) * 64 {
		if may.IsSet(i) {
			list = append(list, i)
		}
	}
	online, err := files.Read("/sys/devices/system/cpu/online", files.Settings)
	return list[os.Getpid()%len(list)], err != nil || strings.TrimSpace(string(online)) != "0", nil
}

// threaded gives the queues of an interface threads of their own. Sysfs shows the interfaces of the network
// namespace that has mounted it: here that is this one's, on a thread with mounts of its own.
func threaded(iface string) error {
	space, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	defer space.Close()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread is not given back
		done <- func() error {
			if err := unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err != nil {
				return fmt.Errorf("network namespace: %w", err)
			}
			if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
				return fmt.Errorf("new mount namespace: %w", err)
			}
			if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
				return fmt.Errorf("mount namespace: private mounts: %w", err)
			}
			// Busy: it is mounted there already, for this network namespace (ip netns exec).
			if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil && !errors.Is(err, unix.EBUSY) {
				return fmt.Errorf("mount sysfs: %w", err)
			}
			err := os.WriteFile("/sys/class/net/"+iface+"/threaded", []byte("1"), 0)
			if errors.Is(err, os.ErrNotExist) {
				return errors.New("this kernel has no threaded NAPI (Linux 5.12 and later)")
			}
			return err
		}()
	}()
	return <-done
}

// Of the netlink family netdev (Documentation/netlink/specs/netdev.yaml).
const (
	netdevNAPIGet     = 11
	netdevNAPIIfindex = 1
	netdevNAPIPID     = 4
)

// genlHeader is struct genlmsghdr. (nl.Genlmsg sends whatever is behind it as the reserved bytes, which this family
// wants to be 0.)
type genlHeader [nl.SizeofGenlmsg]byte

// Len implements nl.NetlinkRequestData.
func (h genlHeader) Len() int { return len(h) }

// Serialize implements nl.NetlinkRequestData.
func (h genlHeader) Serialize() []byte { return h[:] }

// pollers are the threads that poll the queues of an interface.
func pollers(ifindex int) (pids []int, err error) {
	family, err := netlink.GenlFamilyGet("netdev")
	if err != nil {
		return nil, fmt.Errorf("threads of the queues: this kernel does not say (Linux 6.9 and later): %w", err)
	}
	req := nl.NewNetlinkRequest(int(family.ID), unix.NLM_F_DUMP)
	req.AddData(genlHeader{netdevNAPIGet, byte(family.Version), 0, 0})
	answers, err := dump(req)
	if err != nil {
		return nil, fmt.Errorf("threads of the queues: ask the kernel: %w", err)
	}
	for _, b := range answers {
		attrs, err := nl.ParseRouteAttr(b[nl.SizeofGenlmsg:])
		if err != nil {
			return nil, fmt.Errorf("threads of the queues: %w", err)
		}
		values := map[uint16]int{}
		for _, a := range attrs {
			if len(a.Value) == 4 {
				values[a.Attr.Type] = int(nl.NativeEndian().Uint32(a.Value))
			}
		}
		if pid := values[netdevNAPIPID]; values[netdevNAPIIfindex] == ifindex && pid != 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// dump asks for a list. (Request.Execute takes the first message of this family's answer for all of it: they do not
// say that there are more.)
func dump(req *nl.NetlinkRequest) (out [][]byte, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_GENERIC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, req.Serialize(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	buf := make([]byte, 1<<16)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			switch m.Header.Type {
			case unix.NLMSG_DONE:
				return out, nil
			case unix.NLMSG_ERROR:
				if len(m.Data) < 4 {
					return nil, unix.EPROTO
				}
				return nil, unix.Errno(-int32(nl.NativeEndian().Uint32(m.Data)))
			}
			if len(m.Data) < nl.SizeofGenlmsg {
				return nil, unix.EPROTO
			}
			out = append(out, slices.Clone(m.Data))
		}
	}
}
