package nic

import (
	"net"
	"os"
	"path/filepath"
	"runtime"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Far is the other end of a veth, which may be in another network namespace.
type Far struct {
	Name       string `json:"name"`
	MTU        int    `json:"mtu"`
	TXQueues   int    `json:"tx_queues"`
	VLANInsert bool   `json:"vlan_insert"` // it leaves the tags of VLANs to whoever receives its packets
}

// readFar looks at the other end of a veth. nil: it is in a network namespace that has no name and
// no process that this one may look at.
func readFar(a *netlink.LinkAttrs) (far *Far) {
	in := func() {
		ifi, err := net.InterfaceByIndex(a.ParentIndex)
		if err != nil {
			return
		}
		e, err := ethtool.NewEthtool()
		if err != nil {
			return
		}
		defer e.Close()
		f, err := e.Features(ifi.Name)
		if err != nil {
			return
		}
		far = &Far{Name: ifi.Name, MTU: ifi.MTU, VLANInsert: f["tx-vlan-hw-insert"] || f["tx-vlan-stag-hw-insert"]}
		if c, err := e.GetChannels(ifi.Name); err == nil {
			far.TXQueues = int(c.TxCount + c.CombinedCount)
		}
	}
	if a.NetNsID < 0 {
		in()
		return far
	}
	ns := findNamespace(a.NetNsID)
	if ns == nil {
		return nil
	}
	defer ns.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The goroutine ends locked, and so does the thread, which has left its namespace.
		runtime.LockOSThread()
		if unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET) == nil {
			in()
		}
	}()
	<-done
	return far
}

// findNamespace opens the network namespace that has a number in that of the caller's thread.
func findNamespace(id int) *os.File {
	seen := map[uint64]bool{}
	for _, pattern := range []string{"/run/netns/*", "/proc/[0-9]*/ns/net"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			f, err := os.Open(path)
			if err != nil {
				continue
			}
			var st unix.Stat_t
			if unix.Fstat(int(f.Fd()), &st) == nil && !seen[st.Ino] {
				seen[st.Ino] = true
				if n, err := netlink.GetNetNsIdByFd(int(f.Fd())); err == nil && n == id {
					return f
				}
			}
			f.Close()
		}
	}
	return nil
}
