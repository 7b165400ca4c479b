package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// A link between two switches that do not run the program is cut: no controller hears of it. They find other ways among themselves,
// and groups and unicast go on.
func TestCutBetweenPlain(t *testing.T) {
	f := network(t, 1)
	c := leafSpine(fabric.ProgramPlain)
	c.Kind, c.K, c.Hosts = fabric.FatTree, 4, 0
	c.ECMP, c.Controller.Hold = fabric.ECMPAddresses, fabric.Second
	group := across(1000)
	group.Interval, group.To = 10*fabric.Microsecond, []string{"h2", "h3", "h5", "h9", "h13"}
	loads := []LoadConfig{group}
	for _, l := range fanOuts(100)[:4] {
		l.Interval, l.QP.Retry, l.To = 100*fabric.Microsecond, 7, []string{"h9", "h12", "h14", "h16"}
		loads = append(loads, l)
	}
	all := build(t, f, c, loads...)
	var carried, lost uint64
	cut, ok := f.Link("agg1-core1")
	require.True(t, ok)
	down := func() uint64 { return cut.Half[0].Count.DropDown + cut.Half[1].Count.DropDown }
	f.At(8*fabric.Millisecond, func() {
		carried = cut.Half[0].Count.Delivered
		f.SetDown(cut, true)
	})
	f.At(10*fabric.Millisecond, func() { lost = down() }) // all plain switches know
	finish(t, f, all...)
	require.NotZero(t, carried, "nothing went by the link")
	require.Equal(t, lost, down(), "somebody still sends to the link")
	for i, l := range all {
		require.NoError(t, l.Result.Err, loads[i].Name)
		require.Equal(t, l.Config.Count, l.Result.Done, loads[i].Name)
		require.Zero(t, l.Result.Unheld)
		require.Greater(t, l.Result.Last, 12*fabric.Millisecond, "it was over before")
	}
	require.NoError(t, f.Check())
}
