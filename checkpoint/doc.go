// Package checkpoint defines the events of a run, the lines in which these events are stored, and how the state of a run is computed from
// its lines. It reads and writes no files of the repository; its subpackages store and find runs. docs/FORMAT.md specifies the format.
package checkpoint
