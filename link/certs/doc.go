// Package certs says who is at the other end of a connection, and what he may do: certificates and rights, in
// files that are read again when they change, without a restart.
//
//	files: certificate, key, CA ──> tls.Config of a server or a client (Server, Client)
//	file of rights ──> may the client NAME (common name) write "ipv4_lpm"? (Rights)
package certs
