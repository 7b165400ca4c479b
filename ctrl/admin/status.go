package admin

import (
	"encoding/json"
	"time"

	"google.golang.org/grpc/codes"
)

// Status is what GET /v1/status answers.
type Status struct {
	// Units are there when several controllers may serve the switches.
	Units    []UnitStatus   `json:"units,omitempty"`
	Switches []SwitchStatus `json:"switches"`
}

// UnitStatus says which controller serves the switches of a unit.
type UnitStatus struct {
	Name     string   `json:"name"`
	Switches []string `json:"switches"`
	// Holder is the primary, "" when none is known; Here says that it is
	// the one that was asked. Since is when it came, by its own clock.
	Holder string     `json:"holder"`
	Here   bool       `json:"here"`
	Since  *time.Time `json:"since,omitempty"`
}

// SwitchStatus describes one switch.
type SwitchStatus struct {
	Name      string `json:"name"`
	Address   string `json:"address"`
	Program   string `json:"program"`
	Connected bool   `json:"connected"`
	Primary   bool   `json:"primary"`
	InControl bool   `json:"in_control"` // read back, and taken over
	Waiting   int    `json:"requests_waiting"`
	// Down are the ports that do not work, as the switch says.
	Down []uint32 `json:"ports_down,omitempty"`
	// State is what the application of the program says; null when another controller serves the switch.
	State json.RawMessage `json:"state"`
}

// Error is an error with an HTTP status of its own, and a gRPC code where one says more.
type Error struct {
	Status int
	Code   codes.Code // OK: none
	Text   string
}

func (e *Error) Error() string { return e.Text }
