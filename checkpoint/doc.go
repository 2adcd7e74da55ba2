// Package checkpoint defines the events of a run, the lines that store them, and the state of the run that follows from the
// lines. It performs no input or output; its subpackages store and find runs. docs/FORMAT.md specifies the format.
package checkpoint
