// Package pipeline makes the pipeline config that the controller pushes to a
// switch: the p4info, and a device config for our targets (bpf/bundle), which
// holds the preprocessed program and its eBPF object.
package pipeline

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"sync"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/link/files"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/p4info"
)

// loaded has the configs that Load has made, as functions that make them once: a controller of many switches loads
// the same program for each.
var loaded sync.Map

// Load makes the config of a program that is part of this binary, such as
// "rdma". The caller owns it.
func Load(name string) (*p4.ForwardingPipelineConfig, error) {
	once, _ := loaded.LoadOrStore(name, sync.OnceValues(func() (*p4.ForwardingPipelineConfig, error) { return load(name) }))
	c, err := once.(func() (*p4.ForwardingPipelineConfig, error))()
	if err != nil {
		loaded.Delete(name) // names of programs that do not exist need no room
		return nil, err
	}
	return proto.CloneOf(c), nil
}

func load(name string) (*p4.ForwardingPipelineConfig, error) {
	info, err := p4src.Info(name)
	if err != nil {
		return nil, err
	}
	text, diags := lang.Preprocess(lang.Options{Path: p4src.Source(name), FS: p4src.FS})
	if diags.HasErrors() {
		return nil, fmt.Errorf("program %s: %w", name, diags.Items[0])
	}
	b, err := bpf.Bundle(name, text)
	if err != nil {
		return nil, err
	}
	return config(info, b)
}

// Compile makes the config of a program from its source. path is the name of the program, for error messages and
// for what it includes from beside it. The object is that of p4xc for this program; without one (nil) only the interpreter
// takes the config.
func Compile(path string, source, object []byte) (*p4.ForwardingPipelineConfig, error) {
	program, diags := lang.Compile(lang.Options{Path: path, Source: source})
	if program == nil {
		return nil, fmt.Errorf("program %s: %w", path, diags.Err())
	}
	info, err := p4info.Build(program, p4info.Options{})
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", path, err)
	}
	return config(info, &bundle.Bundle{Program: program.Name, Source: program.Source, Object: object})
}

func config(info *p4config.P4Info, b *bundle.Bundle) (*p4.ForwardingPipelineConfig, error) {
	dev, err := b.Marshal()
	if err != nil {
		return nil, fmt.Errorf("program %s: device config: %w", b.Program, err)
	}
	c := &p4.ForwardingPipelineConfig{P4Info: info, P4DeviceConfig: dev}
	c.Cookie = &p4.ForwardingPipelineConfig_Cookie{Cookie: Cookie(c)}
	return c, nil
}

// Read makes the config of a program that another compiler has built: the p4info
// as text (protobuf text format) or, in a file named .bin or .pb, as bytes, and the
// device config as the switch takes it.
func Read(p4info, deviceConfig string) (*p4.ForwardingPipelineConfig, error) {
	text, err := files.Read(p4info, files.Binary)
	if err != nil {
		return nil, fmt.Errorf("p4info: %w", err)
	}
	c := &p4.ForwardingPipelineConfig{P4Info: &p4config.P4Info{}}
	decode := prototext.Unmarshal
	if ext := filepath.Ext(p4info); ext == ".bin" || ext == ".pb" {
		decode = proto.Unmarshal
	}
	if err := decode(text, c.P4Info); err != nil {
		return nil, fmt.Errorf("p4info %s: %w", p4info, err)
	}
	if c.P4DeviceConfig, err = files.Read(deviceConfig, files.Binary); err != nil {
		return nil, fmt.Errorf("device config: %w", err)
	}
	if len(c.P4DeviceConfig) == 0 {
		return nil, fmt.Errorf("device config %s: is empty", deviceConfig)
	}
	c.Cookie = &p4.ForwardingPipelineConfig_Cookie{Cookie: Cookie(c)}
	return c, nil
}

// Cookie names a config by its content, so that a controller can tell whether a
// switch runs it already. It is never 0.
func Cookie(c *p4.ForwardingPipelineConfig) uint64 {
	h := fnv.New64a()
	h.Write(c.GetP4DeviceConfig())
	if b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(c.GetP4Info()); err == nil {
		h.Write(b)
	}
	return max(h.Sum64(), 1)
}
