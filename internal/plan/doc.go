// Package plan reads plans: YAML, JSON, Markdown task boxes and flags.
//
// It turns text into a [Plan] or refuses it with the line and the cure,
// and it is the one place that knows how a plan is stored.
// It touches no repository, starts no process and prints nothing;
// whether a plan's commands may run is for others to decide.
package plan
