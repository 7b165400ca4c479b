package pipeline

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/bench/report"
)

// maxMemory is what a full switch may take: eBPF maps and the process.
const maxMemory = 256 << 20

// memory fills a switch with groups of 4 replicas and reports what it takes.
func memory(r *report.Result) error {
	target, err := newTarget(true)
	if err != nil {
		return err
	}
	defer target.Close()
	for _, g := range groupsFrom(maxGroups, 4) {
		if err := apply(target, g); err != nil {
			return fmt.Errorf("group %d: %w", g.Index, err)
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
	part := float64(maps+rss) / maxMemory
	r.Verdicts = append(r.Verdicts, report.Verdict{What: fmt.Sprintf("memory of %d groups of 4 replicas, %d MiB of eBPF maps and %d MiB resident in the process, of %d MiB",
		maxGroups, maps>>20, rss>>20, maxMemory>>20), Got: part, Wanted: 1, AtMost: true, Reached: part <= 1})
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
