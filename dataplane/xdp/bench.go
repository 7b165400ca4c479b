package xdp

import "github.com/cilium/ebpf"

// TestProgram returns one of the programs "test_ingress" and "test_egress" of
// the running pipeline, for benchmarks that run it many times in the kernel.
// It belongs to the target.
func (t *Target) TestProgram(name string) (*ebpf.Program, error) {
	p, err := t.running()
	if err != nil {
		return nil, err
	}
	return p.coll.Programs[name], nil
}
