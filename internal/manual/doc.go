// Package manual describes all commands and their flags in one place.
// The texts for -h, the manual pages and the words of the shell completions are generated from these descriptions.
//
// It neither prints nor parses a command line. A test in the package of the commands makes sure that every accepted flag
// is described here and that every flag described here exists.
package manual
