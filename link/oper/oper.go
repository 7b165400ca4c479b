// Package oper tells a controller which ports of its switch work.
//
//	interface goes down --> switch --- StreamMessageResponse.other ---> controller
//
// P4Runtime 1.5 has no port states. It leaves them to gNMI (Subscribe to
// /interfaces/interface/state/oper-status, of openconfig-interfaces), for which a switch and a
// controller would need a second server, connection and client. But a message on P4Runtime's stream
// has the member "other", an Any, which is meant for such extensions. It goes to the primary, in
// order with arbitration, and a client that does not know the type ignores it. Here it is a
// google.protobuf.Struct with member names from OpenConfig:
//
//	{"interfaces": [{"id": 3, "oper-status": "DOWN"}, {"id": 4, "oper-status": "UP"}]}
//
// id is the number of the port in the program. oper-status is UP when the interface can send and
// receive frames, as far as it knows, else DOWN. A new primary gets all watched ports, and then
// each change. A slow client gets only the last of several changes of a port.
//
// Both functions are pure.
package oper

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// ErrOther is the error for a message that is about something else.
var ErrOther = errors.New("not about ports")

const interfaces, id, status = "interfaces", "id", "oper-status"

var words = map[bool]string{true: "UP", false: "DOWN"}

// Message says which ports work.
func Message(up map[uint32]bool) (*anypb.Any, error) {
	ports := make([]uint32, 0, len(up))
	for p := range up {
		ports = append(ports, p)
	}
	slices.Sort(ports)
	list := &structpb.ListValue{}
	for _, p := range ports {
		list.Values = append(list.Values, structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			id: structpb.NewNumberValue(float64(p)), status: structpb.NewStringValue(words[up[p]]),
		}}))
	}
	return anypb.New(&structpb.Struct{Fields: map[string]*structpb.Value{interfaces: structpb.NewListValue(list)}})
}

// Parse reads what Message has made. Members that it does not know are no error.
func Parse(a *anypb.Any) (up map[uint32]bool, err error) {
	var s structpb.Struct
	if !a.MessageIs(&s) {
		return nil, ErrOther
	}
	if err := a.UnmarshalTo(&s); err != nil {
		return nil, fmt.Errorf("ports: %w", err)
	}
	list, ok := s.GetFields()[interfaces]
	if !ok {
		return nil, ErrOther
	}
	up = map[uint32]bool{}
	for i, v := range list.GetListValue().GetValues() {
		f := v.GetStructValue().GetFields()
		n, isNumber := f[id].GetKind().(*structpb.Value_NumberValue)
		word := f[status].GetStringValue()
		switch {
		case !isNumber || n.NumberValue != math.Trunc(n.NumberValue) || n.NumberValue < 0 || n.NumberValue > math.MaxUint32:
			return nil, fmt.Errorf("ports: interface %d: id %v is not a port", i, f[id])
		case word != words[true] && word != words[false]:
			return nil, fmt.Errorf("ports: interface %d: oper-status %q: want UP or DOWN", i, word)
		}
		up[uint32(n.NumberValue)] = word == words[true]
	}
	return up, nil
}
