// Command guestd is the first and only process of a test guest: it mounts what
// Linux needs, loads the kernel modules of the image, and runs commands that the
// test sends over a virtio serial port (package proto). It is built without cgo.
// In a guest with a service manager, guestd service is a service that mounts nothing.
// When the port is closed for good, or anything fails that the guest cannot do
// without, it says so on the console and switches the guest off.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/test/vm/agent"
	"github.com/p4ce/p4ce/test/vm/proto"
)

// modules lists the modules to load, one path per line, each after those that it
// needs.
const modules = "/etc/modules"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "service" {
		service()
		return
	}
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "guestd: is the first process of a test guest, and of no use elsewhere")
		os.Exit(2)
	}
	err := run()
	fmt.Fprintln(os.Stderr, "guestd:", err)
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

func run() error {
	for _, m := range []struct{ fstype, dir, opts string }{
		{"proc", "/proc", ""}, {"sysfs", "/sys", ""}, {"devtmpfs", "/dev", ""}, {"tmpfs", "/tmp", ""}, {"tmpfs", "/dev/shm", ""},
	} {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.fstype, m.dir, m.fstype, 0, m.opts); err != nil {
			return fmt.Errorf("mount %s: %w", m.dir, err)
		}
	}
	for name, value := range map[string]string{
		"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "TERM": "dumb", "LANG": "C",
	} {
		os.Setenv(name, value)
	}
	return serve()
}

// service is guestd below a service manager.
func service() {
	fmt.Fprintln(os.Stderr, "guestd:", serve())
	os.Exit(1)
}

func serve() error {
	if err := loadModules(); err != nil {
		return err
	}
	port, err := openPort()
	if err != nil {
		return err
	}
	return agent.Serve(port)
}

func loadModules() error {
	list, err := os.ReadFile(modules)
	if err != nil {
		return err
	}
	for _, path := range strings.Fields(string(list)) {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		options := ""
		if filepath.Base(path) == "bonding.ko" {
			options = "max_bonds=0" // else it makes one
		}
		err = unix.FinitModule(int(f.Fd()), options, 0)
		f.Close()
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load %s: %w", path, err)
		}
	}
	return nil
}

// openPort finds the serial port by its name, waiting for the driver: there is no
// udev that would tell.
func openPort() (*os.File, error) {
	for range 1000 {
		names, err := filepath.Glob("/sys/class/virtio-ports/*/name")
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err == nil && strings.TrimSpace(string(b)) == proto.Port {
				return os.OpenFile("/dev/"+filepath.Base(filepath.Dir(n)), os.O_RDWR, 0)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, errors.New("no virtio serial port named " + proto.Port)
}
