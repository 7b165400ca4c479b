// Package control is the controller's application for p4/tally/tally.p4, a switch that counts
// requests by their keys: it says where the hosts are, and reads what was counted.
//
//	hosts of the command line --> entries of hosts
//	GET counts <----------------- register requests
package control

import (
	"context"
	"errors"
	"net/http"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/tally"
)

// Program is the name of the program that this application is for.
const Program = "tally"

// Host is where a host is.
type Host struct {
	MAC  [6]byte
	Port uint16
}

// App is the application of one switch. It is a session.App.
type App struct {
	session.Base
	sw    *session.Session
	hosts []Host
}

// New makes the application of one switch.
func New(hosts []Host) (*App, error) {
	if len(hosts) == 0 {
		return nil, errors.New("no hosts: the switch would drop every frame")
	}
	return &App{hosts: hosts}, nil
}

// Name implements session.App.
func (*App) Name() string { return Program }

// Bind implements session.App: the pipeline must have what the application writes.
func (a *App) Bind(s *session.Session) error {
	a.sw = s
	_, err := s.Info().Updates(nil, p4.Update_INSERT, a.entries()...)
	return err
}

func (a *App) entries() (all []p4rtclient.Entry) {
	for _, h := range a.hosts {
		all = append(all, p4rtclient.Entry{
			Table: names.TableHosts, Match: []p4rtclient.Field{{Name: names.TableHostsKeyDst, Value: h.MAC[:]}},
			Action: names.ActionForward, Args: []p4rtclient.Field{{Name: names.ActionForwardParamPort, Value: p4rtclient.Uint(uint64(h.Port))}},
		})
	}
	return all
}

// Sync implements session.App: it replaces what the switch holds. The counts stay.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	held, err := c.ReadTable(ctx, a.sw.Info(), names.TableHosts)
	return func() error { return a.adopt(held) }, err
}

// Begin is for a switch that holds nothing: sim/fabric calls it in place of Sync.
func (a *App) Begin() error { return a.adopt(nil) }

func (a *App) adopt(held []p4rtclient.Entry) error {
	old, err := a.sw.Info().Updates(nil, p4.Update_DELETE, held...)
	if err != nil {
		return err
	}
	u, err := a.sw.Info().Updates(old, p4.Update_INSERT, a.entries()...)
	a.sw.Write("hosts", u, err, codes.NotFound)
	return err
}

// Count is how many requests of a key a switch has forwarded.
type Count struct {
	Switch string `json:"switch"`
	Key    int    `json:"key"`
	Count  uint64 `json:"count"`
}

// Admin implements session.App: the counts that are not 0 are at counts.
func (a *App) Admin(ctx context.Context, method, path string, _ []byte) (any, error) {
	if method != http.MethodGet || path != "counts" {
		return nil, session.ErrNoSuchPath
	}
	cells, err := a.sw.Client().ReadRegister(ctx, a.sw.Info(), names.RegisterRequests, -1)
	out := []Count{}
	for key, cell := range cells {
		out = append(out, Count{a.sw.Name(), key, cell[0]})
	}
	return slices.DeleteFunc(out, func(c Count) bool { return c.Count == 0 }), err
}
