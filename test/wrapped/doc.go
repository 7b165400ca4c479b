// Package wrapped tests that the guards of the programs do not know one encoding only: what a guard refuses in its
// plain form it refuses in every form that package lab/wrap makes of it (each more than 200), on the
// interpreter and on XDP. A Linux host in a namespace of its own is asked which forms it takes, so that no form is
// left out of what must be refused because somebody thought that nobody takes it.
package wrapped
