package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fence is a block of a page: what it is, and its text.
var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```")

// TestDocumentedCommands: the command lines of p4xc in the documents are such as p4xc takes.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	quoted := regexp.MustCompile(`'[^']*'`)
	cut := regexp.MustCompile(`\s(?:#|&&|\||>|<|&|2>|\s\s).*$`) // what follows, also an explanation behind some spaces
	n := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range fence.FindAllSubmatch(text, -1) {
			for line := range strings.Lines(string(block[2])) {
				_, line, found := strings.Cut(" "+strings.TrimSpace(line), "p4xc ")
				if !found || strings.Contains(line, "...") {
					continue
				}
				args := strings.Fields(cut.ReplaceAllString(quoted.ReplaceAllString(line, "STATEMENT"), ""))
				root := command()
				c, rest, err := root.Find(args)
				require.NoError(t, err, "%s: p4xc %s", page, line)
				require.NotEqual(t, root, c, "%s: p4xc %s", page, line)
				require.NoError(t, c.ParseFlags(rest), "%s: p4xc %s", page, line)
				require.NoError(t, c.ValidateArgs(c.Flags().Args()), "%s: p4xc %s", page, line)
				n++
			}
		}
	}
	require.Greater(t, n, 10)
}

// TestDocumentedEntries: a block of entries is one that its program takes when it runs.
func TestDocumentedEntries(t *testing.T) {
	text, err := os.ReadFile("../../docs/run.md")
	require.NoError(t, err)
	n := 0
	for _, block := range fence.FindAllSubmatch(text, -1) {
		path, is := strings.CutPrefix(string(block[1]), "entries ")
		if !is {
			continue
		}
		dir := folder(t)
		run, _ := interpreter(t, dir, "../../"+path, file(t, dir, "list", string(block[2])))
		require.Contains(t, run.out.String(), "statements written: ", path)
		n++
	}
	require.Greater(t, n, 1)
}

// TestManual: commands have manual pages and completion.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	ok(t, "man", dir)
	for _, name := range []string{"p4xc", "p4xc-run", "p4xc-dump", "p4xc-write", "p4xc-build"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".1"))
		require.NoError(t, err)
		require.Contains(t, string(text), ".SH SYNOPSIS")
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		require.Contains(t, ok(t, "completion", shell), "p4xc")
	}
	require.Contains(t, ok(t, "--help"), "Run a program on network interfaces of this machine")
	require.Contains(t, ok(t, "--version"), "p4xc ")
}
