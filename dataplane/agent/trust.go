package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/link/files"
)

// trust says which eBPF objects may be loaded: those that are part of this binary, and those in the
// list, as sha256:HEX or as files. What is loaded runs in the kernel, and whoever may load a program
// is not thereby one who may run there what he likes.
type trust map[[sha256.Size]byte]bool

func newTrust(list []string) (trust, error) {
	t := trust{}
	own, err := bpf.Objects()
	if err != nil {
		return nil, err
	}
	for _, o := range own {
		t[sha256.Sum256(o)] = true
	}
	for _, s := range list {
		digest, ok := strings.CutPrefix(s, "sha256:")
		if !ok {
			o, err := files.Read(s, files.Binary)
			if err != nil {
				return nil, fmt.Errorf("trust: %w", err)
			}
			t[sha256.Sum256(o)] = true
			continue
		}
		b, err := hex.DecodeString(digest)
		if err != nil || len(b) != sha256.Size {
			return nil, fmt.Errorf("trust: %q: want sha256: and 64 hexadecimal digits", s)
		}
		t[[sha256.Size]byte(b)] = true
	}
	return t, nil
}

// check refuses an object that is not trusted.
func (t trust) check(object []byte) error {
	d := sha256.Sum256(object)
	if t[d] {
		return nil
	}
	return fmt.Errorf("%w: the eBPF object is not one that this switch trusts (to load it: p4ce switch --trust sha256:%x)", fs.ErrPermission, d)
}
