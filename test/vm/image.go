package vm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cavaliergopher/cpio"
	"golang.org/x/sys/unix"
)

// format changes when images are made differently from the same packages.
const format = "7"

// moduleRoots are the kernel modules that guests load, besides those that these
// need. crc32_generic is what rxe computes the ICRC with, which no dependency
// says.
var moduleRoots = []string{
	"virtio_pci", "virtio_net", "virtio_console", "crc32_generic", "rdma_rxe", "rdma_ucm", "ib_uverbs", "sch_netem", "veth", "e1000", "bonding",
}

// toolDirs are where packages have their programs.
var toolDirs = []string{"usr/sbin", "usr/bin", "sbin", "bin"}

// libraryDirs are where packages have their libraries, and where the guest's
// dynamic linker looks.
var libraryDirs = []string{"lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib64"}

// applets are what busybox is called in the guest, besides busybox. Its shell is
// not among them: that one prefers its own ip and tc to the real ones.
var applets = []string{"basename", "cat", "chmod", "cmp", "cut", "dd", "dmesg", "grep", "kill", "ls", "mkdir", "ping", "poweroff", "readlink", "rm", "seq", "sleep", "uname"}

// dataFiles are what programs and libraries load by themselves: libibverbs its
// provider, and libc what ends threads.
var dataFiles = []string{
	"etc/libibverbs.d/rxe.driver", "usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so", "lib/x86_64-linux-gnu/libgcc_s.so.1",
}

// Image is what guests are booted from. The files belong to the cache and are
// not changed once they are there.
type Image struct {
	Kernel   string // file: the uncompressed kernel
	Initrd   string // file: the initial RAM disk, an uncompressed cpio archive
	Packages []string
	Release  string // of the kernel
	First    string // the first process; default guestd
}

// CacheDir is where images are kept: $P4CE_VM_CACHE, or p4ce/vm in the user's
// cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("P4CE_VM_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("guest image: no cache folder [set P4CE_VM_CACHE]: %w", err)
	}
	return filepath.Join(dir, "p4ce", "vm"), nil
}

// Programs that Build and Boot run, and the packages that they are in.
var programs = [][2]string{
	{"apt-get", "apt"}, {"apt-cache", "apt"}, {"dpkg-deb", "dpkg"}, {"go", "golang"}, {qemu, "qemu-system-x86"},
}

// check returns a NeedsError when a program is not installed.
func check() error {
	for _, p := range programs {
		if _, err := exec.LookPath(p[0]); err != nil {
			return &NeedsError{What: p[0] + " is missing", Install: p[1]}
		}
	}
	return nil
}

// Build returns the image for the newest packages that apt knows, and makes it
// first when dir does not hold it. progress gets a line for each step that takes
// time. Images of other versions are left alone.
func Build(ctx context.Context, dir string, progress io.Writer) (*Image, error) {
	if err := check(); err != nil {
		return nil, err
	}
	set, err := packageSet(aptShow(ctx))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	defer os.RemoveAll(tmp)
	agent := filepath.Join(tmp, "guestd")
	if err := buildStatic(ctx, "github.com/p4ce/p4ce/test/vm/guestd", agent); err != nil {
		return nil, err
	}
	key, err := imageKey(set, agent)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "image-"+key)
	im := &Image{Kernel: filepath.Join(home, "vmlinux"), Initrd: filepath.Join(home, "initrd.cpio")}
	for _, p := range set {
		im.Packages = append(im.Packages, p.Name+" "+p.Version)
		if r, ok := strings.CutPrefix(p.Name, "linux-image-"); ok {
			im.Release = r
		}
	}
	if _, err := os.Stat(home); err == nil {
		return im, nil
	}
	debs := filepath.Join(dir, "debs")
	if err := download(ctx, debs, set, progress); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "guest image: unpack %d packages, kernel %s\n", len(set), im.Release)
	tree := filepath.Join(tmp, "tree")
	if err := unpack(ctx, debs, set, tree); err != nil {
		return nil, err
	}
	out := filepath.Join(tmp, "image")
	if err := os.Mkdir(out, 0o755); err != nil {
		return nil, err
	}
	if err := im.make(ctx, tree, agent, out); err != nil {
		return nil, err
	}
	// Another process may have been faster; its image is the same.
	if err := os.Rename(out, home); err != nil && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	fmt.Fprintf(progress, "guest image: ready in %s\n", home)
	return im, nil
}

// buildStatic builds a program of this module without cgo.
func buildStatic(ctx context.Context, pkg, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("guest image: build %s [run it inside the module]: %w: %s", pkg, err, bytes.TrimSpace(out))
	}
	return nil
}

