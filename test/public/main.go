package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	var o options
	flag.StringVar(&o.checkout, "checkout", "", "the checkout of p4c or of open-p4studio")
	flag.StringVar(&o.only, "only", "", "only programs whose path has this text")
	flag.BoolVar(&o.all, "all", false, "a row for every program, not only for those with a reason")
	flag.BoolVar(&o.load, "load", false, "build and load what XDP takes (root, clang)")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "p4-public: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	checkout, only string
	all, load      bool
}

// run judges the programs of a checkout, and prints what came of it. A panic of the compiler is an error.
func run(o options, out io.Writer) error {
	sets, err := find(o.checkout)
	if err != nil {
		return err
	}
	panics := 0
	for _, s := range sets {
		panics += s.run(o, out)
	}
	if panics > 0 {
		return fmt.Errorf("the compiler panicked on %d programs", panics)
	}
	return nil
}
