package control

import (
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/l2"
)

// owner is a switch that does what it is told.
type owner struct{}

func (owner) Now() time.Duration                                          { return 0 }
func (owner) Submit(_ []*p4.Update, _ func(error))                        {}
func (owner) PacketOut(*p4.PacketOut) error                               { return nil }
func (owner) Registers(_ []string, done func(map[string][]uint64, error)) { done(nil, nil) }
func (owner) Cells([]p4rtclient.Cell, func([][]uint64, error))            {}

func (owner) Post(func()) {}

// TestPortIsFull: one port's addresses have their bound, and other ports theirs; places come back with age,
// and when an address moves.
func TestPortIsFull(t *testing.T) {
	app, err := New(Config{PerPort: 3})
	require.NoError(t, err)
	conf, err := pipeline.Load(Program)
	require.NoError(t, err)
	_, err = session.NewOwned("s", conf.GetP4Info(), nil, owner{}, app)
	require.NoError(t, err)
	at := func(n byte) mac { return mac{2, 0, 0, 0, 0, n} }
	for n := range byte(100) {
		app.seen(at(n), 7)
	}
	require.Len(t, app.at, 3)
	require.Equal(t, uint64(97), app.stats.portFull)
	app.seen(at(200), 8)
	require.Equal(t, uint16(8), app.at[at(200)], "another port")
	app.seen(at(200), 7)
	require.Equal(t, uint16(8), app.at[at(200)], "nor does what is known move there")
	app.seen(at(0), 8)
	require.Equal(t, uint16(8), app.at[at(0)])
	app.seen(at(50), 7)
	require.Equal(t, uint16(7), app.at[at(50)], "one has left")
	m := at(1)
	app.Idle([]p4rtclient.Entry{{Table: names.TableSource, Match: []p4rtclient.Field{{Name: names.TableSourceKeyHdrEthernetSrc, Value: m[:]}}}})
	app.seen(at(51), 7)
	require.Equal(t, uint16(7), app.at[at(51)], "one is too old")
	require.Equal(t, map[uint16]int{7: 3, 8: 2}, app.of)

	_, err = New(Config{PerPort: -1})
	require.ErrorContains(t, err, "at least one")
}
