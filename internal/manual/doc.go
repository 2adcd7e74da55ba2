// Package manual describes the commands and their flags in one place. The texts for -h, the manual pages and the shell completions are
// generated from these descriptions. A test in cmd/git-resume checks that they match the flags that the program accepts.
package manual
