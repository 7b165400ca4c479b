package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocumentedCommands: the command lines of p4ce in the documents are such as p4ce takes: the command and its flags exist,
// and values have the right form. A line with "..." is a sketch.
func TestDocumentedCommands(t *testing.T) {
	t.Setenv("A_SECRET", "1")
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	fence := regexp.MustCompile("(?ms)^(?:```|    )[a-z0-9 ]*\n(.*?)^```")
	cut := regexp.MustCompile(`\s(?:#|&&|\||>|<|&|2>|\s\s).*$`) // what follows, also an explanation behind some spaces
	n := 0
	for _, name := range append(files, "../../README.md") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, block := range fence.FindAllSubmatch(text, -1) {
			for line := range strings.Lines(strings.ReplaceAll(string(block[1]), "\\\n", " ")) {
				line = strings.TrimSpace(line)
				line, ok := strings.CutPrefix(strings.TrimPrefix(line, "bin/"), "p4ce ")
				if !ok || strings.Contains(line, "...") {
					continue
				}
				args := strings.Fields(cut.ReplaceAllString(line, ""))
				root := command()
				c, rest, err := root.Find(args)
				require.NoError(t, err, "%s: p4ce %s", name, line)
				if c == root || c.DisableFlagParsing {
					require.NotEqual(t, root, c, "%s: p4ce %s", name, line)
					continue
				}
				n++
				for i, a := range rest { // files of secrets are not here
					if strings.HasPrefix(a, "@") && i > 0 && (rest[i-1] == "--token" || rest[i-1] == "--password") {
						rest[i] = "env:A_SECRET"
					}
				}
				require.NoError(t, c.ParseFlags(rest), "%s: p4ce %s", name, line)
				require.NoError(t, c.ValidateArgs(c.Flags().Args()), "%s: p4ce %s", name, line)
			}
		}
	}
	require.Greater(t, n, 50)
}
