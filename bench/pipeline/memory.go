package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/lab/world"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// maxMemory is what a full switch may take: eBPF maps and the process.
const maxMemory = 256 << 20

// memory fills a switch with 4,096 groups of 4 replicas and reports what it
// takes.
func memory() error {
	prog, err := world.Compile()
	if err != nil {
		return err
	}
	object, err := bpf.Object("rdma")
	if err != nil {
		return err
	}
	target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true})
	if err != nil {
		return err
	}
	defer target.Close()
	if err := target.Load(&dataplane.Pipeline{Program: prog, Object: object}); err != nil {
		return err
	}
	const groups, replicas = names.MaxGroups, 4
	for i := range groups {
		host := func(n int) world.Replica {
			return world.Replica{Port: dataplane.Port(n + 1), IP: wire.Addr{10, byte(i >> 8), byte(i), byte(n + 1)}, QPN: uint32(i), AggrQP: uint32(1<<20 + i*names.Slots + n)}
		}
		g := &world.Group{Index: uint16(i), Multicast: names.MulticastGroup(uint16(i)), F: 2, BCastQP: uint32(1<<21 + i), Size: 1 << 20, Leader: host(0), Neutral: true}
		for n := range replicas {
			g.Replicas = append(g.Replicas, host(n+1))
		}
		if err := g.Apply(prog, target); err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
	}
	maps, err := mapMemory()
	if err != nil {
		return err
	}
	rss, err := residentMemory()
	if err != nil {
		return err
	}
	fmt.Printf("\n%d groups of %d replicas: %d MiB of eBPF maps, %d MiB resident in the process (bound %d MiB together)\n",
		groups, replicas, maps>>20, rss>>20, maxMemory>>20)
	if maps+rss > maxMemory {
		fmt.Println("over the bound: memory")
	}
	return nil
}

// mapMemory adds up what the kernel accounts for the process's maps.
func mapMemory() (uint64, error) {
	files, err := filepath.Glob("/proc/self/fdinfo/*")
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{}
	var sum uint64
	for _, f := range files {
		values := map[string]string{}
		data, err := os.ReadFile(f)
		if err != nil {
			continue // closed meanwhile
		}
		for _, line := range strings.Split(string(data), "\n") {
			if k, v, ok := strings.Cut(line, ":"); ok {
				values[k] = strings.TrimSpace(v)
			}
		}
		id, isMap := values["map_id"]
		if !isMap || seen[id] {
			continue
		}
		seen[id] = true
		n, err := strconv.ParseUint(values["memlock"], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: memlock: %w", f, err)
		}
		sum += n
	}
	return sum, nil
}

// residentMemory is VmRSS of the process.
func residentMemory() (uint64, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if v, ok := strings.CutPrefix(s.Text(), "VmRSS:"); ok {
			n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS in /proc/self/status")
}
