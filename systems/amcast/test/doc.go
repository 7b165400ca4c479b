// Package test runs atomic multicast end to end: switches, a controller and hosts.
package test
