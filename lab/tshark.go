package lab

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// ErrNoTshark says that tshark is not installed.
var ErrNoTshark = errors.New("tshark is not installed: its opinion was not asked")

// Dissectors of tshark that take any short payload of RDMA for a protocol of
// theirs, and then find it malformed: a payload that begins with 0x8847, say, for
// an MPLS frame.
var (
	guesses    = []string{"rpcordma", "smb_direct", "nvme-rdma", "lnet", "iser", "smc", "infiniband_sdp", "fcoib", "infiniband.eoib"}
	heuristics = []string{"eth_over_ib"}
)

// everyPort makes UDP a carrier of RoCE only. tshark goes by the lower of two ports,
// and the source port of a packet that the switch has rewritten may be any.
const everyPort = "udp.port==1-65535,infiniband"

// Dissect asks tshark about a capture whose UDP packets are all RoCE. It returns
// how many RoCE packets it found, and an error that lists those that it holds for
// malformed.
func Dissect(file string) (roce int, err error) {
	if _, err := exec.LookPath("tshark"); err != nil {
		return 0, ErrNoTshark
	}
	args := []string{"-d", everyPort}
	for _, g := range guesses {
		args = append(args, "--disable-protocol", g)
	}
	for _, h := range heuristics {
		args = append(args, "--disable-heuristic", h)
	}
	ask := func(filter string) (string, error) {
		out, err := exec.Command("tshark", append(args, "-r", file, "-Y", filter)...).Output()
		if err != nil {
			return "", fmt.Errorf("tshark: %s: %w", file, err)
		}
		return string(out), nil
	}
	bad, err := ask("_ws.malformed || _ws.expert.severity == error")
	if err == nil && bad != "" {
		err = fmt.Errorf("tshark: %s: malformed packets:\n%s", file, bad)
	}
	if err != nil {
		return 0, err
	}
	all, err := ask("infiniband")
	return strings.Count(all, "\n"), err
}
