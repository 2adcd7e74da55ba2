// Package owner finds out who is working on a run and makes sure that only one process does. A living owner holds a lock.
// A claim in the journal stops an earlier owner that was only asleep.
package owner
