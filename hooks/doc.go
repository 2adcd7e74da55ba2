// Package hooks installs the stub through which git calls us after a checkout, checks that git really runs the stub,
// and removes the stub again without leaving a byte behind.
//
// It never overwrites another tool's hook: it keeps that hook beside ours and runs it first, with its own exit status.
// The package never decides what a hook says: the stub only checks whether anything is open and then calls git-resume.
package hooks
