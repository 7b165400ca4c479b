package main

import "testing"

func TestGroupStaticFlags(t *testing.T) {
	c := newCLI(t)
	const to = " --controller unix:nowhere"
	c.check(t, []badCase{
		{"group create", 2, "accepts 1 arg"},
		{"group create a --replica 10.0.0.2", 2, `required flag(s) "port"`},
		{"group create a --port 7000", 2, `required flag(s) "replica"`},
		{"group create a --port 70000 --replica 10.0.0.2", 2, "out of range"},
		{"group create a --port 7000 --replica 10.0.0.2:x", 2, "want HOST or HOST:PORT"},
		{"group create a --port 7000 --replica 10.0.0.2:0", 2, "want HOST or HOST:PORT"},
		{"group create a --port 7000 --replica nobody.invalid", 1, `--replica "nobody.invalid": host is not known`},
		{"group create a --port 7000 --replica 10.0.0.2 --sender all", 2, "is not a prefix"},
		{"group create a --port 7000 --replica 10.0.0.2 --reply 0,8", 2, "want OFFSET,OFFSET,OFFSET"},
		{"group create a --port 7000 --replica 10.0.0.2 --reply 0,8,x", 2, "want OFFSET,OFFSET,OFFSET"},
		{"group create a --port 7000 --replica 10.0.0.2" + to, 1, "nobody answers"},
		{"group delete a" + to, 1, "nobody answers"},
		{"group list --static" + to, 1, "nobody answers"},
		{"group list --made" + to, 1, "nobody answers"},
		{"group show a" + to, 1, "nobody answers"},
		{"group show -- -1", 2, "want the number"},
	})
}
