// Package candidate finds work that can be continued, and resolves the names that people give to it. The work is our own runs and the work
// of other systems. The package defines the types of findings. It does not decide whether work is continued.
package candidate
