// Package owner finds out which process is working on a run and makes sure that only one does. The owner holds a file lock. If an owner was
// suspended and wakes up later, a newer claim in the journal stops it.
package owner
