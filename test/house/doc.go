// Package house has the test that says which folder may import which: each is one idea,
// and imports only those below it. docs/architecture.md says what they are.
package house
