// Package consensus is the world in which the decision protocol is explored: cores of
// package mu, each with its two regions, on a network whose every step is an action.
//
//	server 0                 server 1
//	core ─post─▶ posted ─▶│ exec: permission, memory │
//	     ◀─done── results ◀│                          │   lose, link, cut, heal, crash, …
//
// Nothing of the protocol is modelled: the cores are those that servers run. The
// network is: a connection executes what was posted in its order, at any time; reports
// it in its order, at any time, one or all at once; may end at any time, and what was
// posted on it may be executed later, until the peer has replaced the connection or
// taken the permission away. A server that is not ticked is a paused one.
//
// Time stands still unless an action lets it pass: "time" for one server, so that it
// repeats what was not answered, "beats" for all, so that they see who lives. A server
// sees that another one is gone when its connections to it end.
//
// # Properties
//
//   - agreement: no two servers apply different entries at one position; none applies
//     out of order or twice;
//   - what is reported to a client is its own value;
//   - an entry that is applied for the first time is held by a majority of the members
//     that its leader knows then, and in every state behind that by a majority of these
//     (what was lost with a server's memory counts as held);
//   - who becomes leader has everything that was decided in lower terms, before the end
//     of its log;
//   - writes to a log that take effect in one term come from one server;
//   - no write destroys a decided entry that its server, on which its leader counts, has
//     not read yet: any such entry, not only the first;
//   - a read barrier covers everything that was reported before it was asked for;
//   - nobody's term or position goes back in one life.
package consensus
