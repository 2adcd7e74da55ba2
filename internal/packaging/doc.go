// Package packaging tests what surrounds the program: install.sh, the manual pages, the shell completions and the documents. It contains
// only tests. To be fast, many of them use a tiny program instead of git-resume.
package packaging
