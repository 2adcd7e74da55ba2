// Package owner finds out which process is working on a run and makes sure that only one does. The owner holds a file lock.
// A claim in the journal stops an owner that was suspended and wakes up later.
package owner
