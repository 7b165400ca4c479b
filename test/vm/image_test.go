package vm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cavaliergopher/cpio"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

const stanzas = `Package: perftest
Version: 4.5+0.17-1
Architecture: amd64
Depends: libc6 (>= 2.34), libibverbs1 (>= 32) | other, librdmacm1 (>= 16), adduser
Description-en: something
 with a second line: Version: 9

Package: libibverbs1
Version: 1:44.0-2
Architecture: amd64
Pre-Depends: libc6 (>= 2.34)
Depends: libvirtual

Package: libibverbs1
Version: 1:43.0-1
Architecture: amd64
`

func TestParsePackages(t *testing.T) {
	all, err := parsePackages(strings.NewReader(stanzas))
	require.NoError(t, err)
	require.Equal(t, map[string]debPackage{
		"perftest":    {"perftest", "4.5+0.17-1", "amd64", []string{"libc6", "libibverbs1", "librdmacm1", "adduser"}},
		"libibverbs1": {"libibverbs1", "1:44.0-2", "amd64", []string{"libc6", "libvirtual"}},
	}, all)
	require.Equal(t, "libibverbs1_1%3a44.0-2_amd64.deb", all["libibverbs1"].file())
}

// archiveOf is an archive of packages: what each depends on.
type archiveOf map[string][]string

func (w archiveOf) show(names []string) (map[string]debPackage, error) {
	got := map[string]debPackage{}
	for _, n := range names {
		if d, ok := w[n]; ok {
			got[n] = debPackage{Name: n, Version: "1", Arch: "amd64", Depends: d}
		}
	}
	return got, nil
}

func TestPackageSet(t *testing.T) {
	w := archiveOf{
		kernelPackage: {"linux-image-6.1.0-1-amd64"}, "linux-image-6.1.0-1-amd64": {"libkmod", "initramfs-tools"},
		"perftest": {"libc6", "adduser"}, "rdmacm-utils": {"librdmacm1"}, "librdmacm1": {"libc6", "libvirtual"}, "libc6": {"libgcc-s1"},
		"libgcc-s1": {"libc6"}, "ibverbs-utils": nil, "ibverbs-providers": nil, "iproute2": {"debconf"}, "ethtool": nil, "dash": nil, "busybox-static": nil,
		"adduser": nil, "debconf": nil, "libkmod": nil, "initramfs-tools": nil,
	}
	set, err := packageSet(w.show)
	require.NoError(t, err)
	var names []string
	for _, p := range set {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{
		"busybox-static", "dash", "ethtool", "ibverbs-providers", "ibverbs-utils", "iproute2", "libc6", "libgcc-s1", "librdmacm1",
		"linux-image-6.1.0-1-amd64", "perftest", "rdmacm-utils",
	}, names)
	delete(w, "perftest")
	_, err = packageSet(w.show)
	require.EqualError(t, err, "package perftest does not exist")
}

func TestLoadOrder(t *testing.T) {
	deps := map[string][]string{"rdma_rxe": {"ib-core", "udp_tunnel"}, "ib_core": {"net"}, "udp_tunnel": {"net"}, "net": nil}
	depends := func(name string) ([]string, error) {
		d, ok := deps[name]
		if !ok {
			return nil, errors.New("no module " + name)
		}
		return d, nil
	}
	order, err := loadOrder([]string{"udp_tunnel", "rdma_rxe"}, depends)
	require.NoError(t, err)
	require.Equal(t, []string{"net", "udp_tunnel", "ib_core", "rdma_rxe"}, order)
	deps["net"] = []string{"rdma_rxe"}
	_, err = loadOrder([]string{"udp_tunnel"}, depends)
	require.ErrorContains(t, err, "depends on itself")
	_, err = loadOrder([]string{"gone"}, depends)
	require.EqualError(t, err, "no module gone")
	require.Equal(t, []string{"a", "b"}, parseDepends([]byte("license=GPL\x00depends=a,b\x00name=x\x00")))
	require.Empty(t, parseDepends([]byte("depends=\x00name=x\x00")))
}

