package ctrl

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// app is an application of a program that this binary has, and does nothing.
type app struct{ session.Base }

func (app) Name() string                { return "l2" }
func (app) Bind(*session.Session) error { return nil }
func (app) Sync(context.Context, *p4rtclient.Client) (func() error, error) {
	return func() error { return nil }, nil
}

// unknown is one of a program that it does not have.
type unknown struct{ app }

func (unknown) Name() string { return "none" }

func TestBadConfig(t *testing.T) {
	at := p4rtclient.Options{Address: "127.0.0.1:1"}
	for _, tt := range []struct {
		switches []SwitchConfig
		want     string
	}{
		{nil, "controller: no switch"},
		{[]SwitchConfig{{App: app{}}}, "switch 0: no address"},
		{[]SwitchConfig{{P4RT: at, App: app{}}, {P4RT: at, App: app{}}}, "switch 127.0.0.1:1: given twice"},
		{[]SwitchConfig{{P4RT: at}}, "switch 127.0.0.1:1: no application"},
		{[]SwitchConfig{{P4RT: at, App: unknown{}}}, "no p4info of program none is part of this binary"},
	} {
		require.ErrorContains(t, Run(context.Background(), Config{Switches: tt.switches}), tt.want)
	}
}
