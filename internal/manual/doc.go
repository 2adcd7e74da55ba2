// Package manual describes all commands and their flags in one place.
// The texts for -h, the manual pages and the shell completions are generated from these descriptions.
//
// The package does not print anything, and it does not parse the command line.
// A test in cmd/git-resume checks that the descriptions match the flags that the program accepts.
package manual
