// Package packaging holds the tests of what surrounds the program: install.sh,
// the manual page, the shell completions and the README.
//
// They run under the real shells. All but the README's use a tiny program in the
// place of git-resume, so that they stay fast and depend on no other room.
// The package has no code of its own and is imported by nobody.
package packaging