// bzImage makes a kernel image around a compressed payload.
func bzImage(payload []byte) []byte {
	b := make([]byte, 3*512, 3*512+len(payload)+100)
	b[0x1f1] = 1
	copy(b[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(b[0x206:], 0x20f)
	binary.LittleEndian.PutUint32(b[0x248:], 512)
	binary.LittleEndian.PutUint32(b[0x24c:], uint32(len(payload)))
	return append(append(b, payload...), make([]byte, 100)...)
}

func TestVmlinux(t *testing.T) {
	kernel := append([]byte("\x7fELF"), bytes.Repeat([]byte("kernel"), 1000)...)
	for _, c := range []struct {
		tool    string
		trailer string
	}{{"xz", "size"}, {"gzip", ""}, {"zstd", "size"}} {
		t.Run(c.tool, func(t *testing.T) {
			needs.Tool(t, c.tool, map[string]string{"xz": "xz-utils"}[c.tool])
			cmd := exec.Command(c.tool, "-c")
			cmd.Stdin = bytes.NewReader(kernel)
			packed, err := cmd.Output()
			require.NoError(t, err)
			got, err := vmlinux(context.Background(), bzImage(append(packed, c.trailer...)))
			require.NoError(t, err)
			require.Equal(t, kernel, got)
		})
	}
	for name, c := range map[string]struct {
		image []byte
		err   string
	}{
		"no kernel":    {[]byte("#!/bin/sh"), "no bzImage"},
		"old":          {func() []byte { b := bzImage(nil); b[0x206] = 0; return b }(), "too old"},
		"cut":          {bzImage(make([]byte, 1000))[:2000], "of 2000 bytes"},
		"unknown":      {bzImage([]byte("BZh91AY")), "unknown compression 42 5a 68"},
		"not a stream": {bzImage([]byte("\x1f\x8bnot gzip at all")), "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := vmlinux(context.Background(), c.image)
			require.ErrorContains(t, err, c.err)
		})
	}
}

// TestArchive: files, folders and links come out as they went in, and twice the
// same.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755))
	a := newArchive()
	require.NoError(t, a.addFile("usr/bin/tool", tool, 0o755))
	a.entries["usr/bin/busybox"] = entry{mode: 0o755}
	a.entries["bin/dash"] = entry{mode: 0o755}
	require.NoError(t, a.shell())
	var b, again bytes.Buffer
	require.NoError(t, a.writeTo(&b))
	require.NoError(t, a.writeTo(&again))
	require.Equal(t, b.Bytes(), again.Bytes())
	got := map[string]string{}
	for r := cpio.NewReader(&b); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		if h.Mode&cpio.TypeSymlink == cpio.TypeSymlink {
			data = []byte(h.Linkname)
		}
		got[h.Name] = string(data)
	}
	require.Equal(t, "#!/bin/sh\n", got["usr/bin/tool"])
	require.Equal(t, "/bin/dash", got["bin/sh"])
	require.Equal(t, "/usr/bin/busybox", got["usr/bin/cat"])
	require.Contains(t, got, "usr")
	require.NotContains(t, got, "usr/bin/sh", "busybox's shell is not in the way")

	delete(a.entries, "usr/bin/busybox")
	require.ErrorContains(t, a.shell(), "busybox is in none of the packages")
	require.Error(t, a.addFile("x", filepath.Join(dir, "gone"), 0o644))
}

func TestExtend(t *testing.T) {
	dir := t.TempDir()
	base, tool, to := filepath.Join(dir, "base"), filepath.Join(dir, "tool"), filepath.Join(dir, "more")
	a := newArchive()
	a.entries["init"] = entry{mode: 0o755, data: []byte("init")}
	var first bytes.Buffer
	require.NoError(t, a.writeTo(&first))
	require.NoError(t, os.WriteFile(base, first.Bytes(), 0o644))
	require.NoError(t, os.WriteFile(tool, []byte("tool"), 0o755))
	im := &Image{Kernel: "vmlinux", Initrd: base}
	more, err := im.Extend(to, map[string]string{"/usr/bin/tool": tool})
	require.NoError(t, err)
	require.Equal(t, &Image{Kernel: "vmlinux", Initrd: to}, more)
	require.Equal(t, base, im.Initrd, "the image itself is as it was")
	got, err := os.ReadFile(to)
	require.NoError(t, err)
	second, ok := bytes.CutPrefix(got, first.Bytes())
	require.True(t, ok, "one archive after the other")
	var names []string
	for r := cpio.NewReader(bytes.NewReader(second)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		names = append(names, h.Name)
	}
	require.Equal(t, []string{"usr", "usr/bin", "usr/bin/tool"}, names)
	_, err = im.Extend(to, map[string]string{"/x": filepath.Join(dir, "gone")})
	require.ErrorContains(t, err, "gone")
	_, err = (&Image{Initrd: filepath.Join(dir, "nothing")}).Extend(to, nil)
	require.ErrorContains(t, err, "nothing")
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(context.Background(), t.TempDir(), io.Discard)
	var needs *NeedsError
	require.ErrorAs(t, err, &needs)
	require.EqualError(t, err, "guests: apt-get is missing [apt-get install apt]")
	t.Setenv("P4CE_VM_CACHE", "/somewhere/else")
	dir, err := CacheDir()
	require.NoError(t, err)
	require.Equal(t, "/somewhere/else", dir)
}
