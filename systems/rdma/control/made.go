package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// The admin API about groups made beforehand:
//
//	GET made                 all of the switch
//	PUT made                 make one (group.Made, as JSON)
//	DELETE made/NAME         forget one; it must have no senders
//	DELETE made/NAME/force   forget one, and dissolve the groups of its senders
const madePath = "made"

// MadeInfo is a group made beforehand, and the switch that it is on.
type MadeInfo struct {
	Switch string `json:"switch"`
	group.MadeInfo
}

// madeErrors are what problems are in HTTP and gRPC.
var madeErrors = map[group.Problem]struct {
	status int
	code   codes.Code
}{
	group.Invalid: {http.StatusBadRequest, codes.InvalidArgument},
	group.Exists:  {http.StatusConflict, codes.AlreadyExists},
	group.Unknown: {http.StatusNotFound, codes.NotFound},
	group.InUse:   {http.StatusConflict, codes.FailedPrecondition},
}

// restoreMade takes what the store has of made groups.
func (a *App) restoreMade() error {
	list, err := a.conf.Store.LoadMade(a.Session.Name())
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := a.core.Restore(m); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

func (a *App) adminMade(ctx context.Context, method, path string, body []byte) (any, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case method == http.MethodGet && name == "":
		list := []MadeInfo{}
		err := a.Ask(ctx, func() {
			for _, m := range a.core.MadeGroups() {
				list = append(list, MadeInfo{a.Session.Name(), m})
			}
		})
		return list, err
	case method == http.MethodPut && name == "":
		var m group.Made
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(&m); err != nil {
			return nil, &admin.Error{Status: http.StatusBadRequest, Code: codes.InvalidArgument, Text: fmt.Sprintf("the group's description: %v", err)}
		}
		return struct{}{}, a.create(ctx, m)
	case method == http.MethodDelete && name != "" && (rest == "" || rest == "force"):
		return struct{}{}, a.forget(ctx, name, rest != "")
	}
	return nil, session.ErrNoSuchPath
}

// create makes a group; nothing is there unless it is on disk.
func (a *App) create(ctx context.Context, m group.Made) error {
	if err := a.orderMade(ctx, func() error { return a.core.Make(m, a.conf.IPs) }); err != nil {
		return err
	}
	err := a.keeper.ask(ctx, func() error { return a.conf.Store.SaveMade(a.Session.Name(), m) }, func(err error) {
		if err == nil { // too late: it was refused
			_ = a.conf.Store.ForgetMade(a.Session.Name(), m.Name)
		}
	})
	if err != nil {
		a.Post(func() { _ = a.core.Unmake(a.Now(), m.Name, true) }) // nobody has been told of it
	}
	return err
}

// forget takes a made group from the disk first: one that could not be is still there.
func (a *App) forget(ctx context.Context, name string, force bool) error {
	if err := a.orderMade(ctx, func() error { return a.core.CanUnmake(name, force) }); err != nil {
		return err
	}
	unmake := func() error { return a.core.Unmake(a.Now(), name, force) }
	if err := a.keeper.ask(ctx, func() error { return a.conf.Store.ForgetMade(a.Session.Name(), name) }, func(err error) {
		if err == nil {
			a.Post(func() { _ = unmake() })
		}
	}); err != nil {
		return err
	}
	return a.orderMade(ctx, unmake)
}

// orderMade carries out an order on the loop, and gives its error a code.
func (a *App) orderMade(ctx context.Context, fn func() error) error {
	var failed error
	if err := a.Ask(ctx, func() { failed = fn() }); err != nil {
		return err
	}
	var e *group.MadeError
	if errors.As(failed, &e) {
		return &admin.Error{Status: madeErrors[e.Problem].status, Code: madeErrors[e.Problem].code, Text: e.Text}
	}
	return failed
}

// CreateGroup makes a group beforehand. The switch may be "-" when the controller has only
// one. The error is an *admin.Error with one of the codes InvalidArgument, AlreadyExists
// (name or port), NotFound (a host) and FailedPrecondition, unless nobody answers.
func (c *AdminClient) CreateGroup(ctx context.Context, sw string, m group.Made) error {
	return c.Put(ctx, fmt.Sprintf("/v1/switches/%s/%s", url.PathEscape(sw), madePath), m)
}

// DeleteGroup forgets a group made beforehand: NotFound, or FailedPrecondition when it has
// senders and force is not set.
func (c *AdminClient) DeleteGroup(ctx context.Context, sw, name string, force bool) error {
	path := fmt.Sprintf("/v1/switches/%s/%s/%s", url.PathEscape(sw), madePath, url.PathEscape(name))
	if force {
		path += "/force"
	}
	return c.Delete(ctx, path)
}

// MadeGroups lists the groups made beforehand of all switches.
func (c *AdminClient) MadeGroups(ctx context.Context) ([]MadeInfo, error) {
	var out []MadeInfo
	return out, c.Get(ctx, "/v1/"+madePath, &out)
}
