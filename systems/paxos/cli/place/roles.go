package place

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/control"
	"github.com/p4ce/p4ce/systems/paxos/lab/roles"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// Roles reads the place of a host whose roles are programs (package roles).
func Roles(file string) (*Host, error) {
	text, err := cli.Settings(file)
	if err != nil {
		return nil, fmt.Errorf("--roles: %w", err)
	}
	var r roles.Place
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, cli.Usage(fmt.Errorf("--roles %s: %w", file, err))
	}
	if r.Host == 0 || !r.Listen.IsValid() || !r.Leader.IsValid() || !r.Learner.IsValid() || len(r.Acceptors) == 0 {
		return nil, cli.Usagef("--roles %s: listen, host, leader, learner and acceptors are needed", file)
	}
	return &Host{Place: &control.Place{Replica: true, Number: r.Host, Config: paxos.Config{
		Listen: r.Listen, Host: uint32(r.Host), Leader: r.Leader, Acceptors: r.Acceptors, Learners: []netip.AddrPort{r.Learner}, Controller: r.Controller,
	}}}, nil
}

// Socket opens the socket of a host of Roles. The log closes it.
func (h *Host) Socket() (paxos.Wire, error) { return udp.Listen(h.Config.Listen, paxos.MaxMessage+1) }
