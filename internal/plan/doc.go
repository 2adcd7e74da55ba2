// Package plan reads plans from YAML, JSON, Markdown checkboxes and command line flags. It turns text into a [Plan], or
// refuses the text and names a remedy for each fault. It does not access a repository, start a process or print
// anything.
package plan
