// Command house says which folder may import which, and draws who does.
//
//	go run ./test/house -draw    rooms, floors and arrows, as text
//
// Each top folder is one idea, and imports only those below it. A system is a folder of
// systems/; its facets stand on the floors of the engines that they are for (control on
// that of ctrl, lab on that of lab), engines know no system, and systems know no other
// one. docs/architecture.md says what the folders are; the tests of this package demand
// it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	draws := flag.Bool("draw", false, "draw rooms, floors and arrows")
	root := flag.String("root", ".", "`folder` of the tree")
	flag.Parse()
	if !*draws || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := show(*root); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func show(root string) error {
	all, err := packages(root)
	if err != nil {
		return err
	}
	if err := draw(os.Stdout, all); err != nil {
		return err
	}
	wrong := 0
	for _, p := range all {
		for _, w := range judge(p) {
			wrong++
			fmt.Println("WRONG:", w)
		}
	}
	if wrong > 0 {
		return errors.New("there are imports that the house does not allow")
	}
	return nil
}
