// Package consensus is the explorer's world of the decision protocol: cores of package mu, each
// with its two regions, on a network whose every step is an action.
//
//	server 0                 server 1
//	core ─post─▶ posted ─▶│ exec: permission, memory │
//	     ◀─done── results ◀│                          │   lose, link, cut, heal, crash, …
//
// The protocol is not modelled: the cores are those that servers run. The network is modelled. A
// connection executes posted operations in order, at any time, and reports them in order, at any
// time, one or all at once. It may end at any time. Its posted operations may then be executed
// later, until the peer has replaced the connection or revoked the permission. A server that is not
// ticked is paused.
//
// Time stands still unless an action lets it pass. "time" does so for one server, which then
// repeats unanswered requests. "beats" does so for all servers, which then see who is alive. A
// server notices that another server is gone when its connections to it end.
//
// # Properties
//
//   - agreement: no two servers apply different entries at one position, and none applies out of
//     order or twice;
//   - what is reported to a client is its own value;
//   - when an entry is first applied, a majority of the members that its leader knows holds it, and
//     a majority of these members holds it in every later state (entries lost with a server's
//     memory count as held);
//   - a new leader has everything that was decided in lower terms, before the end of its log;
//   - writes to a log that take effect in one term come from one server;
//   - no write destroys a decided entry that its server has not applied yet, if the leader counts
//     on that server. This holds for any such entry, not only the first;
//   - a read barrier covers everything that was reported before the barrier was requested;
//   - no server's term or position goes back in one life.
package consensus
