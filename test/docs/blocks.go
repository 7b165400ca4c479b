package docs

import (
	"fmt"
	"os"
	"strings"
)

// Block is a fenced block of a page.
type Block struct {
	Kind string // the first word behind the fence: sh, yaml...
	Of   string // the words behind it: a file, or where to run it
	Text string // its lines
	Line int    // where it begins
}

// Blocks reads the fenced blocks of a page.
func Blocks(page string) (all []Block, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var b *Block
	for i, line := range strings.Split(string(text), "\n") {
		switch fence, is := strings.CutPrefix(line, "```"); {
		case is && b == nil:
			b = &Block{Line: i + 1}
			b.Kind, b.Of, _ = strings.Cut(fence, " ")
		case is:
			all = append(all, *b)
			b = nil
		case b != nil:
			b.Text += line + "\n"
		}
	}
	if b != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", page, b.Line)
	}
	return all, nil
}
