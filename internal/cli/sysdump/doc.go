// Package sysdump is the command p4ce sysdump: what somebody needs who is to find out from afar what is wrong with a
// machine, in one file. It asks this program, others of the machine, and the programs of p4ce that run, and goes on when
// one does not answer: then the file has the error.
package sysdump
