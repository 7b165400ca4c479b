// Package ownnet runs tests in a network namespace of their own, so that they may use any port of this machine,
// whoever has it elsewhere: RoCEv2's is always the same one.
package ownnet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/vishvananda/netlink"
)

// inside is set for the process that runs the tests.
const inside = "P4CE_OWN_NETWORK"

// Enter comes first in such a package's TestMain: it runs the tests in another process, and ends this one with its exit
// status. In that process it returns, as it does without root: then the tests run where they are.
func Enter() {
	if os.Geteuid() != 0 {
		return
	}
	if os.Getenv(inside) == "" {
		os.Exit(again())
	}
	err := errors.Join(os.Unsetenv(inside), loopback())
	if err != nil {
		fmt.Fprintln(os.Stderr, "ownnet:", err)
		os.Exit(1)
	}
}

// again runs this program in a namespace of its own, and returns its exit status.
func again() int {
	runtime.LockOSThread() // the other process ends with this thread
	c := exec.Command("/proc/self/exe", os.Args[1:]...)
	c.Args[0] = os.Args[0]
	c.Env = append(os.Environ(), inside+"=1")
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "ownnet:", err)
	return 1
}

func loopback() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return netlink.LinkSetUp(lo)
}
