package admin

import "encoding/json"

// Status is what GET /v1/status answers.
type Status struct {
	Switches []SwitchStatus `json:"switches"`
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
	// State is what the application of the program says.
	State json.RawMessage `json:"state"`
}

// Error is an error with an HTTP status of its own.
type Error struct {
	Status int
	Text   string
}

func (e *Error) Error() string { return e.Text }
