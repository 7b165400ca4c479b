package cli

import (
	"context"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// Reader reads from a switch. Its errors say what is likely to be wrong.
type Reader struct {
	f switchFlags
	c *p4rtclient.Client
}

// Read adds the flags that say which switch is meant to a command, and returns what connects to it.
func Read(cmd *cobra.Command) func(context.Context) (*Reader, error) {
	r := &Reader{}
	r.f.add(cmd)
	return func(ctx context.Context) (*Reader, error) {
		c, _, err := r.f.open(ctx)
		return &Reader{r.f, c}, err
	}
}

// GetPipeline returns the program that the switch runs.
func (r *Reader) GetPipeline(ctx context.Context, parts p4.GetForwardingPipelineConfigRequest_ResponseType) (config *p4.ForwardingPipelineConfig, err error) {
	err = r.within(ctx, func(ctx context.Context) error {
		config, err = r.c.GetPipeline(ctx, parts)
		return err
	})
	return config, err
}

// Read returns the entities that match.
func (r *Reader) Read(ctx context.Context, entities ...*p4.Entity) (list []*p4.Entity, err error) {
	err = r.within(ctx, func(ctx context.Context) error {
		list, err = r.c.Read(ctx, entities...)
		return err
	})
	return list, err
}

func (r *Reader) within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.f.timeout)
	defer cancel()
	if err := do(ctx); err != nil {
		return r.f.explain(err)
	}
	return nil
}

// Address is where the switch is.
func (r *Reader) Address() string { return r.c.Address() }

// Close ends the connection.
func (r *Reader) Close() error { return r.c.Close() }
