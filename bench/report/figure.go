package report

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a drawing of one metric: lines over the axis of the result or, without an
// axis, bars, a group of them per case. Error bars go from the least to the most.
type Figure struct {
	Name   string // of the files
	Title  string
	Metric string
	// Over, if not empty, is the metric of the horizontal axis, which is linear. Each point of the result's axis is then a
	// point of a line.
	Over string
	LogX bool
	LogY bool
}

const (
	width, height = 7 * vg.Inch, 4.5 * vg.Inch
	margin        = 10 // on the right, for half of the last label
)

var (
	colors = []color.Color{
		color.RGBA{0x8a, 0x93, 0xa3, 0xff}, color.RGBA{0x2f, 0x6f, 0xb5, 0xff}, color.RGBA{0xc2, 0x6a, 0x1e, 0xff}, color.RGBA{0x3b, 0x8a, 0x4e, 0xff},
		color.RGBA{0x8e, 0x5b, 0xb0, 0xff}, color.RGBA{0xb5, 0x3a, 0x4a, 0xff},
	}
	dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}}
)

// bars are points with the spread of each.
type bars struct {
	plotter.XYs
	plotter.YErrors
}

func (b *bars) add(x float64, s Spread) {
	b.XYs = append(b.XYs, plotter.XY{X: x, Y: s.Median})
	b.YErrors = append(b.YErrors, struct{ Low, High float64 }{s.Median - s.Min, s.Max - s.Median})
}

