package control

import (
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/ctrl/topology"
)

// The file of a Fabric, as JSON (docs/multicast.md).
type (
	fabricFileSwitch struct {
		Name      string `json:"name"`
		P4Runtime string `json:"p4runtime"`
		DeviceID  uint64 `json:"device_id"`
		Address   string `json:"address"`
		MAC       string `json:"mac"`
		Level     *int   `json:"level"`
		Plain     bool   `json:"plain"`
		// PIPE=PORTS
		Pipes []string `json:"pipes"`
	}
	fabricFile struct {
		Switches []fabricFileSwitch `json:"switches"`
		Links    [][]string         `json:"links"`
		Hosts    []struct {
			Name    string `json:"name"`
			At      string `json:"at"`
			Address string `json:"address"`
			MAC     string `json:"mac"`
		} `json:"hosts"`
		Hold string `json:"hold"`
	}
)

// ParseFabric reads a fabric from JSON. Errors name the thing that they are about.
func ParseFabric(text []byte) (*Fabric, error) {
	var f fabricFile
	if err := topology.Decode(text, &f); err != nil {
		return nil, err
	}
	var (
		names, plain []string
		switches     []FabricSwitch
		at           []topology.Host
		servers      []FabricHost
	)
	levels := map[string]int{}
	for _, s := range f.Switches {
		what := "switch " + s.Name
		sw := FabricSwitch{Name: s.Name, P4Runtime: s.P4Runtime, DeviceID: s.DeviceID}
		var err error
		if sw.MAC, err = topology.ParseMAC(s.MAC, what); err != nil {
			return nil, err
		}
		if s.Address != "" {
			if sw.Addr, err = topology.ParseIP(s.Address, what); err != nil {
				return nil, err
			}
		}
		if sw.Pipes, err = topology.ParsePipes(s.Pipes); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		if s.Plain {
			plain = append(plain, s.Name)
		}
		if s.Level != nil {
			levels[s.Name] = *s.Level
		}
		names, switches = append(names, s.Name), append(switches, sw)
	}
	for _, h := range f.Hosts {
		what := "host " + h.Name
		place, err := topology.ParsePlace(h.At)
		if err != nil {
			return nil, fmt.Errorf("%s: at: %w", what, err)
		}
		server := FabricHost{Name: h.Name}
		if server.MAC, err = topology.ParseMAC(h.MAC, what); err != nil {
			return nil, err
		}
		if server.Addr, err = topology.ParseIP(h.Address, what); err != nil {
			return nil, err
		}
		at, servers = append(at, topology.Host{Name: h.Name, At: place}), append(servers, server)
	}
	links, err := topology.ParseLinks(f.Links)
	if err != nil {
		return nil, err
	}
	net, err := topology.New(names, links, at)
	if err != nil {
		return nil, err
	}
	if len(levels) > 0 {
		if err := net.SetLevels(levels); err != nil {
			return nil, err
		}
	}
	if err := net.SetPlain(plain...); err != nil {
		return nil, err
	}
	out, err := NewFabric(net, switches, servers)
	if err != nil {
		return nil, err
	}
	if f.Hold != "" {
		if out.Hold, err = time.ParseDuration(f.Hold); err != nil || out.Hold < 5*time.Millisecond {
			return nil, fmt.Errorf("hold %q: want a duration of at least 5ms", f.Hold)
		}
		out.Probe = out.Hold / 5
	}
	if len(plain) == len(names) {
		return nil, errors.New("all switches are plain: none can form groups")
	}
	return out, nil
}