func imageKey(set []debPackage, agent string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, format, moduleRoots)
	for _, p := range set {
		fmt.Fprintln(h, p.file())
	}
	f, err := os.Open(agent)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// make writes the image's files into out, from unpacked packages.
func (im *Image) make(ctx context.Context, tree, agent, out string) error {
	bz, err := os.ReadFile(filepath.Join(tree, "boot", "vmlinuz-"+im.Release))
	if err != nil {
		return fmt.Errorf("guest image: %w", err)
	}
	kernel, err := vmlinux(ctx, bz)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "vmlinux"), kernel, 0o644); err != nil {
		return err
	}
	a := newArchive()
	if err := a.modules(filepath.Join(tree, "lib", "modules", im.Release), im.Release); err != nil {
		return err
	}
	if err := a.programs(tree); err != nil {
		return err
	}
	if err := a.addFile("init", agent, 0o755); err != nil {
		return err
	}
	if err := a.shell(); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(out, "initrd.cpio"))
	if err != nil {
		return err
	}
	if err := errors.Join(a.writeTo(f), f.Close()); err != nil {
		return fmt.Errorf("guest image: %w", err)
	}
	return nil
}

// Extend writes a copy of the image's RAM disk with more files to a new file, and
// returns the image that uses it. files are host paths by guest paths; they keep
// their mode.
func (im *Image) Extend(to string, files map[string]string) (*Image, error) {
	a := newArchive()
	for _, guest := range slices.Sorted(maps.Keys(files)) {
		st, err := os.Stat(files[guest])
		if err != nil {
			return nil, fmt.Errorf("guest image: %w", err)
		}
		if err := a.addFile(strings.TrimPrefix(guest, "/"), files[guest], st.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	base, err := os.Open(im.Initrd)
	if err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	defer base.Close()
	f, err := os.Create(to)
	if err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	// The kernel takes archives one after the other.
	_, err = io.Copy(f, base)
	if err := errors.Join(err, a.writeTo(f), f.Close()); err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	more := *im
	more.Initrd = to
	return &more, nil
}

// archive collects the files of a RAM disk.
type archive struct {
	entries map[string]entry
}

type entry struct {
	mode fs.FileMode
	data []byte // of a symbolic link: its target
}

func newArchive() *archive { return &archive{entries: map[string]entry{}} }

func (a *archive) addFile(name, from string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("guest image: %w", err)
	}
	a.entries[name] = entry{mode, data}
	return nil
}

func (a *archive) symlink(name, target string) {
	a.entries[name] = entry{fs.ModeSymlink | 0o777, []byte(target)}
}

// writeTo writes a "newc" archive (Documentation/driver-api/early-userspace),
// folders before what is in them. Equal contents give equal bytes.
func (a *archive) writeTo(w io.Writer) error {
	dirs := map[string]bool{}
	perm := map[string]cpio.FileMode{}
	for name, e := range a.entries {
		if e.mode.IsDir() {
			dirs[name], perm[name] = true, cpio.FileMode(e.mode.Perm())
		}
		for d := filepath.Dir(name); d != "." && !dirs[d]; d = filepath.Dir(d) {
			dirs[d] = true
		}
	}
	c := cpio.NewWriter(w)
	for _, d := range slices.Sorted(maps.Keys(dirs)) {
		mode, ok := perm[d]
		if !ok {
			mode = 0o755
		}
		if err := c.WriteHeader(&cpio.Header{Name: d, Mode: cpio.TypeDir | mode, Links: 2}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.entries)) {
		e := a.entries[name]
		if e.mode.IsDir() {
			continue
		}
		h := &cpio.Header{Name: name, Mode: cpio.TypeReg | cpio.FileMode(e.mode.Perm()), Links: 1, Size: int64(len(e.data))}
		if e.mode&fs.ModeSymlink != 0 {
			h.Mode = cpio.TypeSymlink | 0o777
		}
		if err := c.WriteHeader(h); err != nil {
			return err
		}
		if _, err := c.Write(e.data); err != nil {
			return err
		}
	}
	return c.Close()
}

// modules adds the kernel modules and the list that guestd loads them by.
func (a *archive) modules(dir, release string) error {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if name, _, ok := strings.Cut(d.Name(), ".ko"); ok {
				files[moduleName(name)] = path
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("guest image: modules: %w", err)
	}
	order, err := loadOrder(moduleRoots, func(name string) ([]string, error) {
		path := files[name]
		if path == "" {
			return nil, fmt.Errorf("guest image: kernel %s has no module %s", release, name)
		}
		return moduleDepends(path)
	})
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, name := range order {
		rel, err := filepath.Rel(dir, files[name])
		if err != nil {
			return err
		}
		at := filepath.Join("lib/modules", release, rel)
		if err := a.addFile(at, files[name], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(&list, "/"+at)
	}
	a.entries["etc/modules"] = entry{0o644, []byte(list.String())}
	return nil
}

// moduleName is the name that the kernel knows a module by.
func moduleName(s string) string { return strings.ReplaceAll(s, "-", "_") }

// loadOrder lists the modules that roots need, each after those it depends on.
func loadOrder(roots []string, depends func(name string) ([]string, error)) ([]string, error) {
	var order []string
	state := map[string]int{} // 1: its dependencies are being listed, 2: listed
	var visit func(name string) error
	visit = func(name string) error {
		switch state[name] {
		case 1:
			return fmt.Errorf("guest image: module %s depends on itself", name)
		case 2:
			return nil
		}
		state[name] = 1
		ds, err := depends(name)
		if err != nil {
			return err
		}
		for _, d := range ds {
			if err := visit(moduleName(d)); err != nil {
				return err
			}
		}
		state[name] = 2
		order = append(order, name)
		return nil
	}
	for _, r := range roots {
		if err := visit(r); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// moduleDepends reads which modules a module needs.
func moduleDepends(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("guest image: module %s [is it compressed?]: %w", filepath.Base(path), err)
	}
	defer f.Close()
	s := f.Section(".modinfo")
	if s == nil {
		return nil, fmt.Errorf("guest image: module %s has no .modinfo", filepath.Base(path))
	}
	info, err := s.Data()
	if err != nil {
		return nil, err
	}
	return parseDepends(info), nil
}

// parseDepends finds "depends=a,b" among the zero-terminated strings of .modinfo.
func parseDepends(info []byte) []string {
	for s := range bytes.SplitSeq(info, []byte{0}) {
		if list, ok := bytes.CutPrefix(s, []byte("depends=")); ok && len(list) > 0 {
			return strings.Split(string(list), ",")
		}
	}
	return nil
}

// programs adds all programs of the unpacked packages with the libraries that
// they are linked with.
func (a *archive) programs(tree string) error {
	var todo []string // relative to the tree
	for _, dir := range toolDirs {
		list, err := os.ReadDir(filepath.Join(tree, dir))
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, e := range list {
			todo = append(todo, filepath.Join(dir, e.Name()))
		}
	}
	todo = append(todo, dataFiles...)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if _, have := a.entries[name]; have {
			continue
		}
		more, err := a.program(tree, name)
		if err != nil {
			return fmt.Errorf("guest image: %s: %w", name, err)
		}
		todo = append(todo, more...)
	}
	return nil
}

// shell makes dash the shell and gives busybox its other names.
func (a *archive) shell() error {
	find := func(name string) (string, error) {
		for _, dir := range toolDirs {
			at := filepath.Join(dir, name)
			if e, ok := a.entries[at]; ok && e.mode&fs.ModeSymlink == 0 {
				return "/" + at, nil
			}
		}
		return "", fmt.Errorf("guest image: %s is in none of the packages", name)
	}
	dash, err := find("dash")
	if err != nil {
		return err
	}
	busybox, err := find("busybox")
	if err != nil {
		return err
	}
	a.symlink("bin/sh", dash)
	for _, name := range applets {
		if _, err := find(name); err != nil {
			a.symlink("usr/bin/"+name, busybox)
		}
	}
	return nil
}

// program adds one file, and returns what it needs.
func (a *archive) program(tree, name string) ([]string, error) {
	path := filepath.Join(tree, name)
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		a.symlink(name, target)
		if filepath.IsAbs(target) {
			target = strings.TrimPrefix(target, "/")
		} else {
			target = filepath.Join(filepath.Dir(name), target)
		}
		if _, err := os.Lstat(filepath.Join(tree, target)); err != nil {
			delete(a.entries, name) // a link into a package that we did not take
			return nil, nil
		}
		return []string{target}, nil
	}
	if !st.Mode().IsRegular() {
		return nil, nil
	}
	if err := a.addFile(name, path, st.Mode().Perm()); err != nil {
		return nil, err
	}
	f, err := elf.NewFile(bytes.NewReader(a.entries[name].data))
	if err != nil {
		return nil, nil // a script, or data
	}
	libs, err := f.ImportedLibraries()
	if err != nil {
		return nil, err
	}
	if p := f.Section(".interp"); p != nil {
		b, err := p.Data()
		if err != nil {
			return nil, err
		}
		libs = append(libs, filepath.Base(strings.TrimRight(string(b), "\x00")))
	}
	var need []string
	for _, lib := range libs {
		at := ""
		for _, dir := range libraryDirs {
			if _, err := os.Lstat(filepath.Join(tree, dir, lib)); err == nil {
				at = filepath.Join(dir, lib)
				need = append(need, at)
			}
		}
		if at == "" {
			return nil, fmt.Errorf("library %s is in none of the packages", lib)
		}
	}
	return need, nil
}
