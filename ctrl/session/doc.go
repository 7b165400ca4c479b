// Package session is the controller's side of one switch, whatever program the switch runs. A
// session keeps the stream, takes part in arbitration, pushes the program, sends requests in order,
// and runs an application (App) on one goroutine.
//
//	switch --> p4rtclient.Client --> inbox --> loop --> App: PacketIn, Digest, Idle, Tick
//	                                                     |
//	switch <------------------------------ worker <------+ Order, Write, PacketOut
//
// # Contract
//
//   - Whenever the controller becomes primary, the session pushes the program, unless the switch
//     runs it already. App.Sync then reads the switch back on the worker, and the function that it
//     returns runs on the loop. If either fails, the session repeats both. Only then has the
//     controller taken the switch over. The session counts and ignores whatever the switch sends
//     before, and does not acknowledge lists of digests, so that the switch sends them again.
//   - The session calls all methods of an App except Sync, Admin, Health and Responds on the loop,
//     one at a time, and Drain after each. An App needs no lock for state that only these methods
//     use.
//   - The worker sends requests one at a time, in the order of Order and Write. Requests that wait
//     together go together.
//   - While a switch is not connected, orders fail, and the App learns of each failure.
package session
