package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one of several drawings that stand one below the other, with an axis of the same kind.
type Panel struct {
	Title, X, Y string
	Min, Max    float64 // of the axis
	Curves      []Curve
}

// Curve is a line of a panel.
type Curve struct {
	Name   string
	System int // which of the systems, for its colour
	Points []XY
}

// XY is a point of one.
type XY = plotter.XY

// panelHeight is that of a panel; panelWidth of all.
const (
	panelWidth  = 9 * vg.Inch
	panelHeight = 3 * vg.Inch
)

// DrawPanels writes a figure into a folder, as SVG and PNG.
func DrawPanels(dir, name string, panels []Panel) error {
	var plots []*plot.Plot
	for _, in := range panels {
		p := plot.New()
		p.Title.Text, p.X.Label.Text, p.Y.Label.Text = in.Title, in.X, in.Y
		p.Title.Padding = vg.Points(4)
		p.X.Min, p.X.Max, p.Y.Min = in.Min, in.Max, 0
		p.Add(plotter.NewGrid())
		for _, c := range in.Curves {
			l, err := plotter.NewLine(plotter.XYs(c.Points))
			if err != nil {
				return err
			}
			l.Color, l.Width = colors[c.System%len(colors)], vg.Points(1.5)
			p.Add(l)
			p.Legend.Add(c.Name, l)
		}
		p.Legend.Top, p.Legend.XOffs = true, -vg.Points(10)
		p.Y.Max *= 1.25
		plots = append(plots, p)
	}
	return save(dir, name, panelWidth, panelHeight*vg.Length(len(plots)), func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(12), PadY: vg.Points(10)}
		for i, p := range plots {
			p.Draw(tiles.At(c, 0, i))
		}
	})
}
