// Package packaging tests everything around the program: install.sh, the manual
// pages, the shell completions and the documents.
//
// Many of the tests run in real shells.
// To be fast, most of them use a tiny program instead of git-resume.
// The package contains only tests, and no other package imports it.
package packaging
