// Package docs does what pages of docs/ say, command by command, and looks for the tests that they name.
package docs
