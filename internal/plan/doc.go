// Package plan reads plan files: YAML, JSON and Markdown task boxes.
//
// It turns text into a Plan or refuses it with the line and the cure.
// It touches no repository, starts no process and prints nothing.
package plan
