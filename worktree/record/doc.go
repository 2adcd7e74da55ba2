// Package record notes how far a discard has come, beside the discarded registration, so that the next step or an undo can continue.
package record
