// Command p4gen writes the generated include files of p4/rdma: the tables of the
// ICRC correction and the entries of the quorum table.
//
//	p4gen -dir p4/rdma
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/p4ce/p4ce/systems/rdma/tables"
)

func main() {
	dir := flag.String("dir", "p4/rdma", "folder to write to")
	flag.Parse()
	if err := tables.Write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "p4gen:", err)
		os.Exit(1)
	}
}
