package cli

import (
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/units"
)

// ecn reads the flags about marks.
func (r *controller) ecn() error {
	ecn := &r.cfg.ECN
	if ecn.Share < 1 || ecn.Share > 100 {
		return cli.Usagef("--ecn-share %d: want 1 to 100 [percent of the link's rate: a port that may send more never marks]", ecn.Share)
	}
	if r.ecnQueue != "" {
		n, err := units.Size(r.ecnQueue)
		if err != nil {
			return cli.Usagef("--ecn-queue: %v", err)
		}
		if n < 1 || n > 1<<30 {
			return cli.Usagef("--ecn-queue %s: want 1 byte to 1 GiB", r.ecnQueue)
		}
		ecn.Queue = int(n)
	}
	for _, text := range r.ecnRates {
		where, rate, one := strings.Cut(text, "=")
		if !one {
			where, rate = "", text
		}
		n, err := units.Rate(rate)
		if err != nil {
			return cli.Usagef("--ecn-rate %s: %v", text, err)
		}
		if n == 0 || n > 8e12 {
			return cli.Usagef("--ecn-rate %s: want a rate up to 8Tb/s", text)
		}
		switch {
		case !one:
			ecn.Rate = n
		case strings.Contains(where, ":"):
			at, err := topology.ParsePlace(where)
			if err != nil {
				return cli.Usagef("--ecn-rate %s: %v", text, err)
			}
			if r.cfg.LinkRates[at.Switch] == nil {
				if r.cfg.LinkRates == nil {
					r.cfg.LinkRates = map[string]map[uint16]uint64{}
				}
				r.cfg.LinkRates[at.Switch] = map[uint16]uint64{}
			}
			r.cfg.LinkRates[at.Switch][at.Port] = n
		default:
			port, err := strconv.ParseUint(where, 10, 16)
			if err != nil || port > topology.MaxPort {
				return cli.Usagef("--ecn-rate %s: port %q is not a number from 0 to %d", text, where, topology.MaxPort)
			}
			if ecn.Ports == nil {
				ecn.Ports = map[uint16]uint64{}
			}
			ecn.Ports[uint16(port)] = n
		}
	}
	return nil
}
