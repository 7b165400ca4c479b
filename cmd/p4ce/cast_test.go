package main

import "testing"

func TestCastFlags(t *testing.T) {
	c := newCLI(t)
	c.check(t, []badCase{
		{"cast", 2, "want a file and hosts, or --receive FOLDER"},
		{"cast text", 2, "want a file and hosts"},
		{"cast --receive folder text", 2, "--receive needs neither a file"},
		{"cast text 10.0.0.2", 2, "--via multicast needs the IPv4 address of the switch"},
		{"cast text 10.0.0.2:x --via chain", 2, "want HOST or HOST:PORT"},
		{"cast text nobody.invalid --via chain", 1, "is not known"},
		{"cast text 10.0.0.2 --via chain --port 0", 2, "--port 0"},
		{"cast text 10.0.0.2 --via chain --link-rate -1", 2, "not negative"},
		{"cast text 10.0.0.2 --via chain", 2, "--interface is missing"},
		{"cast nowhere 10.0.0.2 --via chain --wire udp --address 127.0.0.1", 1, "no such file"},
		{"cast folder 10.0.0.2 --via chain --wire udp --address 127.0.0.1", 1, "not a regular file"},
		{"cast text 10.0.0.2 --via pigeon --wire udp --address 127.0.0.1", 1, `via "pigeon"`},
		{"cast text 10.0.0.2 --via chain --chunk 5000 --wire udp --address 127.0.0.1", 1, "chunks of 5000 bytes"},
		{"cast text 10.0.0.2 10.0.0.2 --via chain --wire udp --address 127.0.0.1", 1, "given twice"},
		{"cast text 10.0.0.2 --name ../x --via chain --wire udp --address 127.0.0.1", 1, "leads out of the folder"},
		{"cast --receive nowhere --wire udp --address 127.0.0.1", 1, "no such file"},
		{"cast --receive text --wire udp --address 127.0.0.1", 1, "is not a folder"},
	})
}
