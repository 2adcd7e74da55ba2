// Package plan reads plans from YAML, JSON, Markdown checkboxes and command line flags.
//
// It turns text into a [Plan], or refuses the text with a line number and a remedy.
// It is the only package that knows how a plan is stored.
// It does not access a repository, start a process or print anything.
// Other packages decide whether a plan's commands may run.
package plan
