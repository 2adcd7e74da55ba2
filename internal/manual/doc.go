// Package manual describes the commands and their flags in one place:
// the answers to -h, the manual pages and the words of the completions are made from it.
//
// It neither prints nor parses a command line. A test beside the commands compares both,
// so that every accepted flag is described and every described flag exists.
package manual
