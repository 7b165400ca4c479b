// Package docs does what pages of docs/ say, command by command.
package docs
