// Package hooks installs the stub by which git calls us after a checkout, checks that git really runs it,
// and takes it away to the byte.
//
// It never overwrites another tool's hook: what is there is kept beside and run first, with its own exit status.
// The package never decides what a hook says; the stub only looks whether anything is open and then calls git-resume.
package hooks
