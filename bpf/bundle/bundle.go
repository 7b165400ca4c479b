// Package bundle is the device configuration that a P4Runtime client pushes to
// our targets (ForwardingPipelineConfig.p4_device_config): the preprocessed P4
// source, from which a target derives everything it needs to know about the
// program, and the eBPF object built from it. The interpreter needs the source
// only.
//
// The encoding is JSON with the object in base64, so that any client can look
// at it. It is versioned by the format field.
package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Format names the version of the encoding.
const Format = "p4ce-pipeline/1"

// Bundle is a device configuration.
type Bundle struct {
	Format  string `json:"format"`
	Program string `json:"program"`          // name of the program: "rdma"
	Source  string `json:"source"`           // preprocessed P4
	Object  []byte `json:"object,omitempty"` // ELF; absent when only the interpreter is meant
}

// Marshal encodes b with the current format.
func (b Bundle) Marshal() ([]byte, error) {
	b.Format = Format
	return json.Marshal(b)
}

// Unmarshal decodes a device configuration and checks that it is complete.
func Unmarshal(data []byte) (*Bundle, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var b Bundle
	if err := d.Decode(&b); err != nil {
		return nil, fmt.Errorf("device config: not a %s document (is it for another target?): %w", Format, err)
	}
	if d.More() {
		return nil, fmt.Errorf("device config: data after the %s document", Format)
	}
	switch {
	case b.Format != Format:
		return nil, fmt.Errorf("device config: format %q, want %q", b.Format, Format)
	case b.Program == "":
		return nil, fmt.Errorf("device config: no program name")
	case b.Source == "":
		return nil, fmt.Errorf("device config: no P4 source")
	}
	return &b, nil
}
