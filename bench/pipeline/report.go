package main

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bounds that the project holds itself to.
const (
	maxOverPlain = 4.0 // P4 ingress to plain redirect
	maxOverHand  = 1.3 // P4 to the same logic by hand
)

// report prints the table and writes the CSV and the plot.
func report(dir string, cases []*measurement) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	byName := map[string]*measurement{}
	for _, m := range cases {
		byName[m.name] = m
	}
	plain := byName["plain redirect"].median()

	f, err := os.Create(filepath.Join(dir, "pipeline.csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "case\tns/packet\tx plain\tx by hand\t")
	header := []string{"case", "ns_per_packet", "x_plain", "x_hand"}
	if err := w.Write(header); err != nil {
		return err
	}
	var over []string
	for _, m := range cases {
		ns := m.median()
		overPlain, overHand := "", ""
		if m.kind == "ingress" {
			overPlain = fmt.Sprintf("%.2f", ns/plain)
			if strings.HasSuffix(m.name, ", P4") && ns/plain > maxOverPlain {
				over = append(over, fmt.Sprintf("%s costs %.2f x the plain redirect (bound %.1f)", m.name, ns/plain, maxOverPlain))
			}
		}
		if name, ok := strings.CutSuffix(m.name, ", P4"); ok {
			r := ns / byName[name+", by hand"].median()
			overHand = fmt.Sprintf("%.2f", r)
			if r > maxOverHand {
				over = append(over, fmt.Sprintf("%s costs %.2f x the hand-written pipeline (bound %.1f)", m.name, r, maxOverHand))
			}
		}
		fmt.Fprintf(tab, "%s\t%.1f\t%s\t%s\t\n", m.name, ns, overPlain, overHand)
		if err := w.Write([]string{m.name, fmt.Sprintf("%.2f", ns), overPlain, overHand}); err != nil {
			return err
		}
	}
	tab.Flush()
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	if err := draw(filepath.Join(dir, "pipeline"), cases, byName); err != nil {
		return err
	}
	fmt.Printf("\nmedians of %d rounds, one CPU, BPF_PROG_TEST_RUN; %s/pipeline.csv, %s/pipeline.svg and .png\n", len(cases[0].ns), dir, dir)
	for _, s := range over {
		fmt.Println("over the bound:", s)
	}
	return nil
}

// draw makes a bar chart: by hand beside P4, with the plain redirect as a line.
func draw(file string, cases []*measurement, byName map[string]*measurement) error {
	p := plot.New()
	p.Title.Text = "Cost of a packet: p4/rdma/rdma.p4 beside the same logic by hand"
	p.Y.Label.Text = "ns per packet (lower is better)"
	p.Y.Min = 0
	var names []string
	var hand, p4 plotter.Values
	for _, m := range cases {
		if name, ok := strings.CutSuffix(m.name, ", P4"); ok {
			names = append(names, name)
			p4 = append(p4, m.median())
			hand = append(hand, byName[name+", by hand"].median())
		}
	}
	const width = 28
	a, err := plotter.NewBarChart(hand, vg.Points(width))
	if err != nil {
		return err
	}
	b, err := plotter.NewBarChart(p4, vg.Points(width))
	if err != nil {
		return err
	}
	a.Color, a.Offset, a.LineStyle.Width = color.RGBA{0xb0, 0xb7, 0xc3, 0xff}, -vg.Points(width/2), 0
	b.Color, b.Offset, b.LineStyle.Width = color.RGBA{0x2f, 0x6f, 0xb5, 0xff}, vg.Points(width/2), 0
	plain := plotter.NewFunction(func(float64) float64 { return byName["plain redirect"].median() })
	plain.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	p.Add(grid, a, b, plain)
	p.Legend.Add("C by hand", a)
	p.Legend.Add("P4, generated", b)
	p.Legend.Add("plain redirect", plain)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(3)
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.Y.Max *= 1.4
	p.Title.Padding = vg.Points(6)
	for _, kind := range []string{".svg", ".png"} {
		if err := p.Save(8*vg.Inch, 4.5*vg.Inch, file+kind); err != nil {
			return err
		}
	}
	return nil
}
