// Package plan reads plans: YAML, JSON, Markdown task boxes and flags.
//
// It turns text into a [Plan], or refuses it with the line and the remedy,
// and it is the only package that knows how a plan is stored.
// It touches no repository, starts no process and prints nothing;
// other packages decide whether a plan's commands may run.
package plan