// Draw writes figures into a folder, as SVG and PNG, and nothing else of a result.
func (r *Result) Draw(dir string, figures ...Figure) error {
	if err := Folder(dir); err != nil {
		return err
	}
	for _, f := range figures {
		if err := r.draw(dir, f); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// draw writes a figure into a folder, as SVG and PNG.
func (r *Result) draw(dir string, f Figure) error {
	points := r.Points(f.Metric)
	if len(points) == 0 {
		return fmt.Errorf("nothing was measured of %q", f.Metric)
	}
	p := plot.New()
	p.Title.Text = f.Title
	if len(r.Disturbed) > 0 {
		p.Title.Text += " (disturbed run)"
	}
	p.Title.Padding = vg.Points(6)
	p.Y.Label.Text = fmt.Sprintf("%s (%s)", f.Metric, r.unit(f.Metric))
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(3)
	grid := plotter.NewGrid()
	p.Add(grid)
	var cases []string
	index := map[string]int{}
	for _, at := range points {
		if _, ok := index[at.Case]; !ok {
			index[at.Case] = len(cases)
			cases = append(cases, at.Case)
		}
	}
	var err error
	if r.Axis.Name == "" {
		grid.Vertical.Width = 0
		err = r.columns(p, points, cases, index)
	} else {
		name, unit := r.Axis.Name, r.Axis.Unit
		if f.Over != "" {
			name, unit = f.Over, r.unit(f.Over)
		}
		p.X.Label.Text = name
		if unit != "" {
			p.X.Label.Text += " (" + unit + ")"
		}
		err = r.lines(p, points, cases, f.Over)
		switch {
		case f.Over != "":
			p.X.Min = 0
		case f.LogX:
			p.X.Scale, p.X.Tick.Marker = logScale(p.X.Min), ticks(points)
		}
	}
	if err != nil {
		return err
	}
	// The legend's, of the height.
	room := legendRoom(len(r.measured(f.Metric)) * max(1, len(cases)))
	if r.Axis.Name == "" {
		room = legendRoom(len(r.measured(f.Metric)))
	}
	if f.LogY && p.Y.Min > 0 {
		if p.Y.Min == p.Y.Max { // one value: plot would take 1 off
			p.Y.Min /= 2
		}
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
		p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, room/(1-room))
	} else {
		p.Y.Min = 0
		p.Y.Max /= 1 - room
	}
	return save(dir, f.Name, width, height, func(c draw.Canvas) { p.Draw(draw.Crop(c, 0, -margin, 0, 0)) })
}

// legendRoom is the part of a figure's height that a legend takes.
func legendRoom(lines int) float64 { return min(0.6, max(0.23, 0.05*float64(lines)+0.02)) }

// save writes a drawing into a folder, as SVG and PNG.
func save(dir, name string, w, h vg.Length, paint func(draw.Canvas)) error {
	svg, png := vgsvg.New(w, h), vgimg.New(w, h)
	paint(draw.New(svg))
	paint(draw.New(png))
	for ext, c := range map[string]io.WriterTo{".svg": svg, ".png": vgimg.PngCanvas{Canvas: png}} {
		err := create(filepath.Join(dir, name+ext), func(w io.Writer) error {
			_, err := c.WriteTo(w)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ticks marks every point of a logarithmic axis.
func ticks(points []Point) plot.ConstantTicks {
	var out plot.ConstantTicks
	seen := map[float64]bool{}
	for _, p := range points {
		if !seen[p.X] {
			seen[p.X] = true
			out = append(out, plot.Tick{Value: p.X, Label: fmt.Sprint(p.X)})
		}
	}
	return out
}

// decades marks 1, 2 and 5 of every power of ten.
func decades(low, high float64) (out []plot.Tick) {
	for unit := math.Pow(10, math.Floor(math.Log10(low))); unit <= high; unit *= 10 {
		for _, k := range []float64{1, 2, 5} {
			if v := k * unit; v >= low && v <= high {
				out = append(out, plot.Tick{Value: v, Label: fmt.Sprintf("%g", v)})
			}
		}
	}
	return out
}

// columns draws a group of bars per case.
func (r *Result) columns(p *plot.Plot, points []Point, cases []string, index map[string]int) error {
	systems := r.measured(points[0].Metric)
	wide := min(36, 400/float64(len(systems)*len(cases)))
	for i, system := range systems {
		off := (float64(i) - float64(len(systems)-1)/2) * wide
		heights := make(plotter.Values, len(cases))
		var b bars
		for _, at := range points {
			if s := r.Of(at, system); s.N > 0 {
				heights[index[at.Case]] = s.Median
				b.add(float64(index[at.Case]), s)
			}
		}
		chart, err := plotter.NewBarChart(heights, vg.Points(wide))
		if err != nil {
			return err
		}
		chart.Color, chart.Offset, chart.LineStyle.Width = colors[i%len(colors)], vg.Points(off), 0
		p.Add(chart)
		p.Legend.Add(system, chart)
		if len(b.XYs) > 0 {
			e, err := plotter.NewYErrorBars(&b)
			if err != nil {
				return err
			}
			p.Add(shifted{e, vg.Points(off)})
		}
	}
	p.NominalX(cases...)
	p.X.Min, p.X.Max = -0.5, float64(len(cases))-0.5
	return nil
}

// shifted draws something beside its place, as bars are.
type shifted struct {
	*plotter.YErrorBars
	by vg.Length
}

// Plot implements plot.Plotter.
func (s shifted) Plot(c draw.Canvas, p *plot.Plot) {
	c.Min.X += s.by
	c.Max.X += s.by
	s.YErrorBars.Plot(c, p)
}

// lines draws a line per system and case, over the axis or, if over is not empty, over another metric.
func (r *Result) lines(p *plot.Plot, points []Point, cases []string, over string) error {
	for i, system := range r.Systems {
		for k, name := range cases {
			var b bars
			for _, at := range points {
				if s := r.Of(at, system); at.Case == name && s.N > 0 && !math.IsNaN(s.Median) {
					x := at.X
					if over != "" {
						x = r.Of(Point{over, at.Case, at.X}, system).Median
					}
					b.add(x, s)
				}
			}
			if len(b.XYs) == 0 {
				continue
			}
			l, dots, err := plotter.NewLinePoints(b.XYs)
			if err != nil {
				return err
			}
			e, err := plotter.NewYErrorBars(&b)
			if err != nil {
				return err
			}
			c := colors[i%len(colors)]
			l.Color, l.Width, l.Dashes = c, vg.Points(1.5), dashes[(k+i/len(colors))%len(dashes)]
			dots.Color, dots.Shape = c, draw.CircleGlyph{}
			e.Color = c
			p.Add(l, dots, e)
			label := system
			if len(cases) > 1 {
				label += ", " + name
			}
			p.Legend.Add(label, l, dots)
		}
	}
	return nil
}

// logScale is a logarithmic scale; from 0 on, it is that of 1 + x, which has a place for 0.
func logScale(least float64) plot.Normalizer {
	if least > 0 {
		return plot.LogScale{}
	}
	return fromZero{}
}

type fromZero struct{}

// Normalize implements plot.Normalizer.
func (fromZero) Normalize(low, high, x float64) float64 {
	return (math.Log1p(x) - math.Log1p(low)) / (math.Log1p(high) - math.Log1p(low))
}
