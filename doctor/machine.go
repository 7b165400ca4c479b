package doctor

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Machine is what all roles want to know about a machine.
type Machine struct {
	Release string `json:"release"` // of the kernel, as uname prints it
	CPUs    int    `json:"cpus"`
	// In bytes.
	MemTotal     uint64 `json:"memory_total"`
	MemAvailable uint64 `json:"memory_available"`
	Memlock      uint64 `json:"memlock"` // limit of locked memory; Unlimited
	HugePages    uint64 `json:"huge_pages"`
	// Caps are the effective capabilities of this process, by number.
	Caps uint64 `json:"caps"`
}

// Unlimited as a limit means none.
const Unlimited = math.MaxUint64

// ReadMachine asks the kernel.
func ReadMachine() (Machine, error) {
	m := Machine{CPUs: runtime.NumCPU()}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return m, fmt.Errorf("kernel release: %w", err)
	}
	m.Release = unix.ByteSliceToString(u.Release[:])
	mem, err := fields("/proc/meminfo")
	if err != nil {
		return m, err
	}
	m.MemTotal, m.MemAvailable = kilobytes(mem["MemTotal"]), kilobytes(mem["MemAvailable"])
	m.HugePages = number(mem["HugePages_Total"], 10) * kilobytes(mem["Hugepagesize"])
	status, err := fields("/proc/self/status")
	if err != nil {
		return m, err
	}
	m.Caps = number(status["CapEff"], 16)
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l); err != nil {
		return m, fmt.Errorf("limit of locked memory: %w", err)
	}
	m.Memlock = l.Max
	return m, nil
}

// fields reads a file of "Name: value" lines.
func fields(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseFields(data), nil
}

func parseFields(data []byte) map[string]string {
	m := map[string]string{}
	s := bufio.NewScanner(bytes.NewReader(data))
	for s.Scan() {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok {
			m[name] = strings.TrimSpace(value)
		}
	}
	return m
}

func kilobytes(s string) uint64 { return number(strings.TrimSuffix(s, " kB"), 10) << 10 }

// number returns 0 for what is none.
func number(s string, base int) uint64 {
	n, _ := strconv.ParseUint(s, base, 64)
	return n
}

// Has reports whether the process has a capability, such as unix.CAP_NET_ADMIN.
func (m *Machine) Has(capability int) bool { return m.Caps>>capability&1 == 1 }

// errRelease is returned for what is no kernel release.
var errRelease = errors.New("no kernel release")

// AtLeast reports whether the kernel is of a version or newer.
func (m *Machine) AtLeast(major, minor int) (bool, error) {
	a, b, err := parseRelease(m.Release)
	return a > major || a == major && b >= minor, err
}

// parseRelease reads the first two numbers of "6.1.0-18-amd64".
func parseRelease(s string) (major, minor int, err error) {
	a, rest, ok := strings.Cut(s, ".")
	if i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		rest = rest[:i]
	}
	major, e1 := strconv.Atoi(a)
	minor, e2 := strconv.Atoi(rest)
	if !ok || e1 != nil || e2 != nil {
		return 0, 0, fmt.Errorf("%q: %w", s, errRelease)
	}
	return major, minor, nil
}

// Bytes prints a size for people.
func Bytes(n uint64) string {
	switch {
	case n == Unlimited:
		return "unlimited"
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
