// Package admin is the controller's admin API as its clients see it: JSON over HTTP.
//
//	GET /v1/status                       all switches (Status)
//	GET /v1/LIST                         entries of one kind, of all switches: the
//	                                     lists of all applications that have it
//	GET, PUT, POST, DELETE
//	    /v1/switches/NAME/PATH   answered by the application of the switch;
//	                                     the NAME - is the only switch
//	GET /metrics, GET /healthz
//
// An error is JSON, too: "error" says what is wrong, and "code", if present, is a gRPC code.
//
// Applications define everything except the status.
package admin
