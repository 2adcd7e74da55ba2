// Package checkpoint defines the events of a run, the lines that store them, and the state of the run that follows from the lines. It
// reads and writes no files of the repository; its subpackages store and find runs. docs/FORMAT.md specifies the format.
package checkpoint
