// Package admin is the controller's admin API as its clients see it: JSON over HTTP.
//
//	GET /v1/status                       all switches (Status)
//	GET /v1/LIST                         what all switches have of something: the
//	                                     lists of those whose application knows it
//	GET, PUT, POST, DELETE
//	    /v1/switches/NAME/PATH   what the application of a switch has there;
//	                                     the NAME - is the only switch
//	GET /metrics, GET /healthz
//
// An error is JSON, too: "error" says what is wrong, "code", if it is there, is a gRPC code.
//
// What there is besides the status is the application's to say.
package admin
