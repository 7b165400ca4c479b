package p4info

import (
	"fmt"
	"regexp"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	"google.golang.org/protobuf/encoding/prototext"
)

// prototext changes its spacing from build to build on purpose: after the
// colon of a field, and nowhere else in multi-line form.
var (
	afterColon = regexp.MustCompile(`(?m)^(\s*\w+:) +`)
	beforeOpen = regexp.MustCompile(`(?m)^(\s*\w+):? *(\{|<)$`)
)

// Text is the description as protobuf text, the same for the same input in
// every build.
func Text(info *p4config.P4Info) ([]byte, error) {
	out, err := prototext.MarshalOptions{Multiline: true, Indent: "  "}.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("p4info: %w", err)
	}
	out = afterColon.ReplaceAll(out, []byte("$1 "))
	out = beforeOpen.ReplaceAll(out, []byte("$1 $2"))
	head := "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n"
	return append([]byte(head), out...), nil
}
