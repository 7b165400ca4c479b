package launch

import (
	"fmt"
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
