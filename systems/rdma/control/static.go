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

// The admin API about static groups:
//
//	GET made                 all of the switch
//	PUT made                 make one (group.Static, as JSON)
//	DELETE made/NAME         forget one; it must have no senders
//	DELETE made/NAME/force   forget one, and dissolve the groups of its senders
const staticPath = "made"

// StaticInfo is a static group, and the switch that it is on.
type StaticInfo struct {
	Switch string `json:"switch"`
	group.StaticInfo
}

// staticErrors are what problems are in HTTP and gRPC.
var staticErrors = map[group.Problem]struct {
	status int
	code   codes.Code
}{
	group.Invalid: {http.StatusBadRequest, codes.InvalidArgument},
	group.Exists:  {http.StatusConflict, codes.AlreadyExists},
	group.Unknown: {http.StatusNotFound, codes.NotFound},
	group.InUse:   {http.StatusConflict, codes.FailedPrecondition},
}

// restoreStatic takes what the store has of static groups.
func (a *App) restoreStatic() error {
	list, err := a.conf.Store.LoadStatic(a.Session.Name())
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := a.core.RestoreStatic(m); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

func (a *App) adminStatic(ctx context.Context, method, path string, body []byte) (any, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case method == http.MethodGet && name == "":
		list := []StaticInfo{}
		err := a.Ask(ctx, func() {
			for _, m := range a.core.StaticGroups() {
				list = append(list, StaticInfo{a.Session.Name(), m})
			}
		})
		return list, err
	case method == http.MethodPut && name == "":
		var m group.Static
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
func (a *App) create(ctx context.Context, m group.Static) error {
	if err := a.orderStatic(ctx, func() error { return a.core.AddStatic(m, a.conf.IPs) }); err != nil {
		return err
	}
	err := a.keeper.ask(ctx, func() error { return a.conf.Store.SaveStatic(a.Session.Name(), m) }, func(err error) {
		if err == nil { // too late: it was refused
			_ = a.conf.Store.ForgetStatic(a.Session.Name(), m.Name)
		}
	})
	if err != nil {
		a.Post(func() { _ = a.core.Delete(a.Now(), m.Name, true) }) // nobody has been told of it
	}
	return err
}

// forget takes a static group from the disk first: one that could not be is still there.
func (a *App) forget(ctx context.Context, name string, force bool) error {
	if err := a.orderStatic(ctx, func() error { return a.core.CanDelete(name, force) }); err != nil {
		return err
	}
	unmake := func() error { return a.core.Delete(a.Now(), name, force) }
	if err := a.keeper.ask(ctx, func() error { return a.conf.Store.ForgetStatic(a.Session.Name(), name) }, func(err error) {
		if err == nil {
			a.Post(func() { _ = unmake() })
		}
	}); err != nil {
		return err
	}
	return a.orderStatic(ctx, unmake)
}

// orderStatic carries out an order on the loop, and gives its error a code.
func (a *App) orderStatic(ctx context.Context, fn func() error) error {
	var failed error
	if err := a.Ask(ctx, func() { failed = fn() }); err != nil {
		return err
	}
	var e *group.StaticError
	if errors.As(failed, &e) {
		return &admin.Error{Status: staticErrors[e.Problem].status, Code: staticErrors[e.Problem].code, Text: e.Text}
	}
	return failed
}

// CreateGroup makes a group beforehand. The switch may be "-" when the controller has only
// one. The error is an *admin.Error with one of the codes InvalidArgument, AlreadyExists
// (name or port), NotFound (a host) and FailedPrecondition, unless nobody answers.
func (c *AdminClient) CreateGroup(ctx context.Context, sw string, m group.Static) error {
	return c.Put(ctx, fmt.Sprintf("/v1/switches/%s/%s", url.PathEscape(sw), staticPath), m)
}

// DeleteGroup forgets a static group: NotFound, or FailedPrecondition when it has
// senders and force is not set.
func (c *AdminClient) DeleteGroup(ctx context.Context, sw, name string, force bool) error {
	path := fmt.Sprintf("/v1/switches/%s/%s/%s", url.PathEscape(sw), staticPath, url.PathEscape(name))
	if force {
		path += "/force"
	}
	return c.Delete(ctx, path)
}

// StaticGroups lists the static groups of all switches.
func (c *AdminClient) StaticGroups(ctx context.Context) ([]StaticInfo, error) {
	var out []StaticInfo
	return out, c.Get(ctx, "/v1/"+staticPath, &out)
}
