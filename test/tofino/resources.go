package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// stages are those of a Tofino 1, which ingress and egress share.
const stages = 12

// Row is what a program needs of a chip. Where ingress and egress share a resource, it is that of both.
type Row struct {
	Program  string
	Source   string // digest of the preprocessed program
	Compiler string // its version
	Ingress  int
	Egress   int
	Use      []int // by the order of resources
}

// resource is one kind of thing that a chip has in each of its stages.
type resource struct {
	name  string
	title string
	each  int // in a stage; 0: in the whole chip there are all
	all   int
	count func(*stage) int
}

// stage is what a stage's part of the compiler's resources.json says; of each list only the length matters.
type stage struct {
	Tables   struct{ Ids []json.RawMessage }      `json:"logical_tables"`
	Gateways struct{ Gateways []json.RawMessage } `json:"gateways"`
	RAMs     struct{ SRAMs []json.RawMessage }    `json:"rams"`
	MapRAMs  struct{ MapRAMs []json.RawMessage }  `json:"map_rams"`
	TCAMs    struct{ TCAMs []json.RawMessage }    `json:"tcams"`
	Meters   struct{ Meters []json.RawMessage }   `json:"meter_alus"`
	Stats    struct{ Stats []json.RawMessage }    `json:"statistic_alus"`
	VLIW     struct {
		Instructions []json.RawMessage
	} `json:"vliw"`
	Hash struct{ Bits []json.RawMessage }  `json:"hash_bits"`
	Dist struct{ Units []json.RawMessage } `json:"hash_distribution_units"`
	Xbar struct {
		Bytes []struct {
			Type string `json:"byte_type"`
		}
	} `json:"xbar_bytes"`
}

func (s *stage) xbar(kind string) (n int) {
	for _, b := range s.Xbar.Bytes {
		if b.Type == kind {
			n++
		}
	}
	return n
}

// resources are the columns: per stage, the numbers are those of the chip (Tofino 1, as p4lang/p4c describes it).
var resources = []resource{
	{"tables", "logical tables", 16, 0, func(s *stage) int { return len(s.Tables.Ids) }},
	{"gateways", "gateways", 16, 0, func(s *stage) int { return len(s.Gateways.Gateways) }},
	{"srams", "SRAM blocks", 80, 0, func(s *stage) int { return len(s.RAMs.SRAMs) }},
	{"map_rams", "map RAM blocks", 48, 0, func(s *stage) int { return len(s.MapRAMs.MapRAMs) }},
	{"tcams", "TCAM blocks", 24, 0, func(s *stage) int { return len(s.TCAMs.TCAMs) }},
	{"stateful_alus", "stateful and meter ALUs", 4, 0, func(s *stage) int { return len(s.Meters.Meters) }},
	{"statistics_alus", "statistics ALUs", 4, 0, func(s *stage) int { return len(s.Stats.Stats) }},
	{"vliw", "VLIW instructions", 32, 0, func(s *stage) int { return len(s.VLIW.Instructions) }},
	{"hash_bits", "hash bits", 8 * 52, 0, func(s *stage) int { return len(s.Hash.Bits) }},
	{"hash_units", "hash distribution units", 6, 0, func(s *stage) int { return len(s.Dist.Units) }},
	{"exact_bytes", "exact match crossbar, bytes", 128, 0, func(s *stage) int { return s.xbar("exact") }},
	{"ternary_bytes", "ternary match crossbar, bytes", 66, 0, func(s *stage) int { return s.xbar("ternary") }},
	{"phv_bits", "header containers (PHV), bits", 0, 4096, nil},
	{"tagalong_bits", "tagalong containers (T-PHV), bits", 0, 2048, nil},
}

func (r *resource) total() int {
	if r.each == 0 {
		return r.all
	}
	return stages * r.each
}

// read reads what the compiler has written of a pipe.
func read(pipe string) (Row, error) {
	var res struct {
		Compiler  string `json:"compiler_version"`
		Resources struct {
			MAU struct {
				Stages []stage `json:"mau_stages"`
			} `json:"mau"`
		}
	}
	if err := decode(filepath.Join(pipe, "logs", "resources.json"), &res); err != nil {
		return Row{}, err
	}
	var phv struct {
		Containers []struct {
			Width int    `json:"bit_width"`
			Type  string `json:"container_type"`
		}
	}
	if err := decode(filepath.Join(pipe, "logs", "phv.json"), &phv); err != nil {
		return Row{}, err
	}
	row := Row{Compiler: res.Compiler, Use: make([]int, len(resources))}
	for i := range res.Resources.MAU.Stages {
		for k, r := range resources {
			if r.count != nil {
				row.Use[k] += r.count(&res.Resources.MAU.Stages[i])
			}
		}
	}
	for _, c := range phv.Containers {
		switch c.Type {
		case "normal":
			row.Use[len(resources)-2] += c.Width
		case "tagalong":
			row.Use[len(resources)-1] += c.Width
		}
	}
	if len(res.Resources.MAU.Stages) == 0 || len(phv.Containers) == 0 {
		return Row{}, fmt.Errorf("%s/logs: no stages, or no containers", pipe)
	}
	return row, row.readStages(pipe)
}

func decode(file string, to any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, to); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

var stageLine = regexp.MustCompile(`^stage (\d+) (ingress|egress):`)

// readStages reads from the assembly how many stages each gress has.
func (r *Row) readStages(pipe string) error {
	files, err := filepath.Glob(filepath.Join(pipe, "*.bfa"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("%s: %d assembly files, want 1", pipe, len(files))
	}
	f, err := os.Open(files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		m := stageLine.FindStringSubmatch(in.Text())
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return err
		}
		if m[2] == "ingress" {
			r.Ingress = max(r.Ingress, n+1)
		} else {
			r.Egress = max(r.Egress, n+1)
		}
	}
	if in.Err() == nil && r.Ingress == 0 {
		return fmt.Errorf("%s: no stage of the ingress", files[0])
	}
	return in.Err()
}
