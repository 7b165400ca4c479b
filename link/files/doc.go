// Package files opens what an operator names: files that a program reads, and folders in which it
// keeps its data.
//
//	--token @FILE, --users FILE, --tls-ca FILE ... ──> Read, a regular file of at most so many bytes
//	--data FOLDER, --journal FOLDER, --store FOLDER ──> Private, a folder that nobody else may enter
package files
