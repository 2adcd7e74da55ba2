// Package record notes how far a discard has come, so that the next step or an undo can continue. A record is kept with the discarded
// registration.
package record
