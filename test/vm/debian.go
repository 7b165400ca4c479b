package vm

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cavaliergopher/cpio"
)

const (
	// suite is the release that packages are tried on, and that the guests' kernel is from.
	suite = "bookworm"
	// agentUnit starts guestd.
	agentUnit = `[Unit]
Description=runs the commands of a test
After=basic.target
[Service]
ExecStart=/guestd service
StandardError=tty
`
)

// debianPackages are in a system that packages are tried on, besides those that every system has.
var debianPackages = []string{"systemd-sysv", "apt", "iproute2", "ethtool", "redis-tools", "passwd"}

// Debian makes an image of a whole Debian system, with systemd as its first process, and of the kernel of another image. files
// are more files, as in Extend. The system is made once, and is in dir then.
func Debian(ctx context.Context, base *Image, dir, to string, files map[string]string, progress io.Writer) (*Image, error) {
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		return nil, &NeedsError{What: "mmdebstrap is missing", Install: "mmdebstrap"}
	}
	root, err := debianRoot(ctx, dir, progress)
	if err != nil {
		return nil, err
	}
	a := newArchive()
	if err := a.tar(root); err != nil {
		return nil, fmt.Errorf("guest image: %s: %w", root, err)
	}
	if err := a.kernelOf(base); err != nil {
		return nil, fmt.Errorf("guest image: %s: %w", base.Initrd, err)
	}
	for guest, host := range files {
		st, err := os.Stat(host)
		if err != nil {
			return nil, fmt.Errorf("guest image: %w", err)
		}
		if err := a.addFile(strings.TrimPrefix(guest, "/"), host, st.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	a.entries["etc/systemd/system/guestd.service"] = entry{0o644, []byte(agentUnit)}
	a.symlink("etc/systemd/system/multi-user.target.wants/guestd.service", "../guestd.service")
	a.symlink("etc/systemd/system/serial-getty@ttyS0.service", "/dev/null") // it waits for udev
	a.symlink("etc/systemd/system/default.target", "/usr/lib/systemd/system/multi-user.target")
	f, err := os.Create(to)
	if err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	if err := errors.Join(a.writeTo(f), f.Close()); err != nil {
		return nil, fmt.Errorf("guest image: %w", err)
	}
	im := *base
	im.Initrd, im.First = to, "/usr/lib/systemd/systemd"
	return &im, nil
}

// debianRoot is a tar archive of the system, which is made when there is none.
func debianRoot(ctx context.Context, dir string, progress io.Writer) (string, error) {
	key := sha256.Sum256([]byte(fmt.Sprint(format, suite, debianPackages)))
	root := filepath.Join(dir, fmt.Sprintf("debian-%x.tar", key[:8]))
	if _, err := os.Stat(root); err == nil {
		return root, nil
	}
	tmp := fmt.Sprintf("%s.%d.tar", root, os.Getpid())
	defer os.Remove(tmp)
	fmt.Fprintf(progress, "guest image: make a Debian system (%s)\n", suite)
	args := []string{"--variant=essential", "--quiet", "--include=" + strings.Join(debianPackages, ",")}
	for _, what := range []string{"doc", "man", "locale", "zoneinfo"} {
		args = append(args, "--dpkgopt=path-exclude=/usr/share/"+what+"/*")
	}
	cmd := exec.CommandContext(ctx, "mmdebstrap", append(args, suite, tmp)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &NeedsError{What: "a Debian system cannot be made", Err: fmt.Errorf("mmdebstrap: %w: %s", err, bytes.TrimSpace(out))}
	}
	return root, os.Rename(tmp, root)
}

// tar adds the files and symbolic links of an archive. dpkg in the guest installs all files of a package.
func (a *archive) tar(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		at := strings.Trim(strings.TrimPrefix(h.Name, "./"), "/")
		switch h.Typeflag {
		case tar.TypeReg:
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			a.entries[at] = entry{fs.FileMode(h.Mode).Perm(), data}
		case tar.TypeLink:
			a.entries[at] = a.entries[strings.TrimPrefix(h.Linkname, "./")]
		case tar.TypeSymlink:
			a.symlink(at, h.Linkname)
		case tar.TypeDir:
			if at != "" {
				a.entries[at] = entry{fs.ModeDir | fs.FileMode(h.Mode).Perm(), nil}
			}
		}
	}
	delete(a.entries, "etc/dpkg/dpkg.cfg.d/99mmdebstrap")
	return nil
}

// kernelOf adds the kernel modules of another image, and its agent.
func (a *archive) kernelOf(base *Image) error {
	f, err := os.Open(base.Initrd)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := cpio.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := h.Name
		switch {
		case !h.Mode.IsRegular():
			continue
		case name == "init":
			name = "guestd"
		case strings.HasPrefix(name, "lib/modules/"):
			name = "usr/" + name // lib is a link
		case name != "etc/modules":
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if name == "etc/modules" {
			// rxe takes the port of RoCEv2 in the namespace of the first process.
			lines := slices.DeleteFunc(strings.Split(string(data), "\n"), func(l string) bool { return strings.Contains(l, "rdma_rxe") })
			data = []byte(strings.Join(lines, "\n"))
		}
		a.entries[name] = entry{fs.FileMode(h.Mode).Perm(), data}
	}
}
