// Package resp is what servers with the Redis protocol (RESP2) have in common, whatever their commands do.
//
//	connection --> Reader --> redcon --> Requests --> commands
//	           <------------ Writer <---------------- replies
//
// A Reader gives redcon only complete requests of limited length. A Server serves connections whose requests are
// executed one after the other. package kv, which executes what arrives together as one, has a server of its own.
package resp
