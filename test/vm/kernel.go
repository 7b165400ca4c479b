package vm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
)

// payload cuts the compressed kernel out of a bzImage (Linux boot protocol 2.08,
// Documentation/arch/x86/boot.rst).
func payload(image []byte) ([]byte, error) {
	const (
		setupSects    = 0x1f1
		magic         = 0x202 // "HdrS"
		version       = 0x206
		payloadOffset = 0x248
		payloadLength = 0x24c
	)
	if len(image) < payloadLength+4 || string(image[magic:magic+4]) != "HdrS" {
		return nil, errors.New("kernel: no bzImage")
	}
	if v := binary.LittleEndian.Uint16(image[version:]); v < 0x208 {
		return nil, fmt.Errorf("kernel: boot protocol %#x is too old (2.08 or newer)", v)
	}
	sects := int(image[setupSects])
	if sects == 0 {
		sects = 4
	}
	at := (sects+1)*512 + int(binary.LittleEndian.Uint32(image[payloadOffset:]))
	n := int(binary.LittleEndian.Uint32(image[payloadLength:]))
	if n < 4 || at < 0 || at+n > len(image) {
		return nil, fmt.Errorf("kernel: compressed kernel at %d+%d of %d bytes", at, n, len(image))
	}
	return image[at : at+n], nil
}

// decompressor says which program undoes the compression, and whether the kernel
// has added the size, 4 bytes, at the end (gzip has one of its own).
func decompressor(payload []byte) (args []string, trailer int, err error) {
	for _, c := range []struct {
		magic   string
		args    []string
		trailer int
	}{
		{"\xfd7zXZ\x00", []string{"xz", "-dc"}, 4},
		{"\x28\xb5\x2f\xfd", []string{"zstd", "-dc"}, 4},
		{"\x1f\x8b", []string{"gzip", "-dc"}, 0},
	} {
		if bytes.HasPrefix(payload, []byte(c.magic)) {
			return c.args, c.trailer, nil
		}
	}
	return nil, 0, fmt.Errorf("kernel: unknown compression % x (xz, zstd and gzip are known)", payload[:min(6, len(payload))])
}

// vmlinux takes the kernel proper, an ELF file, out of a bzImage. QEMU starts it
// directly (PVH), which spares an emulated machine the decompression.
func vmlinux(ctx context.Context, image []byte) ([]byte, error) {
	data, err := payload(image)
	if err != nil {
		return nil, err
	}
	args, trailer, err := decompressor(data)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		pkg := map[string]string{"xz": "xz-utils"}[args[0]]
		if pkg == "" {
			pkg = args[0]
		}
		return nil, &NeedsError{What: args[0] + " is missing", Install: pkg}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = bytes.NewReader(data[:len(data)-trailer])
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("kernel: %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	if !bytes.HasPrefix(out.Bytes(), []byte("\x7fELF")) {
		return nil, errors.New("kernel: what was compressed is no ELF file")
	}
	return out.Bytes(), nil
}
