// Package packaging holds the tests of everything around the program: install.sh,
// the manual page, the shell completions and the README.
//
// They run under the real shells. All except those of the README use a tiny program
// instead of git-resume, so that they stay fast and depend on no other room.
// The package has no code of its own, and no package imports it.
package packaging
