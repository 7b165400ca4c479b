// Package session is a controller's side of one switch, whatever program it runs: a
// stream, arbitration, the program, requests in order, and one goroutine that an
// application (App) lives on.
//
//	switch --> p4rtclient.Client --> inbox --> loop --> App: PacketIn, Digest, Idle, Tick
//	                                                     |
//	switch <------------------------------ worker <------+ Order, Write, PacketOut
//
// # Contract
//
//   - Whenever the controller becomes primary the program is pushed if another one runs (a
//     running one is left alone), App.Sync reads the switch back on the worker, and what it
//     returns is run on the loop. When either fails both are repeated. Only after that is
//     the switch in the controller's hands: what it sends before is counted and ignored,
//     and lists of digests are not acknowledged, so that they come again.
//   - Everything of an App but Sync and Admin is called on the loop, one call at a time, and
//     Drain after each. An App need not lock what only these use.
//   - Requests are made one at a time in the order of Order and Write. Those that wait
//     together go together.
//   - While a switch is not connected, orders fail; the App is told.
package session
