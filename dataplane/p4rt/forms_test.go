package p4rt_test

import (
	"fmt"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/dataplane/interp"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/p4info"
)

// TestForms: every program is taken with its p4info in each of the forms that compilers
// write, and read back in the one that was pushed.
func TestForms(t *testing.T) {
	for _, program := range p4src.Programs() {
		prog, diags := lang.Compile(lang.Options{Path: p4src.Source(program), FS: p4src.FS})
		require.NoError(t, diags.Err())
		for _, form := range []p4info.Options{{}, {StandardNames: true}, {PublicIDs: true}, {StandardNames: true, PublicIDs: true}} {
			t.Run(fmt.Sprintf("%s/%+v", program, form), func(t *testing.T) {
				info, err := p4info.Build(prog, form)
				require.NoError(t, err)
				c := connect(t, interp.New(interp.Options{}))
				require.NoError(t, c.push(program, info))
				got, err := c.GetForwardingPipelineConfig(t.Context(), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1})
				require.NoError(t, err)
				require.True(t, proto.Equal(info, got.GetConfig().GetP4Info()))
			})
		}
	}
}
