package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds one of p4ce's programs into a folder and returns its path. flags are flags of go build.
// Programs that run one another belong into one folder.
func Build(dir, program string, flags ...string) (string, error) {
	binary := filepath.Join(dir, program)
	args := append([]string{"build", "-o", binary}, flags...)
	if out, err := exec.Command("go", append(args, "github.com/p4ce/p4ce/cmd/"+program)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return binary, nil
}

// Main runs the tests of a package, m, with a program that is built once for all of them, and returns their exit
// status. The program's path is in *path while they run. Nothing is built without root: tests that run programs
// need it for their network namespaces.
func Main(m interface{ Run() int }, program string, path *string) int {
	if os.Geteuid() != 0 {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", program+"-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if *path, err = Build(dir, program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
