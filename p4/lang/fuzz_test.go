package lang_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/p4ce/p4ce/p4/lang"
)

// FuzzCompile looks for input that makes the compiler panic, hang, or give a
// program that its own bundle does not give back.
func FuzzCompile(f *testing.F) {
	for _, glob := range []string{"testdata/errors/*.p4", "testdata/ir/*.p4", "../p4info/testdata/*.p4"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	includes := fstest.MapFS{}
	for _, name := range []string{"prelude.p4", "finish.p4", "self.p4"} {
		b, err := os.ReadFile("testdata/errors/include/" + name)
		if err != nil {
			f.Fatal(err)
		}
		includes[name] = &fstest.MapFile{Data: b}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		start := time.Now()
		p, l := lang.Compile(lang.Options{Path: "fuzz.p4", Source: src, FS: includes})
		if d := time.Since(start); d > 10*time.Second {
			t.Fatalf("compiling took %v", d)
		}
		if (p == nil) != l.HasErrors() {
			t.Fatalf("program %v, errors %v", p != nil, l.HasErrors())
		}
		_ = l.String()
		if p == nil {
			return
		}
		q, l := lang.Compile(lang.Options{Path: "fuzz.p4", Source: []byte(p.Source)})
		if q == nil {
			t.Fatalf("the bundle does not compile:\n%s\n%s", l.String(), p.Source)
		}
	})
}
