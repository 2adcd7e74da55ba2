// Package manual holds what there is to know about the commands and their flags, once:
// the answers to -h, the manual pages and the words of the completions are made from it.
//
// It neither prints nor parses a command line. A test beside the commands compares both,
// so that no flag can be accepted without being described, nor described without being there.
package manual
