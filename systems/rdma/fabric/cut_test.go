package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// A link between a switch that runs the program and one that does not is cut, or mended: nobody sends probes over it, but the switch
// says that its port does not work. Groups and unicast get other ways, whichever end of a tree it is at, and get them back.
func TestCutToPlain(t *testing.T) {
	for _, cut := range []string{"leaf1", "leaf2", "leaf4"} { // the home's, and those of receivers
		t.Run(cut, func(t *testing.T) {
			f := network(t, 1)
			c := leafSpine(fabric.ProgramPlain)
			c.ECMP, c.Controller.Hold = fabric.ECMPAddresses, fabric.Second
			group := across(4000)
			group.Interval = 5 * fabric.Microsecond
			loads := []LoadConfig{group}
			for i, l := range fanOuts(1000) {
				if l.Interval, l.QP.Retry = 20*fabric.Microsecond, 7; i%2 == 0 {
					loads = append(loads, l)
				}
			}
			all := build(t, f, c, loads...)
			links := map[string]*fabric.Link{}
			for _, spine := range []string{"spine1", "spine2"} {
				links[spine], _ = f.Link(cut + "-" + spine)
			}
			var carried uint64
			down := links["spine1"]
			f.At(10*fabric.Millisecond, func() {
				carried = down.Half[0].Count.Delivered
				f.SetDown(down, true)
			})
			f.At(12*fabric.Millisecond, func() { // all know
				require.NotZero(t, carried, "nothing went by the link")
				carried = down.Half[0].Count.DropDown + down.Half[1].Count.DropDown
			})
			f.At(18*fabric.Millisecond, func() {
				require.Equal(t, carried, down.Half[0].Count.DropDown+down.Half[1].Count.DropDown, "somebody still sends to the link")
				carried = down.Half[0].Count.Delivered
				f.SetDown(down, false)
			})
			f.At(22*fabric.Millisecond, func() {
				require.Greater(t, down.Half[0].Count.Delivered, carried, "nothing goes by the link again")
			})
			finish(t, f, all...)
			for i, l := range all {
				require.NoError(t, l.Result.Err, loads[i].Name)
				require.Equal(t, l.Config.Count, l.Result.Done, loads[i].Name)
				require.Zero(t, l.Result.Unheld)
			}
			require.Greater(t, all[0].Result.Last, 22*fabric.Millisecond, "it was over before")
			require.NoError(t, f.Check())
		})
	}
}

// A link that is cut before controllers begin is known to be, too; where switches say nothing of their ports, nobody knows.
func TestCutAtTheBeginning(t *testing.T) {
	for _, silent := range []bool{false, true} {
		f := network(t, 1)
		c := leafSpine(fabric.ProgramPlain)
		c.ECMP, c.Controller.Silent = fabric.ECMPAddresses, silent
		require.NoError(t, f.Build(c))
		cut, _ := f.Link("leaf1-spine1")
		f.SetDown(cut, true)
		require.NoError(t, f.Start())
		l := fanOuts(20)[0]
		l.QP.Retry = 2
		x, err := f.NewLoad(0, l)
		require.NoError(t, err)
		finish(t, f, x)
		require.Equal(t, silent, x.Result.Err != nil, "silent %v: %v", silent, x.Result.Err)
	}
}
