package vm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// NeedsError says what has to be installed before guests can run here.
type NeedsError struct {
	What    string // what is missing
	Install string // the Debian packages that bring it, "" when it is not a package
	Err     error  // may be nil
}

func (e *NeedsError) Error() string {
	s := "guests: " + e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Install != "" {
		s += " [apt-get install " + e.Install + "]"
	}
	return s
}

func (e *NeedsError) Unwrap() error { return e.Err }

// kernelPackage depends on the newest kernel.
const kernelPackage = "linux-image-amd64"

// toolPackages are what is put into the guest, besides the libraries that they
// depend on.
var toolPackages = []string{
	"perftest", "rdmacm-utils", "ibverbs-utils", "ibverbs-providers", "iproute2", "ethtool", "dash", "busybox-static",
}

// debPackage is a package that can be downloaded.
type debPackage struct {
	Name, Version, Arch string
	Depends             []string // the first alternative of each
}

// file is the name that apt-get download gives it.
func (p debPackage) file() string {
	return p.Name + "_" + strings.ReplaceAll(p.Version, ":", "%3a") + "_" + p.Arch + ".deb"
}

// parsePackages reads what apt-cache show prints: stanzas of "Field: value". Of a
// package that is shown in several versions, the first counts.
func parsePackages(r io.Reader) (map[string]debPackage, error) {
	all := map[string]debPackage{}
	var p debPackage
	flush := func() {
		if _, seen := all[p.Name]; !seen && p.Name != "" {
			all[p.Name] = p
		}
		p = debPackage{}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if s.Text() == "" {
			flush()
			continue
		}
		field, value, _ := strings.Cut(s.Text(), ": ")
		switch field {
		case "Package":
			p.Name = value
		case "Version":
			p.Version = value
		case "Architecture":
			p.Arch = value
		case "Depends", "Pre-Depends":
			for d := range strings.SplitSeq(value, ",") {
				// "name:any (>= 1) | other": the name of the first.
				name := strings.FieldsFunc(d, func(r rune) bool { return strings.ContainsRune(" :(|", r) })
				if len(name) > 0 {
					p.Depends = append(p.Depends, name[0])
				}
			}
		}
	}
	flush()
	return all, s.Err()
}

// isLibrary tells the dependencies that programs are linked with from those that
// set a system up.
func isLibrary(name string) bool { return strings.HasPrefix(name, "lib") || name == "zlib1g" }

// packageSet finds the kernel package and the tools with their libraries, sorted
// by name. show looks packages up.
func packageSet(show func(names []string) (map[string]debPackage, error)) ([]debPackage, error) {
	found := map[string]debPackage{}
	want := append([]string{kernelPackage}, toolPackages...)
	for len(want) > 0 {
		got, err := show(want)
		if err != nil {
			return nil, err
		}
		var next []string
		for _, name := range want {
			p, ok := got[name]
			if !ok {
				if slices.Contains(toolPackages, name) || name == kernelPackage {
					return nil, fmt.Errorf("package %s does not exist", name)
				}
				continue // virtual: what it stands for has another name
			}
			if strings.HasPrefix(name, "linux-image-") && name != kernelPackage {
				p.Depends = nil // what installs it on a machine
			}
			found[name] = p
			for _, d := range p.Depends {
				if _, known := found[d]; known || slices.Contains(next, d) {
					continue
				}
				if isLibrary(d) || name == kernelPackage && strings.HasPrefix(d, "linux-image-") {
					next = append(next, d)
				}
			}
		}
		want = next
	}
	delete(found, kernelPackage) // holds nothing itself
	set := make([]debPackage, 0, len(found))
	for _, p := range found {
		set = append(set, p)
	}
	slices.SortFunc(set, func(a, b debPackage) int { return strings.Compare(a.Name, b.Name) })
	return set, nil
}

// aptShow asks apt, which answers from the lists that apt-get update fetched.
func aptShow(ctx context.Context) func([]string) (map[string]debPackage, error) {
	return func(names []string) (map[string]debPackage, error) {
		cmd := exec.CommandContext(ctx, "apt-cache", append([]string{"show", "--no-all-versions"}, names...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		// It fails when any of the names is unknown, and shows the others.
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return nil, err
		}
		all, err := parsePackages(bytes.NewReader(out))
		if err == nil && len(all) == 0 {
			return nil, &NeedsError{What: "apt knows no package " + names[0] + " [apt-get update]", Err: errors.New(strings.TrimSpace(stderr.String()))}
		}
		return all, err
	}
}

// download fetches the packages that dir does not hold yet.
func download(ctx context.Context, dir string, set []debPackage, progress io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var names []string
	for _, p := range set {
		if _, err := os.Stat(filepath.Join(dir, p.file())); err != nil {
			names = append(names, p.Name+"="+p.Version)
		}
	}
	if len(names) == 0 {
		return nil
	}
	fmt.Fprintf(progress, "guest image: download %d packages\n", len(names))
	// Into a folder of its own, so that a download cut short leaves no half files.
	tmp, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"download", "-q"}, names...)...)
	cmd.Dir = tmp
	if out, err := cmd.CombinedOutput(); err != nil {
		return &NeedsError{What: fmt.Sprintf("apt-get download failed [no network, or old lists: apt-get update]: %s", bytes.TrimSpace(out)), Err: err}
	}
	for _, p := range set {
		err := os.Rename(filepath.Join(tmp, p.file()), filepath.Join(dir, p.file()))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for _, p := range set {
		if _, err := os.Stat(filepath.Join(dir, p.file())); err != nil {
			return fmt.Errorf("guest image: package %s was not downloaded: %w", p.Name, err)
		}
	}
	return nil
}

// unpack puts the files of the packages into dir.
func unpack(ctx context.Context, debs string, set []debPackage, dir string) error {
	for _, p := range set {
		out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", filepath.Join(debs, p.file()), dir).CombinedOutput()
		if err != nil {
			return fmt.Errorf("guest image: unpack %s: %w: %s", p.Name, err, bytes.TrimSpace(out))
		}
	}
	return nil
}
