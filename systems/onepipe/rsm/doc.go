// Package rsm runs a replicated state machine (replicated.StateMachine) on 1Pipe's total order. Every
// server takes writes, and no server leads.
//
//	Propose -> batch -- reliable scattering, to all members --> total order -> StateMachine.Apply, everywhere
//	   ^                                                            |
//	   +------------------------- result ---------------------------+
//
// # Views
//
// The members are those that the records of the log say: a server is added by a record, and one that
// the controller has declared failed is removed by a record. Each such record begins a view. Every
// message carries the view in which it was sent, and takes effect in that view only. A message that
// is delivered in a later view has no effect on any server, and its sender sends it again. So who
// joins receives every message that takes effect after the record that added it. It fetches the
// state of that moment from another server (Node.ServeHTTP), and applies on it what it has received
// meanwhile.
//
// # Who begins
//
// There is no majority: one server that is left goes on, because the controller has declared the
// others failed. So a server that starts must not go on by itself if others went on without it. It
// asks all its peers. If one is serving, it joins. Otherwise it waits for all members of the newest
// view that any of them knows, and the one that has applied most begins. The others join it. A server
// keeps a view on its disk before it answers anybody in that view, or gives its state away; therefore
// among the members of the newest view there is one that has every record that was answered. A new
// server of a view that has had records does not count: it has lost its disk.
//
// # What survives
//
// A record is answered when all members hold it in memory, and the answering server's machine has
// applied it. All servers but one may be killed, or lose power, at any time. When all are killed
// together, what the machines had not written yet is lost (replicated.StateMachine.Apply need not wait for
// the disk). With Config.Fsync a record is answered when it is on the answering server's disk, and
// nothing that was answered is lost then.
//
// # Reads
//
// A read is linearizable behind a record of its own: the record's timestamp is above all that the
// server had delivered, and above all that any server had answered, because no barrier rises above
// the clocks of the members.
package rsm
