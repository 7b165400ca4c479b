// Package certs authenticates the other end of a connection, and says what it may do. Certificates
// and rights are in files, which the package reads again when they change, without a restart.
//
//	files: certificate, key, CA ──> tls.Config of a server or a client (Server, Client)
//	file of rights ──> may the client NAME (common name) write "ipv4_lpm"? (Rights)
package certs
