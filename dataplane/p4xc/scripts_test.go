package p4xc

import (
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"p4xc": func() { cli.Main(Command()) },
	})
}

func TestScripts(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", wd+"/../..")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "clang":
				_, err := exec.LookPath(build.Clang)
				return err == nil, nil
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, nil
		},
	})
}
