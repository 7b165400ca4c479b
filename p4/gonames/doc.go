// Package gonames writes the names and numbers of a program as Go constants, so that
// nobody writes them a second time: a controller, a test or a tool that uses a name
// which the program does not have any more fails to compile.
//
//	ir.Program --Generate--> names.go
//
// What there is, for a table t, an action a, a register r, ... of the alias that p4info
// gives it (words begin with a capital letter; the usual abbreviations are capitals):
//
//	TableT, TableTID, TableTSize         name (the alias), id and size
//	TableTKeyK                           name of a match field
//	ActionA, ActionAID, ActionAParamP    name and id, name of a parameter
//	RegisterR, RegisterRID, …Size, …F    name, id, number of elements, position of a field
//	CounterC, CounterCID, CounterCSize   and DirectCounterC, DirectCounterCID
//	MeterM, MeterMID, MeterMSize         name, id, number of cells
//	ActionProfileX, …ID, …Size           name, id, number of members; with a selector also …MaxGroupSize
//	DigestD, DigestDID, DigestDF         name, id, position of a field
//	PacketInF, PacketOutF                names of packet metadata
//	type Reason uint16                   typedef bit<16> reason_t, of the constants below
//	ReasonARP Reason = 1                 const reason_t REASON_ARP = 1
//	PSNOne = 256                         const bit<32> PSN_ONE = 256
//	KindA Kind = 0                       enum kind_t { A, … }
//
// A Go type of several constants has a String, the constant's name without the words that
// all of the type begin with ("arp"), and a list of its values (Reasons).
//
// Contract:
//   - Generate is pure and deterministic; what it returns is formatted as gofmt does.
//   - Constants are the program's own, not those of core.p4 and tna.p4. Macros have no
//     names left: a size that others need is given a name by a const.
//   - A table whose entries are all constant has no names, nor have actions that no other
//     table has: a controller cannot write them.
//   - Two names that are one in Go are an error that says which.
package gonames
